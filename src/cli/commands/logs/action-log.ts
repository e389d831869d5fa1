// The log of actions: a line each, as a person thinks of them. The two events of a tool call are one action.

import { homedir } from 'node:os'
import { resolve } from 'node:path'
import { readActions } from '../../../daemon/live/action-pages.ts'
import { joinResult, readCommand, readNewActions, searchActions } from '../../../daemon/live/action-search.ts'
import { findNewestSeq } from '../../../daemon/live/trace-tail.ts'
import { didYouMean } from '../../../engine/errors.ts'
import { HOST_NAMES } from '../../../hosts/facts/list.ts'
import type { Action, ActionFilter } from '../../../protocol/feed-views.ts'
import { RULE_PACKS } from '../../../risk/rulebook.ts'
import type { TraceStore } from '../../../storage/ports.ts'
import { ActionTable, buildActionRow } from '../../action-rows.ts'
import { context } from '../../context.ts'
import { info, print, printJson, report } from '../../output.ts'
import type { LogLimits, LogsOptions } from './log-options.ts'

const POLL_MS = 200
const USAGE = 2
const NOT_PASSED = 'flag,ask,block'

/** Prints the actions that match. */
export async function printActions(store: TraceStore, options: LogsOptions, limits: LogLimits): Promise<number> {
  const filter = readActionFilter(options)
  const from = findNewestSeq(store)
  const actions = await findNewest(store, filter, limits)
  const show = options.json === true ? printDocuments(store) : printLines(store)
  show(actions)
  if (actions.length === 0) {
    const suggestion = suggestName(options)
    if (suggestion !== undefined) {
      report(suggestion)
      return USAGE
    }
    if (options.json !== true) await explainNothing(store, filter, limits)
  }
  if (options.follow === true) await followActions(store, filter, { from, actions, show })
  return 0
}

type Show = (actions: readonly Action[]) => void

/** The filter of the options. */
function readActionFilter(options: LogsOptions): ActionFilter {
  const { decision, wouldBlock, all, project, agent, rule, text, session } = options
  const decisions = [decision, wouldBlock === true ? 'would-block' : undefined].filter((name) => name !== undefined)
  const hidden = all === true ? undefined : NOT_PASSED
  return {
    decision: decisions.length > 0 ? decisions.join(',') : hidden,
    project: project === undefined ? undefined : readFolder(project),
    ...{ agent, rule, text, session },
  }
}

// A path is completed; a name stays a name.
function readFolder(given: string): string {
  if (/^~(?=\/|$)/.test(given)) return resolve(given.replace('~', homedir()))
  return given === '.' || given === '..' || given.includes('/') ? resolve(context().cwd, given) : given
}

async function findNewest(store: TraceStore, filter: ActionFilter, { limit, since }: LogLimits): Promise<Action[]> {
  const found: Action[] = []
  for await (const action of searchActions(store, { ...filter, since })) {
    found.push(action)
    if (found.length === limit) break
  }
  return found.map((action) => joinResult(store, action)).sort((a, b) => a.seq - b.seq)
}

function printLines(store: TraceStore): Show {
  const table = new ActionTable()
  return (actions) => {
    for (const line of table.lines(actions.map((action) => buildActionRow(action, store)))) print(line)
  }
}

function printDocuments(store: TraceStore): Show {
  return (actions) => {
    for (const action of actions) printJson(buildDocument(action, store))
  }
}

// A line of `arc logs --json`; null where an action has no such value.
function buildDocument(action: Action, store: TraceStore): Readonly<Record<string, unknown>> {
  const { id, time, decision, blocked, steps, ranMs } = action
  const after = steps.find(({ phase }) => phase === 'after')
  const text = (value: string | undefined): string | null => value ?? null
  return {
    ...{ id, time, decision, wouldBe: action.wouldBe ?? null, applied: blocked },
    ...{ host: text(action.host), agent: text(action.agent), session: text(action.session) },
    ...{ project: text(action.workspace), tool: text(action.tool), command: readCommand(store, action) },
    ...{ rule: text(action.rule), hook: text(action.hook), reason: text(action.reason) },
    ...(after && { outcome: { ok: after.point === 'post:tool', ranMs: ranMs ?? null } }),
  }
}

// The nearest known name of a rule or an agent that nothing was found for.
function suggestName({ rule, agent }: LogsOptions): string | undefined {
  const rules = RULE_PACKS.flatMap(({ name, rules: own }) => [name, ...own.map(({ id }) => id)])
  const given: readonly (readonly [string, string | undefined, readonly string[]])[] = [
    ['rule', rule, rules],
    ['agent', agent, HOST_NAMES],
  ]
  for (const [what, name, known] of given) {
    if (name === undefined || known.includes(name)) continue
    const nearest = didYouMean(name, known)
    if (nearest !== '') return `there is no action with the ${what} ${JSON.stringify(name)}.${nearest}`
  }
  return undefined
}

// A page has at most 20 000 records.
const MAX_PAGES = 2
const COUNT_PAGE = 500

// There may be actions that passed.
async function explainNothing(store: TraceStore, filter: ActionFilter, { since }: LogLimits): Promise<void> {
  let count = 0
  let before: number | undefined
  for (let pages = 0; pages < MAX_PAGES; pages++) {
    const page = await readActions(store, { ...filter, decision: 'pass' }, { before, since, limit: COUNT_PAGE })
    count += page.actions.length
    before = page.next ?? undefined
    if (before === undefined) break
  }
  const more = before === undefined ? 'All' : 'At least'
  if (count === 1) info('The only matching action passed. Show it: arc logs --all')
  else if (count > 1) info(`${more} ${count.toLocaleString('en')} matching actions passed. Show them: arc logs --all`)
  else info('No matching records. To create some: arc sample')
}

interface Shown {
  readonly from: number
  readonly actions: readonly Action[]
  readonly show: Show
}

// Runs until the process is interrupted or its output is closed.
async function followActions(store: TraceStore, filter: ActionFilter, { from, actions, show }: Shown): Promise<never> {
  // Actions that were recorded while the first ones were searched.
  const shown = new Set(actions.filter(({ steps }) => steps.some(({ seq }) => seq > from)).map(({ id }) => id))
  for (let position = from; ; ) {
    const page = readNewActions(store, filter, position)
    show(page.actions.filter(({ id }) => !shown.has(id)))
    position = page.after
    if (!page.isPart) await new Promise((done) => setTimeout(done, POLL_MS))
  }
}
