// From any spelling of a point to its row: `pre:tool`, `pre_tool_use`, `PreToolUse`, `pre:tool:shell`.
// Programs also declare additional points here. The rows themselves are in points.ts.

import { ArcError, didYouMean, rejectUnknownOptions, show } from './errors.ts'
import { type BuiltInPoints, POINTS, type PointSpec, type PointTable } from './points.ts'

/** A point that a program declared: pass it wherever a point's name is taken. */
export interface DeclaredPoint<
  Name extends string = string,
  Data extends object = object,
  Field extends string = string,
> extends PointSpec<Data, Field, never, never> {
  readonly name: Name
}

/**
 * Declares an additional point, typed end to end. `data` is a type witness and never read.
 * @example
 * const deploy = definePoint({ name: 'pre:deploy', canAbort: true, modify: ['target'], data: {} as { target: string } })
 * engine.register(deploy, (step) => (step.data.target === 'prod' ? 'ask' : 'pass'))
 */
export function definePoint<
  const Name extends string,
  Data extends object = Record<string, unknown>,
  const Field extends keyof Data & string = never,
>(definition: {
  readonly name: Name
  readonly canAbort?: boolean
  readonly modify?: readonly Field[]
  readonly when?: string
  readonly data?: Data
}): DeclaredPoint<Name, Data, Field> {
  rejectUnknownOptions(definition, ['name', 'canAbort', 'modify', 'when', 'data'], 'definePoint')
  const { name, canAbort = false, modify = [], when = 'Declared by the program' } = definition
  if (typeof name !== 'string' || !/^[a-z][a-z0-9-]*(:[a-z][a-z0-9-]*)*$/.test(name)) {
    throw new ArcError('ARC_POINT_INVALID', `A point's name is lower-case words joined by ":", not ${show(name)}.`)
  }
  if (typeof canAbort !== 'boolean') {
    throw new ArcError('ARC_POINT_INVALID', `canAbort of ${name} must be true or false, not ${show(canAbort)}.`)
  }
  if (!Array.isArray(modify) || modify.some((field) => typeof field !== 'string')) {
    throw new ArcError('ARC_POINT_INVALID', `modify of ${name} must be a list of field names, not ${show(modify)}.`)
  }
  return Object.freeze({ name, when, canAbort, modify: Object.freeze([...modify]), aliases: [] })
}

/** What a name resolved to. `tool` is set for names such as `pre:tool:shell`. */
export interface ResolvedPoint {
  readonly name: string
  readonly spec: PointSpec
  readonly tool?: string
}

/** Every known point under every known spelling. Immutable: declaring a point gives a new index. */
export class PointIndex {
  readonly points: ReadonlyMap<string, PointSpec>
  readonly #spellings = new Map<string, string>()

  constructor(points: ReadonlyMap<string, PointSpec>) {
    this.points = points
    for (const [name, spec] of points) {
      for (const spelling of [name, ...spec.aliases]) this.#spellings.set(words(spelling), name)
    }
  }

  /** The same index with one more point; declaring the very same point twice changes nothing. */
  declare(declared: DeclaredPoint): PointIndex {
    if (this.points.get(declared.name) === declared) return this
    const taken = this.#spellings.get(words(declared.name))
    if (taken !== undefined) {
      throw new ArcError('ARC_POINT_DUPLICATE', `The point ${show(declared.name)} exists already, as ${show(taken)}.`)
    }
    return new PointIndex(new Map([...this.points, [declared.name, declared]]))
  }

  /** Resolves any spelling; throws an ArcError that names the nearest point when there is none. */
  resolve(given: unknown): ResolvedPoint {
    const found = typeof given === 'string' ? (this.#find(given) ?? this.#findWithTool(given)) : undefined
    if (found !== undefined) return found
    const hint = typeof given === 'string' ? didYouMean(given, this.#allSpellings()) : ''
    throw new ArcError('ARC_POINT_UNKNOWN', `There is no point ${show(given)}.${hint}`)
  }

  #find(given: string): ResolvedPoint | undefined {
    const name = this.points.has(given) ? given : this.#spellings.get(words(given))
    const spec = name === undefined ? undefined : this.points.get(name)
    return name === undefined || spec === undefined ? undefined : { name, spec }
  }

  // `pre:tool:shell`: the longest prefix that is a point with tools; the rest is the tool, as it was written.
  #findWithTool(given: string): ResolvedPoint | undefined {
    for (let colon = given.lastIndexOf(':'); colon > 0; colon = given.lastIndexOf(':', colon - 1)) {
      const found = this.#find(given.slice(0, colon))
      const tool = given.slice(colon + 1)
      if (found?.spec.hasTool === true && tool !== '') return { ...found, tool }
    }
    return undefined
  }

  *#allSpellings(): Iterable<string> {
    for (const [name, spec] of this.points) yield* [name, ...spec.aliases]
  }
}

/** The index of the built-in points. */
export const BUILT_IN_POINTS = new PointIndex(new Map<string, PointSpec>(Object.entries(POINTS)))

// `PreToolUse`, `pre_tool_use` and `pre-tool-use` are the same words.
function words(spelling: string): string {
  return spelling
    .replace(/([a-z0-9])([A-Z])/g, '$1:$2')
    .replace(/[_\-\s]+/g, ':')
    .toLowerCase()
}

/** A reference to a point in a call: its name, another spelling, `<point>:<tool>`, or a declared point. */
export type PointRef<Points extends PointTable> =
  | { [N in keyof Points & string]: N | Points[N]['aliases'][number] }[keyof Points & string]
  | `${ToolPoint<Points>}:${string}`
  | DeclaredPoint

type ToolPoint<Points extends PointTable> = {
  [N in keyof Points & string]: N extends `${string}:tool` ? N : never
}[keyof Points & string]

/** The row of a reference. */
export type SpecOf<Points extends PointTable, Ref> = Ref extends DeclaredPoint
  ? Ref
  : Ref extends keyof Points
    ? Points[Ref]
    : {
        [N in keyof Points & string]: Ref extends LongerName<Points, N>
          ? never
          : Ref extends Points[N]['aliases'][number] | `${N}:${string}`
            ? Points[N]
            : never
      }[keyof Points & string]

// `post:tool:failure:shell` is not the tool `failure:shell` of `post:tool`: the longest name wins.
type LongerName<
  Points extends PointTable,
  N extends string,
> = `${Extract<keyof Points & string, `${N}:${string}`>}:${string}`

/** The table of points that an engine knows: the built-in ones and those that were declared to it. */
export type WithDeclared<Declared extends readonly DeclaredPoint[]> = BuiltInPoints & {
  readonly [D in Declared[number] as D['name']]: D
}
