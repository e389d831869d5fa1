// The ordered hooks of every point. Immutable: each change gives a new table, so that a dispatch under way
// finishes on the one it started with and an engine can swap the whole at once.

import { ArcError, didYouMean, show } from './errors.ts'
import {
  buildHook,
  buildObjectHandler,
  checkOptionKeys,
  type Disabled,
  type Handler,
  type HookObject,
  type HookOptions,
  type RegisteredHook,
  readFlag,
} from './hook.ts'
import type { RegexCompiler } from './matcher.ts'
import type { DeclaredPoint, PointIndex, ResolvedPoint } from './point-names.ts'
import type { PointSpec } from './points.ts'

/** The hooks of one point, in the order in which they run. */
export interface Plan {
  readonly name: string
  readonly spec: PointSpec
  readonly hooks: readonly RegisteredHook[]
  /** The hooks that check edited data once more. */
  readonly guards: readonly RegisteredHook[]
}

/** What a table needs to know to build hooks. */
export interface TableSettings {
  readonly points: PointIndex
  readonly regex: RegexCompiler
  readonly maxHooksPerPoint: number
}

/** A table with hooks added, and those hooks. */
export interface Added {
  readonly table: HookTable
  readonly hooks: readonly RegisteredHook[]
}

interface PointSource {
  readonly points: PointIndex
}

/** The table of handlers, bucketed by point. */
export class HookTable {
  readonly #settings: TableSettings
  readonly #plans: ReadonlyMap<string, Plan>
  readonly #nextOrder: number
  readonly #derivedPlans = new Map<string, Plan>()
  // Put together when first asked for; a table never changes.
  #hooks: readonly RegisteredHook[] | undefined

  constructor(settings: TableSettings, hooks: readonly RegisteredHook[] = [], nextOrder = 1) {
    this.#settings = settings
    this.#nextOrder = nextOrder
    const plans = new Map<string, Plan>()
    for (const [name, spec] of settings.points.points) {
      const own = hooks.filter((hook) => hook.point === name)
      own.sort(compareHooks)
      plans.set(name, buildPlan(name, spec, own))
    }
    this.#plans = plans
  }

  /** The plan of a point by its canonical name. */
  plan(name: string): Plan | undefined {
    return this.#plans.get(name)
  }

  /** The plan of a point for an action whose main plan is another: without hooks that see the action there already. */
  derivedPlan(main: Plan, name: string): Plan | undefined {
    const key = `${main.name} ${name}`
    const known = this.#derivedPlans.get(key)
    if (known !== undefined) return known
    const plan = this.#plans.get(name)
    if (plan === undefined) return undefined
    const seen = new Set(main.hooks.map(({ handler }) => handler))
    const hooks = plan.hooks.filter(({ oncePerAction, handler }) => !oncePerAction || !seen.has(handler))
    const derived = buildPlan(name, plan.spec, hooks)
    this.#derivedPlans.set(key, derived)
    return derived
  }

  /** All hooks, point by point, in order. */
  get hooks(): readonly RegisteredHook[] {
    this.#hooks ??= [...this.#plans.values()].flatMap((plan) => plan.hooks)
    return this.#hooks
  }

  /** The points this table knows. */
  get points(): PointIndex {
    return this.#settings.points
  }

  /** A table that also knows a declared point. */
  declare(point: DeclaredPoint): HookTable {
    if (typeof point !== 'object' || point === null || typeof point.name !== 'string') this.points.resolve(point)
    const points = this.points.declare(point)
    return points === this.points ? this : this.#derive(this.hooks, { points })
  }

  /** A table with one more hook: a point and a handler. */
  add(point: string | DeclaredPoint, handler: Handler, options: HookOptions = {}): Added {
    checkOptionKeys(options, false)
    if (typeof point === 'object' && point !== null) return this.declare(point).add(point.name, handler, options)
    return this.#insert([this.points.resolve(point)], handler, options)
  }

