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
 * The agents that reach a point with the events that `arc install` registers, also on demand.
 * @example
 * hostsThatReach('post:git:write') // ['claude', 'codex', …]
 */
export function hostsThatReach(point: string): readonly HostName[] {
  return Object.hasOwn(POINTS, point) ? HOST_NAMES.filter((name) => doesReach(HOSTS[name], point as PointName)) : []
}

/** The events of an agent that are registered on demand, of those in its files now. */
export type RegisteredOnDemand = (name: HostName) => readonly string[]

/** How far the points of a hook are reached by these agents. */
export function findReach(
  points: readonly string[],
  installed: readonly HostName[],
  registered?: RegisteredOnDemand,
): Reach {
  if (points.some((point) => OTHER_WAYS.has(point) && OTHER_WAYS.get(point) === undefined)) return NOTHING
  const canReach = (name: HostName): boolean => points.some((point) => hostsThatReach(point).includes(name))
  if (!HOST_NAMES.some(canReach)) {
    const note = points.map((point) => OTHER_WAYS.get(point)).find((way) => way !== undefined) ?? PROGRAM_ONLY
    return { neverFiresWith: installed, note }
  }
  const never = installed.filter((name) => !canReach(name))
  const missing = registered === undefined ? [] : findMissing(points, installed, registered)
  const isSilent = ({ name, at }: Missing): boolean =>
    !points.some((point) => !at.includes(point) && hostsThatReach(point).includes(name))
  const silent = missing.filter(isSilent).map(({ name }) => name)
  const notes = [
    ...(never.length === 0 ? [] : [`never fires with ${never.join(', ')}`]),
    ...missing.map((one) => describeMissing(one, isSilent(one))),
  ]
  return notes.length === 0 ? NOTHING : { neverFiresWith: [...never, ...silent], note: notes.join('; ') }
}

const NOTHING: Reach = { neverFiresWith: [] }

/** An agent, and the points of a hook whose events are not registered with it. */
interface Missing {
  readonly name: HostName
  readonly at: readonly string[]
}

function findMissing(
  points: readonly string[],
  installed: readonly HostName[],
  registered: RegisteredOnDemand,
): readonly Missing[] {
  return installed.flatMap((name) => {
    const onDemand = points.filter((point) => isOnDemand(name, point))
    const at = onDemand.length === 0 ? [] : onDemand.filter((point) => !isReached(name, point, registered(name)))
    return at.length === 0 ? [] : [{ name, at }]
  })
}

function isOnDemand(name: HostName, point: string): boolean {
  return hostsThatReach(point).includes(name) && !isReached(name, point, [])
}

function isReached(name: HostName, point: string, onDemand: readonly string[]): boolean {
  return doesReach(HOSTS[name], point as PointName, onDemand)
}

function describeMissing({ name, at }: Missing, isSilent: boolean): string {
  const where = isSilent ? '' : ` at ${at.join(', ')}`
  return `never fires${where} with ${name}: run arc install ${name} again`
}

/** How a point is reached apart from the agents; undefined if it is not. */
export function findOtherWay(point: string): string | undefined {
  if (hostsThatReach(point).length > 0) return undefined
  return OTHER_WAYS.has(point) ? (OTHER_WAYS.get(point) ?? 'fires when ARC reads a changed file') : PROGRAM_ONLY
}
