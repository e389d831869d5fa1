// The ladder of enforcement modes and the one rule for the mode in force. Knows nothing of hooks or steps.

import { ArcError, didYouMean, show } from './errors.ts'

/** What each mode does, lowest first. The source of docs/reference/modes.md. */
export const MODES = {
  off: { rank: 0, does: 'Nothing runs.' },
  log: { rank: 1, does: 'Hooks run and every evaluation is traced; nothing is changed or stopped. The default.' },
  advise: { rank: 2, does: 'As log; the user is also notified, and suggestions are put into the metadata.' },
  enforce: { rank: 3, does: 'As advise; edits, holds and blocks are also applied.' },
} as const satisfies Record<string, { rank: number; does: string }>

/** An enforcement mode. */
export type Mode = keyof typeof MODES

/** A mode as people write it: `warn` is another spelling of `advise`. */
export type ModeInput = Mode | 'warn'

/** Reads a mode, accepting `warn`; throws an ArcError on anything else. */
export function readMode(given: unknown, where: string): Mode {
  if (given === 'warn') return 'advise'
  if (typeof given === 'string' && Object.hasOwn(MODES, given)) return given as Mode
  const known = [...Object.keys(MODES), 'warn']
  const hint = typeof given === 'string' ? didYouMean(given, known) : ''
  throw new ArcError('ARC_OPTION_INVALID', `${where} must be one of ${known.join(', ')}, not ${show(given)}.${hint}`)
}

/** The lower of two modes. */
export function lowerMode(a: Mode, b: Mode): Mode {
  return MODES[a].rank <= MODES[b].rank ? a : b
}

/** Does `mode` do at least what `least` does? */
export function isAtLeast(mode: Mode, least: Mode): boolean {
  return MODES[mode].rank >= MODES[least].rank
}

/** What decides the mode in force for one hook. */
export interface ModeSources {
  readonly profile: Mode
  readonly hook?: Mode | undefined
  /** The breaker's maximum mode; `critical` hooks ignore it. */
  readonly maxMode?: Mode | undefined
  readonly critical?: boolean | undefined
}

/** The mode in force: the lowest of profile, hook and, unless the hook is critical, the breaker's maximum mode. */
export function effectiveMode({ profile, hook, maxMode, critical }: ModeSources): Mode {
  const configured = hook === undefined ? profile : lowerMode(profile, hook)
  return maxMode === undefined || critical === true ? configured : lowerMode(configured, maxMode)
}