  /** A table with one more hook in object form, at each of its points. */
  addObject(object: HookObject): Added {
    checkOptionKeys(object, true)
    const { points = this.#prePoints() } = object
    if (!Array.isArray(points) || points.length === 0) {
      throw new ArcError('ARC_OPTION_INVALID', `points of ${show(object.name)} must be a list, not ${show(points)}.`)
    }
    const given = points as readonly (string | DeclaredPoint)[]
    const table = given.reduce<HookTable>((all, point) => (typeof point === 'object' ? all.declare(point) : all), this)
    const resolved = given.map((point) => table.points.resolve(typeof point === 'object' ? point.name : point))
    return table.#insert(resolved, buildObjectHandler(object), object, object.points === undefined)
  }

  /** A table without these hooks; those it does not hold are ignored. */
  without(hooks: readonly RegisteredHook[]): HookTable {
    // Not by identity: enabling and disabling make new objects of the same registration.
    const removed = new Set(hooks.map((hook) => hook.registration))
    return this.#derive(this.hooks.filter((hook) => !removed.has(hook.registration)))
  }

  /** A table that also has hooks of another table, with the points that are declared there. They run after equal priorities. */
  including(hooks: readonly RegisteredHook[], { points: others }: PointSource): HookTable {
    const missing = [...others.points].filter(([name]) => !this.points.points.has(name))
    const points = missing.reduce((all, [name, spec]) => all.declare({ ...spec, name } as DeclaredPoint), this.points)
    return this.#derive([...this.hooks, ...hooks], { points })
  }

  /** A table in which every hook of a name is switched off, or on again. */
  withDisabled(name: string, disabled: Disabled | undefined): HookTable {
    const hooks = this.hooks
    if (!hooks.some((hook) => hook.name === name)) {
      const names = new Set(hooks.map((hook) => hook.name))
      throw new ArcError('ARC_HOOK_UNKNOWN', `There is no hook ${show(name)}.${didYouMean(String(name), names)}`)
    }
    return this.#derive(hooks.map((hook) => (hook.name === name ? Object.freeze({ ...hook, disabled }) : hook)))
  }

  #derive(
    hooks: readonly RegisteredHook[],
    changed: Partial<TableSettings> = {},
    nextOrder = this.#nextOrder,
  ): HookTable {
    return new HookTable({ ...this.#settings, ...changed }, hooks, nextOrder)
  }

  #prePoints(): string[] {
    return [...this.points.points.keys()].filter((name) => name.startsWith('pre:'))
  }

  #insert(points: readonly ResolvedPoint[], handler: Handler, options: HookOptions, isEverywhere = false): Added {
    const added: RegisteredHook[] = []
    let hooks = this.hooks
    for (const { name: point, tool } of points) {
      const { regex } = this.#settings
      const hook = buildHook({ point, tool, order: this.#nextOrder, handler, options, regex, isEverywhere })
      const replaced = this.#makeRoom(hook, hooks, readFlag(options.replace, 'replace', `hook ${show(hook.name)}`))
      // In the place of the old one, also among equal priorities.
      const placed = replaced === undefined ? hook : Object.freeze({ ...hook, order: replaced.order })
      hooks = [...hooks.filter((other) => other !== replaced), placed]
      added.push(placed)
    }
    return { table: this.#derive(hooks, {}, this.#nextOrder + 1), hooks: added }
  }

  // The hook that a new one replaces, if any; throws where there is no room for it.
  #makeRoom(hook: RegisteredHook, hooks: readonly RegisteredHook[], replace: boolean): RegisteredHook | undefined {
    const own = hooks.filter((other) => other.point === hook.point)
    const namesake = own.find((other) => other.name === hook.name)
    if (namesake !== undefined && !replace) {
      throw new ArcError('ARC_HOOK_DUPLICATE', `${hook.point} has a hook ${show(hook.name)} already.`)
    }
    const { maxHooksPerPoint } = this.#settings
    if (namesake === undefined && own.length >= maxHooksPerPoint) {
      const limit = `the limit of ${maxHooksPerPoint} (maxHooksPerPoint)`
      throw new ArcError(
        'ARC_HOOK_LIMIT',
        `${hook.point} holds ${own.length} hooks; ${show(hook.name)} exceeds ${limit}.`,
      )
    }
    return namesake
  }
}

/** The order in which hooks run. */
export function compareHooks(a: RegisteredHook, b: RegisteredHook): number {
  return a.priority - b.priority || a.order - b.order
}

/** The plan of a point with these hooks, which are in order. */
export function buildPlan(name: string, spec: PointSpec, hooks: readonly RegisteredHook[]): Plan {
  const guards = hooks.filter((hook) => hook.rechecksEdits)
  return Object.freeze({ name, spec, hooks: Object.freeze([...hooks]), guards: Object.freeze(guards) })
}
