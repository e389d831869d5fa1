// The hook pipeline: every hook in the order it runs, how it is doing, the breaker, and the decisions as they fall.

import type { HookView } from '../../../src/protocol/views.ts'
import { formatAgo, formatCount, formatDuration, formatRate, formatShare, formatSpan } from '../model/format.ts'
import { Breaker } from '../parts/breaker.tsx'
import { DECISIONS } from '../parts/decision.tsx'
import { Empty } from '../parts/empty.tsx'
import { Icon } from '../parts/icons.tsx'
import { MiniFeed } from '../parts/mini-feed.tsx'
import { Mode } from '../parts/mode.tsx'
import { SafeText } from '../parts/safe-text.tsx'
import { now } from '../state/clock.ts'
import { pulse } from '../state/live.ts'
import { addressOf } from '../state/route.ts'

export function PipelinePage() {
  const figures = pulse.value
  if (figures === undefined) return <div class="page" data-page="pipeline" />
  const { hooks, enforcement, profile, breaker } = figures
  return (
    <div class="page" data-page="pipeline">
      <div class="inner">
        <section class="panel strip" aria-label="Profile and breaker">
          <div>
            <h3>Enforcement</h3>
            <span class="big" data-figure="mode">
              <Mode mode={enforcement} />
            </span>
            <span class="soft">profile {profile}</span>
          </div>
          <div>
            <h3>Breaker</h3>
            <Breaker breaker={breaker} />
          </div>
        </section>
        <section class="panel has-lanes" aria-label="Hooks in order">
          <header>
            <h2>Hooks in order</h2>
            <span class="end soft">{hooks.length} registered</span>
          </header>
          {hooks.length === 0 ? (
            <Empty icon="pipeline" title="No hook is registered" command="arc init --enforcement enforce" />
          ) : (
            <Lanes hooks={hooks} />
          )}
        </section>
        <section class="panel" data-card="feed" aria-label="Live decisions">
          <header>
            <h2>Live decisions</h2>
            <a class="end" href={addressOf('feed')}>
              Open the feed
            </a>
          </header>
          <MiniFeed count={12} />
        </section>
      </div>
    </div>
  )
}

function Lanes({ hooks }: { readonly hooks: readonly HookView[] }) {
  return (
    <table class="lanes">
      <thead>
        <tr>
          <th scope="col" class="end">
            Priority
          </th>
          <th scope="col">Hook</th>
          <th scope="col">Mode</th>
          <th scope="col">In force</th>
          <th scope="col">Verdicts</th>
          <th scope="col" class="end">
            Rate
          </th>
          <th scope="col" class="end">
            Errors
          </th>
          <th scope="col" class="end">
            p50
          </th>
          <th scope="col" class="end">
            p95
          </th>
        </tr>
      </thead>
      <tbody>
        {hooks.map((hook) => (
          <Lane key={`${hook.priority} ${hook.name}`} hook={hook} />
        ))}
      </tbody>
    </table>
  )
}

function Lane({ hook }: { readonly hook: HookView }) {
  const { name, priority, mode, effectiveMode, enabled, critical, stats, points } = hook
  return (
    <tr class="lane" data-hook={name} data-off={enabled ? undefined : ''}>
      <td class="end mono faint lane-priority">{priority}</td>
      <th scope="row" class="lane-name">
        <span class="row">
          <a class="clip" href={addressOf('feed', undefined, { hook: name })}>
            <SafeText text={name} isOneLine={true} />
          </a>
          {critical && (
            <span class="tag" title="never lowered by the breaker">
              <Icon name="shield" size={11} /> critical
            </span>
          )}
          {!enabled && <Off hook={hook} />}
        </span>
        <span class="faint lane-points clip" title={points.join(' ')}>
          {points.join(' · ')}
        </span>
      </th>
      <td data-label="mode">{mode === undefined ? <span class="faint">profile’s</span> : <Mode mode={mode} />}</td>
      <td data-label="in force">
        <Mode mode={effectiveMode} isLowered={isLowered(hook)} />
      </td>
      <td class="lane-verdicts">
        <Share stats={stats} />
      </td>
      <td class="end mono" data-label="rate">
        {formatRate(stats.perMinute)}
      </td>
      <td class={`end mono ${stats.errors > 0 ? 'decision is-error' : ''}`} data-label="errors">
        {stats.errors > 0 ? (
          <a href={addressOf('feed', undefined, { hook: name, decision: 'error' })}>
            <Icon name="error" size={12} />
            {formatShare(stats.errors, stats.runs)}
          </a>
        ) : stats.runs === 0 ? (
          '–'
        ) : (
          formatShare(0, stats.runs)
        )}
      </td>
      <td class="end mono" data-label="p50">
        {formatDuration(stats.p50Ms)}
      </td>
      <td class="end mono" data-label="p95">
        {formatDuration(stats.p95Ms)}
      </td>
    </tr>
  )
}

const LADDER = ['off', 'log', 'advise', 'enforce']

// Lower than both the profile and the hook ask for: only the breaker does that.
function isLowered({ mode, effectiveMode, enabled }: HookView): boolean {
  const asked = Math.min(
    ...[mode, pulse.value?.enforcement].map((name) => (name === undefined ? 3 : LADDER.indexOf(name))),
  )
  return enabled && LADDER.indexOf(effectiveMode) < asked
}

function Off({ hook: { disabled } }: { readonly hook: HookView }) {
  const leftMs = disabled?.until === undefined ? undefined : disabled.until - now.value
  return (
    <span class="tag is-flag off" title={disabled?.reason}>
      off{leftMs !== undefined && leftMs > 0 && ` for ${formatSpan(leftMs)}`}
    </span>
  )
}

function Share({ stats }: { readonly stats: HookView['stats'] }) {
  const total = DECISIONS.reduce((sum, key) => sum + stats[key], 0)
  if (total === 0) return <span class="faint">no run yet</span>
  const words = DECISIONS.filter((key) => stats[key] > 0).map((key) => `${formatCount(stats[key])} ${key}`)
  const last = stats.lastRun === null ? '' : `, last ${formatAgo(Date.parse(stats.lastRun), now.value)}`
  return (
    <span class="share" title={`${words.join(', ')}${last}`}>
      <span class="share-bar" aria-hidden="true">
        {DECISIONS.map(
          (key) => stats[key] > 0 && <i key={key} class={`is-${key}`} style={{ flexGrow: String(stats[key]) }} />,
        )}
      </span>
      <span class="faint share-words">{words.join(' · ')}</span>
    </span>
  )
}
