// Steps that cannot be recorded: the setting `onUnrecorded` decides whether they run, and the reply says why.

import { pause } from '../../engine/deadline.ts'
import type { Outcome } from '../../engine/outcome.ts'
import { isStoppable } from '../../hosts/honours.ts'
import type { HostStep } from '../../hosts/host.ts'
import { systemClock } from '../../platform/engine-services.ts'
import type { Stores } from '../../storage/open-stores.ts'
import type { Supervisor } from '../../supervisor/supervisor.ts'
import { describeGap } from './reply-notes.ts'

const LOOK_EVERY_MS = 20

/** Waits while another process keeps the database locked, without blocking other calls. */
export async function waitWhileLocked(
  stores: Pick<Stores, 'isBlocked'>,
  limitMs: number,
  signal: AbortSignal,
): Promise<void> {
  const until = performance.now() + limitMs
  while (stores.isBlocked && performance.now() < until && !signal.aborted) {
    await pause(LOOK_EVERY_MS, { clock: systemClock, signal })
  }
}

/** The outcome of a step that is not on record. A turn's end and a compaction are let go: to hold them would never end. */
export function applyUnrecorded(step: HostStep, outcome: Outcome, { config, engine, stores }: Supervisor): Outcome {
  const { onUnrecorded = engine.mode === 'enforce' ? 'deny' : 'allow' } = config
  const gap = stores.gap()
  const why = gap === undefined ? 'the trace cannot be written.' : describeGap(gap)
  const { approval: _approval, ...metadata } = outcome.metadata
  if (outcome.blocked) {
    const reason = `${outcome.reason ?? 'no reason was given'} (This decision is not on record: ${why})`
    return { ...outcome, reason, metadata }
  }
  if (onUnrecorded === 'allow' || step.spec.block === 'none' || !isStoppable(step)) return outcome
  return {
    ...outcome,
    decision: 'block',
    blocked: true,
    control: 'stop',
    hook: 'arc',
    reason: `ARC cannot record this step, and onUnrecorded is deny: ${why}`,
    suggestion: 'Ask the user to run arc doctor. The step can be repeated once the trace can be written.',
  }
}
