// The pipeline of an engine: replaced as a whole when the configuration changes, with snoozed hooks disabled. Hooks that
// a program registered stay.

import type { Loaded } from '../config/load.ts'
import type { Problem } from '../config/problem.ts'
import type { HookListing } from '../engine/engine.ts'
import { describe } from '../engine/errors.ts'
import type { RegisteredHook } from '../engine/hook.ts'
import { HookTable } from '../engine/table.ts'
import { linearRegex } from '../platform/engine-services.ts'
import type { HookEngine } from '../platform/hook-engine.ts'
import type { StateStore } from '../storage/ports.ts'
import { type BuiltPipeline, buildPipeline, type PipelineOptions } from './pipeline.ts'
import { activeSnoozes, type Snooze } from './snoozes.ts'
import { trustCheck } from './trust-check.ts'

/** One hook of the pipeline. */
export interface PipelineHook extends HookListing {
  /** The origin: `built-in`, `program`, or `file:line`. */
  readonly source: string
  readonly layer: 'built-in' | 'user' | 'project' | 'program'
  /** Why the hook is disabled, and until when. */
  readonly disabled?: { readonly until?: number | undefined; readonly reason?: string | undefined } | undefined
}

/** The hooks of one configuration in an engine. */
export class LivePipeline {
  readonly #engine: HookEngine
  #built: BuiltPipeline | undefined
  // A hook that the configuration disables stays disabled, whatever the snoozes.
  #ownHooks: readonly RegisteredHook[] = []
  #snoozes = '[]'
  // The hooks of the bus, as this engine has them, and the table that they are from.
  #busHooks: readonly RegisteredHook[] = []
  #busTable: HookTable | undefined

  constructor(engine: HookEngine) {
    this.#engine = engine
  }

  /** Builds and installs the pipeline of a configuration. With problems, only where none is installed yet. */
  install({ config, project }: Loaded, options: PipelineOptions): readonly Problem[] {
    const isUnchanged = project === undefined ? undefined : trustCheck(project)
    const built = buildPipeline(config, { ...options, project: project?.dir ?? options.project, isUnchanged })
    const { problems, table } = built
    if (problems.length > 0 && this.#built !== undefined) return problems
    const foreign = this.#foreignHooks()
    const settings = {
      points: this.#engine.table.points,
      regex: linearRegex,
      maxHooksPerPoint: config.maxHooksPerPoint,
    }
    this.#engine.swap(new HookTable(settings, [...table.hooks, ...foreign], NEXT_ORDER))
    this.#built = built
    this.#ownHooks = table.hooks
    this.#snoozes = '[]'
    return problems
  }

  /** Takes the hooks of a bus over as they are now. Costs nothing while the bus does not change: its table is immutable. */
  join(bus: HookTable): void {
    if (bus === this.#busTable) return
    const table = this.#engine.table.without(this.#busHooks)
    const taken = new Set(table.hooks.map(({ point, name }) => `${point} ${name}`))
    const snoozes = new Map((JSON.parse(this.#snoozes) as Snooze[]).map((snooze) => [snooze.hook, snooze]))
    this.#busHooks = bus.hooks.map((hook) => {
      const name = taken.has(`${hook.point} ${hook.name}`) ? `${hook.name} (bus)` : hook.name
      const disabled = hook.disabled ?? snoozes.get(name)
      return Object.freeze({ ...hook, name, disabled, order: hook.order + BUS_ORDER })
    })
    this.#engine.swap(table.including(this.#busHooks, bus))
    this.#busTable = bus
  }

  /** Disables snoozed hooks and enables those whose snooze is over. Returns an error message when snoozes cannot be read. */
  applySnoozes(state: StateStore, now: number): string | undefined {
    let active: readonly Snooze[]
    try {
      active = activeSnoozes(state, now)
    } catch (error) {
      return `The list of disabled hooks cannot be read, so the last known list applies: ${describe(error)}`
    }
    const names = new Set(this.#engine.table.hooks.map(({ name }) => name))
    const known = active.filter(({ hook }) => names.has(hook))
    const text = JSON.stringify(known)
    if (text === this.#snoozes) return undefined
    this.#switchHooks(known, JSON.parse(this.#snoozes) as Snooze[])
    this.#snoozes = text
    return undefined
  }

  /** Every hook, in order of priority. */
  list(): readonly PipelineHook[] {
    const states = new Map(this.#engine.table.hooks.map(({ name, disabled }) => [name, disabled]))
    return this.#engine.list().map((listing) => {
      const { source = 'program', layer = 'program' } = this.#built?.sources.get(listing.name) ?? {}
      const disabled = listing.enabled ? undefined : states.get(listing.name)
      return { ...listing, source, layer, disabled }
    })
  }

  /** The names of hooks that start a program. */
  get externalHooks(): readonly string[] {
    const sources = this.#built?.sources ?? new Map()
    return [...sources].filter(([, { isExternal }]) => isExternal).map(([name]) => name)
  }

  #switchHooks(active: readonly Snooze[], before: readonly Snooze[]): void {
    let { table } = this.#engine
    const names = new Set(table.hooks.map(({ name }) => name))
    for (const { hook } of before) if (names.has(hook)) table = table.withDisabled(hook, this.#configuredState(hook))
    for (const { hook, until, reason } of active) {
      if (this.#configuredState(hook) === undefined) table = table.withDisabled(hook, { until, reason })
    }
    this.#engine.swap(table)
  }

  #configuredState(name: string): RegisteredHook['disabled'] {
    return [...this.#ownHooks, ...this.#busHooks].find((hook) => hook.name === name)?.disabled
  }

  // Hooks that a program registered stay when the configuration changes.
  #foreignHooks(): readonly RegisteredHook[] {
    const own = new Set(this.#ownHooks.map(({ registration }) => registration))
    return this.#engine.table.hooks.filter(({ registration }) => !own.has(registration))
  }
}

// Above every order in a built table: among equal priorities, hooks registered later run later.
const NEXT_ORDER = 1_000_000
// Above the orders of hooks that are registered on the engine.
const BUS_ORDER = 1_000_000_000
