// The hook pipeline: every hook in the order of execution with its statistics, the breaker, and live decisions.

import type { HookView } from '../../../src/protocol/views.ts'
import { formatAgo, formatCount, formatDuration, formatPeriod, formatRate, formatShare } from '../model/format.ts'
import { Breaker } from '../parts/breaker.tsx'
import { DECISION_LOOKS } from '../parts/decision.tsx'
import { Empty } from '../parts/empty.tsx'
import { Icon } from '../parts/icons.tsx'
import { MiniFeed } from '../parts/mini-feed.tsx'
import { ModeBadge } from '../parts/mode.tsx'
import { SafeText } from '../parts/safe-text.tsx'
import { now } from '../state/clock.ts'
import { overview } from '../state/live.ts'
import { buildAddress } from '../state/route.ts'

export function PipelinePage() {
  const data = overview.value
  if (data === undefined) return <div class="page" data-page="pipeline" />
  const { hooks, enforcement, profile, breaker } = data
  return (
    <div class="page" data-page="pipeline">
      <div class="inner">
        <section class="panel strip" aria-label="Profile and breaker">
          <div>
            <h3>Enforcement</h3>
            <span class="big" data-figure="mode">
              <ModeBadge mode={enforcement} />
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
            <span class="end soft">{hooks.length} hooks</span>
          </header>
          {hooks.length === 0 ? (
            <Empty icon="pipeline" title="No hooks" command="arc init --enforcement enforce" />
          ) : (
            <HookTable hooks={hooks} />
          )}
        </section>
        <section class="panel" data-card="feed" aria-label="Live decisions">
          <header>
            <h2>Live decisions</h2>
            <a class="end" href={buildAddress('feed')}>
              Open the feed
            </a>
          </header>
          <MiniFeed count={12} />
        </section>
      </div>
    </div>
  )
}

function HookTable({ hooks }: { readonly hooks: readonly HookView[] }) {
  return (
    <table class="lanes">
      <thead>
        <tr>
          <th scope="col" class="end">
            Priority
          </th>
          <th scope="col">Hook</th>
          <th scope="col">Mode</th>
          <th scope="col">Effective</th>
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
          <HookRow key={`${hook.priority} ${hook.name}`} hook={hook} />
        ))}
      </tbody>
    </table>
  )
}

function HookRow({ hook }: { readonly hook: HookView }) {
  const { name, priority, mode, effectiveMode, enabled, critical, stats, points, reachNote } = hook
  return (
    <tr class="lane" data-hook={name} data-off={enabled ? undefined : ''}>
      <td class="end mono faint lane-priority">{priority}</td>
      <th scope="row" class="lane-name">
        <span class="row">
          <a class="clip" href={buildAddress('feed', undefined, { hook: name })}>
            <SafeText text={name} isOneLine={true} />
          </a>
          {critical && (
            <span class="tag" title="the breaker never lowers its mode">
              <Icon name="shield" size={11} /> critical
            </span>
          )}
          {!enabled && <Off hook={hook} />}
        </span>
        <span class="faint lane-points clip" title={points.join(' ')}>
          {points.join(' · ')}
        </span>
        {reachNote !== undefined && (
          <span class="tag is-flag" data-note="reach">
            {reachNote}
          </span>
        )}
      </th>
      <td data-label="mode">{mode === undefined ? <span class="faint">default</span> : <ModeBadge mode={mode} />}</td>
      <td data-label="effective">
        <ModeBadge mode={effectiveMode} isLowered={isLowered(hook)} />
      </td>
      <td class="lane-verdicts">
        <Share stats={stats} />
      </td>
      <td class="end mono" data-label="rate">
        {formatRate(stats.perMinute)}
      </td>
      <td class={`end mono ${stats.errors > 0 ? 'decision is-error' : ''}`} data-label="errors">
        {stats.errors > 0 ? (
          <a href={buildAddress('feed', undefined, { hook: name, decision: 'error' })}>
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

const MODES = ['off', 'log', 'advise', 'enforce']

// Lower than the modes of profile and hook: only the breaker does that.
function isLowered({ mode, effectiveMode, enabled }: HookView): boolean {
  const configured = Math.min(
    ...[mode, overview.value?.enforcement].map((name) => (name === undefined ? 3 : MODES.indexOf(name))),
  )
  return enabled && MODES.indexOf(effectiveMode) < configured
}

function Off({ hook: { disabled } }: { readonly hook: HookView }) {
  const leftMs = disabled?.until === undefined ? undefined : disabled.until - now.value
  return (
    <span class="tag is-flag off" title={disabled?.reason}>
      disabled{leftMs !== undefined && leftMs > 0 && ` for ${formatPeriod(leftMs)}`}
    </span>
  )
}

function Share({ stats }: { readonly stats: HookView['stats'] }) {
  const total = DECISION_LOOKS.reduce((sum, key) => sum + stats[key], 0)
  if (total === 0) return <span class="faint">no runs yet</span>
  const words = DECISION_LOOKS.filter((key) => stats[key] > 0).map((key) => `${formatCount(stats[key])} ${key}`)
  const last = stats.lastRun === null ? '' : `, last ${formatAgo(Date.parse(stats.lastRun), now.value)}`
  return (
    <span class="share" title={`${words.join(', ')}${last}`}>
      <span class="share-bar" aria-hidden="true">
        {DECISION_LOOKS.map(
          (key) => stats[key] > 0 && <i key={key} class={`is-${key}`} style={{ flexGrow: String(stats[key]) }} />,
        )}
      </span>
      <span class="faint share-words">{words.join(' · ')}</span>
    </span>
  )
}
