// Copies of data that crosses between hooks, so that no hook can change the data of another.
// Plain objects and arrays are copied; everything else (functions, class instances, buffers) is passed as it is.

/** How much a copy may hold. */
interface Limits {
  readonly values: number
  readonly depth: number
}

/** The most that one verdict may hold; more is a failure, never a hang. */
export const VERDICT_LIMITS: Limits = { values: 100_000, depth: 500 }

// What a caller hands in may be larger, but never endless. Deeper than a verdict, so that data which a verdict
// became part of can always be copied again.
const DATA_LIMITS: Limits = { values: 5_000_000, depth: 2_000 }

/** Thrown by a copy that would be too large; callers turn it into a failure. */
export class TooLarge extends Error {}

/** A deep copy of plain data that can be changed freely. */
export function copyPlain<T>(value: T, limits = DATA_LIMITS): T {
  return isContainer(value) ? (new Copier(false, limits).copy(value, 0) as T) : value
}

/** A deep copy of plain data in which nothing can be changed. */
export function frozenCopy<T>(value: T, limits = DATA_LIMITS): T {
  if (!isContainer(value)) return value
  return (copySmall(value, 0) ?? new Copier(true, limits).copy(value, 0)) as T
}

/** A frozen copy of an object's own fields. An instance of a class loses its class: its owner keeps it to itself. */
export function frozenFields(given: object, limits = DATA_LIMITS): Readonly<Record<string, unknown>> {
  const copy = copyToolCall(given)
  if (copy !== undefined) return copy
  const fields: object = isContainer(given) && !Array.isArray(given) ? given : { ...(given as object) }
  return frozenCopy(fields, limits) as Readonly<Record<string, unknown>>
}

// By far the commonest data, and copied on nearly every step: written out, it takes half of what the general way takes.
// Whether it is of a class does not matter, as both its fields are known to be its own; asking would take as long.
function copyToolCall(data: object): Readonly<Record<string, unknown>> | undefined {
  const keys = Object.keys(data)
  if (keys.length !== 2 || keys[0] !== 'tool' || keys[1] !== 'args') return undefined
  const { tool, args } = data as { readonly tool: unknown; readonly args: unknown }
  if (typeof tool !== 'string' || !isContainer(args)) return undefined
  const copy = copySmall(args, 1)
  return copy === undefined ? undefined : Object.freeze({ tool, args: copy })
}

const NO_ITEMS: readonly unknown[] = Object.freeze([])

// A tool call is a handful of texts, and its copy is made on every step: no bookkeeping for that. Anything larger
// or deeper than a few fields gives up and goes the thorough way.
function copySmall(value: object, depth: number): object | undefined {
  if (Array.isArray(value)) return value.length === 0 ? NO_ITEMS : undefined
  if (depth > 2) return undefined
  const keys = Object.keys(value)
  if (keys.length > 8) return undefined
  const copy: Record<string, unknown> = {}
  for (const key of keys) {
    const inner = (value as Record<string, unknown>)[key]
    const copied = typeof inner === 'object' && isContainer(inner) ? copySmall(inner, depth + 1) : inner
    if ((copied === undefined && inner !== undefined) || key === '__proto__') return undefined
    copy[key] = copied
  }
  return Object.freeze(copy)
}

/** Merges two objects into a new one, the second winning. Keys that reach prototypes never get through. */
export function mergePlain(
  base: Readonly<Record<string, unknown>>,
  extra: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const merged: Record<string, unknown> = { ...base }
  for (const key of Object.keys(extra)) {
    if (!isUnsafeKey(key)) merged[key] = extra[key]
  }
  return merged
}

/** Is this an object with fields: not null, not an array, not a function? */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Is this `{}`? An Error, a Map or a Date without own fields is not. */
export function isEmptyRecord(value: object): boolean {
  return isContainer(value) && !Array.isArray(value) && Object.keys(value).length === 0
}

/** Is this a list of texts, without holes? Throws when it is longer than the limit. */
export function isTextList(value: unknown, limits: Limits): value is readonly string[] {
  if (!Array.isArray(value)) return false
  // By hand: `every` skips holes, and walks a list that only claims to be long to its end.
  if (value.length > limits.values) throw new TooLarge(`it holds more than ${limits.values} values`)
  for (let i = 0; i < value.length; i++) if (typeof value[i] !== 'string') return false
  return true
}

// Remembering what was copied costs more than copying a small object, so it starts only after this many values.
// From then on each object is copied once more at most: cycles and shared parts end.
const VALUES_WITHOUT_MEMORY = 64

class Copier {
  readonly #freeze: boolean
  readonly #limits: Limits
  #count = 0
  #seen: Map<object, object> | undefined

  constructor(freeze: boolean, limits: Limits) {
    this.#freeze = freeze
    this.#limits = limits
  }

  copy(value: object, depth: number): object {
    if (depth > this.#limits.depth) throw new TooLarge(`it is nested more than ${this.#limits.depth} levels deep`)
    if (this.#count > VALUES_WITHOUT_MEMORY) {
      this.#seen ??= new Map()
      const known = this.#seen.get(value)
      if (known !== undefined) return known
    }
    const copy = Array.isArray(value) ? this.#copyArray(value, depth) : this.#copyObject(value, depth)
    return this.#freeze ? Object.freeze(copy) : copy
  }

  #copyArray(value: readonly unknown[], depth: number): object {
    const copy: unknown[] = []
    this.#seen?.set(value, copy)
    for (let i = 0; i < value.length; i++) copy.push(this.#copyValue(value[i], depth))
    return copy
  }

  #copyObject(value: object, depth: number): object {
    const copy: Record<string, unknown> = {}
    this.#seen?.set(value, copy)
    for (const key of Object.keys(value)) {
      const inner = this.#copyValue((value as Record<string, unknown>)[key], depth)
      // Assigning to `__proto__` would swap the prototype; as an own field it is never needed.
      if (key !== '__proto__') copy[key] = inner
    }
    return copy
  }

  #copyValue(value: unknown, depth: number): unknown {
    if (++this.#count > this.#limits.values) throw new TooLarge(`it holds more than ${this.#limits.values} values`)
    return isContainer(value) ? this.copy(value, depth + 1) : value
  }
}

function isContainer(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false
  return Array.isArray(value) || !isInstance(value)
}

/** Is this an object of a class, and not one written out in place? */
export function isInstance(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype !== Object.prototype && prototype !== null
}

function isUnsafeKey(key: string): boolean {
  return key === '__proto__' || key === 'constructor' || key === 'prototype'
}
