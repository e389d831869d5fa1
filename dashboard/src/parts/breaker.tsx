// The breaker: its state, its failures, and the time until half-open.

import { countFailures } from '../../../src/protocol/breaker-text.ts'
import type { BreakerView } from '../../../src/protocol/views.ts'
import { formatPeriod } from '../model/format.ts'
import { now } from '../state/clock.ts'
import { Icon } from './icons.tsx'

const STATES = {
  closed: { tone: 'pass', icon: 'check', means: 'Hooks work as configured.' },
  open: {
    tone: 'block',
    icon: 'bolt',
    means: 'Hooks failed in a row: hooks that are not critical only log until the breaker closes.',
  },
  'half-open': {
    tone: 'flag',
    icon: 'bolt',
    means: 'The next run closes the breaker if it succeeds, and opens it again if it fails.',
  },
} as const

export function Breaker({ breaker }: { readonly breaker: BreakerView }) {
  const { state, failures, threshold, halfOpenAt } = breaker
  const { tone, icon, means } = STATES[state]
  const leftMs = state === 'open' && halfOpenAt !== null ? halfOpenAt - now.value : undefined
  return (
    <div class="breaker" data-breaker={state} title={means}>
      <span class={`decision is-${tone}`}>
        <Icon name={icon} size={15} />
        <span class="big">{state}</span>
      </span>
      <span class="pips" aria-hidden="true">
        {Array.from({ length: Math.min(threshold, 12) }, (_, index) => (
          <i key={index} class={index < failures ? 'is-on' : ''} />
        ))}
      </span>
      <span class="soft">{countFailures(breaker)}</span>
      {leftMs !== undefined && (
        <span class="soft" data-countdown="">
          half-open {leftMs > 0 ? `in ${formatPeriod(leftMs)}` : 'at the next call'}
        </span>
      )}
    </div>
  )
}
