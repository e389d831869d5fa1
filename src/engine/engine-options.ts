// The options of an engine, checked.

import { ArcError, show } from './errors.ts'
import { onRejection } from './hook.ts'
import type { Fault } from './outcome.ts'
import type { DeclaredPoint } from './point-names.ts'

/** Reads a function; undefined if none is given. */
export function readFunction<T>(given: T | undefined, option: string): T | undefined {
  if (given === undefined || typeof given === 'function') return given
  throw new ArcError('ARC_OPTION_INVALID', `${option} of the engine must be a function, not ${show(given)}.`)
}

/** Reads the declared points. */
export function readPoints(given: readonly DeclaredPoint[]): readonly DeclaredPoint[] {
  if (Array.isArray(given)) return [...given]
  throw new ArcError('ARC_OPTION_INVALID', `points of the engine must be a list of points, not ${show(given)}.`)
}

/** A reporter that never throws: a reporter that fails itself cannot be reported. */
export function quietly(report: (fault: Fault) => void): (fault: Fault) => void {
  return (fault) => {
    try {
      onRejection(report(fault), () => undefined)
    } catch {
      // Nothing may throw out of a dispatch.
    }
  }
}

/** Reads the most hooks of a point. */
export function readHookLimit(given: number): number {
  if (Number.isInteger(given) && given > 0) return given
  throw new ArcError('ARC_OPTION_INVALID', `maxHooksPerPoint must be a whole number above 0, not ${show(given)}.`)
}
