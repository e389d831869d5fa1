// Discussions between agents: the turns as a conversation, and what came of them.

import type { ContributionView, RoundtableView } from '../../../src/protocol/views.ts'
import { formatAgo, plural } from '../model/format.ts'
import { readSynthesis } from '../model/synthesis.ts'
import { clipText } from '../model/visible-text.ts'
import { Empty } from '../parts/empty.tsx'
import { Icon } from '../parts/icons.tsx'
import { SafeText } from '../parts/safe-text.tsx'
import { now } from '../state/clock.ts'
import { usePolled } from '../state/resource.ts'

const TONES = ['ask', 'pass', 'flag', 'error', 'block', 'skip'] as const

export function RoundtablesPage() {
  const { data, failure } = usePolled<readonly RoundtableView[]>('/v1/roundtables', 2_000)
  return (
    <div class="page" data-page="roundtables">
      <div class="inner narrow-inner">
        {failure !== undefined && data === undefined && <p class="callout is-error">{failure.message}</p>}
        {data?.length === 0 && (
          <section class="panel">
            <Empty
              icon="roundtables"
              title="No discussion yet"
              command={'arc roundtable "REST or gRPC?" --agents claude,codex'}
            >
              Let several agents argue a question in turns; the synthesis stands at the end.
            </Empty>
          </section>
        )}
        {data
          ?.toSorted((a, b) => b.startedAt - a.startedAt)
          .map((table) => (
            <Table key={table.id} table={table} />
          ))}
      </div>
    </div>
  )
}

const STATUS_TONES = { active: 'ask', synthesizing: 'flag', complete: 'pass' } as const

function Table({ table }: { readonly table: RoundtableView }) {
  const { id, topic, agents, rounds, status, startedAt, turns, asides, asideCount, synthesis } = table
  return (
    <article class="panel" data-roundtable={id} data-status={status}>
      <header>
        <h2 class="grow">
          <SafeText text={topic} isOneLine={true} />
        </h2>
        <span class={`tag is-${STATUS_TONES[status]} toned`}>
          {status === 'complete' && <Icon name="check" size={11} />}
          {status}
        </span>
      </header>
      <p class="body soft row wrap table-facts">
        {agents.map((agent) => (
          <span key={agent} class="row">
            <Avatar agent={agent} agents={agents} />
            <SafeText text={clipText(agent, 40)} isOneLine={true} />
          </span>
        ))}
        <span class="end-of">
          {plural(rounds, 'round')} · {formatAgo(startedAt, now.value)}
        </span>
      </p>
      <ol class="turns">
        {turns.map((turn, index) => (
          <Turn
            key={`${turn.round} ${turn.agent} ${turn.content.length}`}
            turn={turn}
            agents={agents}
            isFirstOfRound={turn.round !== turns[index - 1]?.round}
          />
        ))}
        {status === 'active' && <li class="turn soft">The next turn is awaited…</li>}
        {status === 'synthesizing' && <li class="turn soft">The rounds are over; the synthesis is being written…</li>}
      </ol>
      {synthesis !== undefined && <SynthesisBlock synthesis={synthesis} />}
      {asideCount > 0 && (
        <details class="body">
          <summary>{plural(asideCount, 'remark')} out of turn</summary>
          <ol class="turns">
            {asides.map((aside) => (
              <Turn key={`${aside.round} ${aside.agent} ${aside.content}`} turn={aside} agents={agents} />
            ))}
          </ol>
        </details>
      )}
    </article>
  )
}

interface TurnProps {
  readonly turn: ContributionView
  readonly agents: readonly string[]
  readonly isFirstOfRound?: boolean
}

function Turn({ turn: { agent, round, content }, agents, isFirstOfRound = false }: TurnProps) {
  return (
    <>
      {isFirstOfRound && (
        <li class="round">
          <h3>Round {round}</h3>
        </li>
      )}
      <li class="turn" data-turn={agent}>
        <Avatar agent={agent} agents={agents} />
        <div class="turn-body">
          <strong>
            <SafeText text={agent} isOneLine={true} />
          </strong>
          {content === '' ? (
            <p class="faint">gave the turn up</p>
          ) : (
            <p class="said">
              <SafeText text={content} />
            </p>
          )}
        </div>
      </li>
    </>
  )
}

function Avatar({ agent, agents }: { readonly agent: string; readonly agents: readonly string[] }) {
  const index = Math.max(0, agents.indexOf(agent))
  return (
    <span class={`avatar is-${TONES[index % TONES.length]}`} aria-hidden="true">
      <SafeText
        text={clipText(agent.replace(/[^\p{L}\p{N}]/gu, ''), 3)
          .slice(0, 2)
          .toUpperCase()}
        isOneLine={true}
      />
    </span>
  )
}

function SynthesisBlock({ synthesis }: { readonly synthesis: ContributionView }) {
  const { consensus, summary, keyPoints } = readSynthesis(synthesis.content)
  return (
    <section class="synthesis" aria-label="Synthesis">
      <div class="row">
        <h3>Synthesis</h3>
        {consensus !== undefined && (
          <span class="tag">
            consensus: <SafeText text={clipText(consensus, 80)} isOneLine={true} />
          </span>
        )}
        <span class="faint end-of">
          by <SafeText text={synthesis.agent} isOneLine={true} />
        </span>
      </div>
      <p class="said">
        <SafeText text={summary} />
      </p>
      {keyPoints.length > 0 && (
        <ul class="points">
          {keyPoints.map((point) => (
            <li key={point}>
              <SafeText text={point} />
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}
