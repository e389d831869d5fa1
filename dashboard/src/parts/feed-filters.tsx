// The filters of the feed, stored in the URL, and the pause button.

import { useEffect } from 'preact/hooks'
import { isFiltering, NO_FILTER } from '../model/filter.ts'
import { clipText, toPlainText } from '../model/visible-text.ts'
import { now } from '../state/clock.ts'
import { filter, isPaused, setFilter } from '../state/feed-page.ts'
import { log, overview } from '../state/live.ts'
import { route, setParams } from '../state/route.ts'
import { DECISION_LOOKS, DecisionBadge } from './decision.tsx'
import { Icon } from './icons.tsx'

const SCANNED_ROWS = 2_000
const MAX_CHOICES = 200
// Set by links; shown only while active.
const LINKED = ['error', 'would-block'] as const

export function FeedFilters({ searchRef }: { readonly searchRef: SearchRef }) {
  const { decision, hook, tool, session } = filter.value
  const choices = useChoices()
  const toggle = (name: string): void =>
    setFilter({ decision: decision.includes(name) ? decision.filter((other) => other !== name) : [...decision, name] })
  return (
    <search class="filters" aria-label="Filter the feed">
      <SearchField searchRef={searchRef} />
      <fieldset class="toggles">
        <legend class="sr">Decisions</legend>
        {[...DECISION_LOOKS, ...LINKED.filter((name) => decision.includes(name))].map((name) => (
          <button
            key={name}
            type="button"
            class="toggle"
            data-filter={name}
            aria-pressed={decision.includes(name)}
            onClick={() => toggle(name)}
          >
            <DecisionBadge tone={name === 'would-block' ? 'block' : name} word={name.replace('-', ' ')} />
          </button>
        ))}
      </fieldset>
      <Choice name="Hook" value={hook} choices={choices.hooks} onChoose={(value) => setFilter({ hook: value })} />
      <Choice name="Tool" value={tool} choices={choices.tools} onChoose={(value) => setFilter({ tool: value })} />
      <Choice
        name="Session"
        value={session}
        choices={choices.sessions}
        onChoose={(value) => setFilter({ session: value })}
      />
      {isFiltering(filter.value) && (
        <button type="button" class="button quiet" onClick={() => setFilter(NO_FILTER)}>
          <Icon name="close" size={13} /> Clear
        </button>
      )}
      <button
        type="button"
        class="button pause"
        aria-pressed={isPaused.value}
        onClick={() => {
          isPaused.value = !isPaused.value
        }}
      >
        <Icon name={isPaused.value ? 'play' : 'pause'} size={13} />
        {isPaused.value ? 'Resume' : 'Pause'}
      </button>
    </search>
  )
}

type SearchRef = { current: HTMLInputElement | null }

function SearchField({ searchRef }: { readonly searchRef: SearchRef }) {
  const wantsSearch = route.value.params.has('find')
  useEffect(() => {
    if (!wantsSearch) return
    searchRef.current?.focus()
    const params = new URLSearchParams(route.peek().params)
    params.delete('find')
    setParams(params, { isReplacing: true })
  }, [wantsSearch, searchRef])
  return (
    <label class="search">
      <Icon name="search" size={14} />
      <span class="sr">Search text</span>
      <input
        ref={searchRef}
        class="field"
        type="search"
        placeholder="Search commands, reasons"
        value={filter.value.text}
        onInput={({ currentTarget }) => setFilter({ text: currentTarget.value })}
      />
      <kbd>/</kbd>
    </label>
  )
}

interface ChoiceProps {
  readonly name: string
  readonly value: string
  readonly choices: readonly string[]
  readonly onChoose: (value: string) => void
}

function Choice({ name, value, choices, onChoose }: ChoiceProps) {
  const all = value === '' || choices.includes(value) ? choices : [value, ...choices]
  return (
    <label class="choice">
      <span class="sr">{name}</span>
      <select
        class="field"
        data-filter={name.toLowerCase()}
        value={value}
        onChange={({ currentTarget }) => onChoose(currentTarget.value)}
      >
        <option value="">{name}: any</option>
        {all.map((choice) => (
          <option key={choice} value={choice}>
            {clipText(toPlainText(choice), 48)}
          </option>
        ))}
      </select>
    </label>
  )
}

// The options: hooks of the pipeline, and hooks, tools and sessions of the newest rows.
function useChoices() {
  // Computed once a second, not with every new row.
  void now.value
  const tools = new Set<string>()
  const sessions = new Set<string>()
  const hooks = new Set(overview.value?.hooks.map(({ name }) => name))
  for (const { tool, session, hook } of log.actions.slice(-SCANNED_ROWS)) {
    if (tool !== undefined) tools.add(tool)
    if (session !== undefined) sessions.add(session)
    if (hook !== undefined) hooks.add(hook)
  }
  const list = (words: ReadonlySet<string>): readonly string[] => [...words].slice(0, MAX_CHOICES)
  return { hooks: list(hooks), tools: list(tools).toSorted(), sessions: list(sessions).toReversed() }
}
