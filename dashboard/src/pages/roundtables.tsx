// Roundtables: the turns as a conversation, and the synthesis.

import type { RoundtableAwaitedView, RoundtableTurnView, RoundtableView } from '../../../src/protocol/views.ts'
import { formatAgo, formatDuration, plural } from '../model/format.ts'
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
              title="No roundtables yet"
              command={'arc roundtable "REST or gRPC?" --agents claude,codex'}
            >
              Several agents discuss a question in turns and end with a synthesis.
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

const STATUS_TONES = {
  active: 'ask',
  synthesizing: 'flag',
  complete: 'pass',
  interrupted: 'skip',
  deserted: 'skip',
} as const

function Table({ table }: { readonly table: RoundtableView }) {
  const { id, topic, agents, seats, rounds, status, startedAt, turns, asides, asideCount, synthesis } = table
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
        {seats.map(({ agent, role, host }) => (
          <span key={agent} class="row">
            <Avatar agent={agent} agents={agents} />
            <SafeText text={clipText(agent, 40)} isOneLine={true} />
            <span class="faint">{role}</span>
            {host !== null && (
              <span class="faint" data-session-of={host}>
                in a session of <SafeText text={clipText(host, 20)} isOneLine={true} />
              </span>
            )}
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
        <NextTurn table={table} />
      </ol>
      {synthesis !== undefined && <SynthesisBlock synthesis={synthesis} />}
      {asideCount > 0 && (
        <details class="body">
          <summary>{plural(asideCount, 'message')} out of turn</summary>
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

function NextTurn({ table: { status, speaking, awaited } }: { readonly table: RoundtableView }) {
  if (status !== 'active' && status !== 'synthesizing') return null
  // A running session that was asked is speaking; else the table waits for it.
  if (awaited !== null && (speaking === null || speaking.since === null)) return <Awaited awaited={awaited} />
  if (status === 'synthesizing') return <li class="turn soft">Writing the synthesis…</li>
  if (speaking === null) return <li class="turn soft">Waiting for the next turn…</li>
  const { agent, since } = speaking
  return (
    <li class="turn soft">
      <SafeText text={clipText(agent, 40)} isOneLine={true} /> is speaking
      {since !== null && ` for ${formatDuration(Math.max(0, now.value - since))}`}…
    </li>
  )
}

function Awaited({ awaited }: { readonly awaited: RoundtableAwaitedView }) {
  const { what, agent, host, join, drive } = awaited
  return (
    <li class="turn soft" data-awaited={agent}>
      <div class="turn-body">
        Waiting for {what === 'turn' ? '' : 'the synthesis of '}
        <SafeText text={clipText(agent, 40)} isOneLine={true} />
        {join === null || drive === null ? (
          <>
            : continue in its session
            {host !== null && (
              <>
                {' '}
                of <SafeText text={clipText(host, 20)} isOneLine={true} />
              </>
            )}
          </>
        ) : (
          <>
            <p>
              <code>
                <SafeText text={join} isOneLine={true} />
              </code>{' '}
              in its session or in a terminal
            </p>
            <p>
              <code>
                <SafeText text={drive} isOneLine={true} />
              </code>{' '}
              for headless agents
            </p>
          </>
        )}
      </div>
    </li>
  )
}

interface TurnProps {
  readonly turn: Pick<RoundtableTurnView, 'agent' | 'round' | 'content'> & Partial<RoundtableTurnView>
  readonly agents: readonly string[]
  readonly isFirstOfRound?: boolean
}

// Why a turn has no content.
const MISSED_TURNS = {
  spoken: 'skipped the turn',
  silent: 'said nothing',
  failed: 'failed',
  timeout: 'did not answer in time',
  blocked: 'was blocked',
  held: 'needed approval',
} as const

function Turn({ turn, agents, isFirstOfRound = false }: TurnProps) {
  const { agent, round, content, outcome = 'spoken', reason, durationMs } = turn
  return (
    <>
      {isFirstOfRound && (
        <li class="round">
          <h3>Round {round}</h3>
        </li>
      )}
      <li class="turn" data-turn={agent} data-outcome={outcome}>
        <Avatar agent={agent} agents={agents} />
        <div class="turn-body">
          <strong>
            <SafeText text={agent} isOneLine={true} />
          </strong>
          {typeof durationMs === 'number' && <span class="faint"> {formatDuration(durationMs)}</span>}
          {content === '' ? (
            <p class="faint">
              {MISSED_TURNS[outcome]}
              {typeof reason === 'string' && (
                <>
                  : <SafeText text={clipText(reason, 400)} />
                </>
              )}
            </p>
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

function SynthesisBlock({ synthesis }: { readonly synthesis: NonNullable<RoundtableView['synthesis']> }) {
  const { agent, consensus, summary, keyPoints, isFallback } = synthesis
  return (
    <section class="synthesis" aria-label="Synthesis">
      <div class="row">
        <h3>Synthesis</h3>
        {consensus !== null && <span class="tag">consensus {Math.round(consensus * 100)} %</span>}
        <span class="faint end-of">
          {agent === null || isFallback ? (
            'generated without an agent'
          ) : (
            <>
              by <SafeText text={agent} isOneLine={true} />
            </>
          )}
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
