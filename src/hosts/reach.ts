// Which agents ever reach a point, by their tables of events: a hook that no agent reaches must not look like protection.

import { POINTS, type PointName } from '../engine/points.ts'
import { doesReach } from './derived-steps.ts'
import { HOST_NAMES, type HostName } from './host.ts'
import { HOSTS } from './list.ts'

/** How far the points of a hook are reached. */
export interface Reach {
  /** The agents, of those given, that reach none of the points. */
  readonly neverFiresWith: readonly HostName[]
  /** The same as a line for people; undefined if there is nothing to say. */
  readonly note?: string | undefined
}

/** Points that ARC reaches itself, and how; undefined for a point that every home reaches. */
const OTHER_WAYS: ReadonlyMap<string, string | undefined> = new Map([
  ['config:change', undefined],
  ['pre:launch', 'fires only with arc launch'],
  ['post:launch', 'fires only with arc launch'],
])
const PROGRAM_ONLY = 'fires only if a program dispatches it'

/**
 * The agents that reach a point with the events that `arc install` registers.
 * @example
 * hostsThatReach('post:git:write') // ['claude', 'codex', …]
 */
export function hostsThatReach(point: string): readonly HostName[] {
  return Object.hasOwn(POINTS, point) ? HOST_NAMES.filter((name) => doesReach(HOSTS[name], point as PointName)) : []
}

/** How far the points of a hook are reached by these agents. */
export function findReach(points: readonly string[], installed: readonly HostName[]): Reach {
  const isReached = (name: HostName): boolean => points.some((point) => hostsThatReach(point).includes(name))
  if (points.some((point) => OTHER_WAYS.has(point) && OTHER_WAYS.get(point) === undefined)) return NOTHING
  if (!HOST_NAMES.some(isReached)) {
    const note = points.map((point) => OTHER_WAYS.get(point)).find((way) => way !== undefined) ?? PROGRAM_ONLY
    return { neverFiresWith: installed, note }
  }
  const neverFiresWith = installed.filter((name) => !isReached(name))
  return neverFiresWith.length === 0
    ? NOTHING
    : { neverFiresWith, note: `never fires with ${neverFiresWith.join(', ')}` }
}

const NOTHING: Reach = { neverFiresWith: [] }

/** How a point is reached apart from the agents; undefined if it is not. */
export function findOtherWay(point: string): string | undefined {
  if (hostsThatReach(point).length > 0) return undefined
  return OTHER_WAYS.has(point) ? (OTHER_WAYS.get(point) ?? 'fires when ARC reads a changed file') : PROGRAM_ONLY
}
