// The engine's table as it follows the configuration and the snoozes: swapped whole, hooks of the program kept.

import type { Loaded } from '../config/load.ts'
import type { Problem } from '../config/problem.ts'
import type { HookListing } from '../engine/engine.ts'
import { describe } from '../engine/errors.ts'
import type { RegisteredHook } from '../engine/hook.ts'
import { HandlerTable } from '../engine/table.ts'
import { linearRegex } from '../platform/engine-services.ts'
import type { HookEngine } from '../platform/hook-engine.ts'
import type { StateStore } from '../storage/ports.ts'
import { type BuiltPipeline, buildPipeline, type PipelineOptions } from './pipeline.ts'
import { activeSnoozes, type Snooze } from './snoozes.ts'
import { trustCheck } from './trust-check.ts'

/** One hook of the pipeline, as it stands. */
export interface PipelineHook extends HookListing {
  /** Where it comes from: `built-in`, `program`, or the file and line that name it. */
  readonly source: string
  readonly layer: 'built-in' | 'user' | 'project' | 'program'
  /** Why it is switched off, and until when. */
  readonly disabled?: { readonly until?: number | undefined; readonly reason?: string | undefined } | undefined
}

/** The hooks of one configuration in an engine. */
export class LivePipeline {
  readonly #engine: HookEngine
  #built: BuiltPipeline | undefined
  // What the configuration switched off stays off, whatever the snoozes.
  #ownHooks: readonly RegisteredHook[] = []
  #snoozes = '[]'

  constructor(engine: HookEngine) {
    this.#engine = engine
  }

  /** Builds the pipeline of a configuration and puts it in force; with problems, only where nothing is in force yet. */
  install({ config, project }: Loaded, options: PipelineOptions): readonly Problem[] {
    const isUnchanged = project === undefined ? undefined : trustCheck(project)
    const assembled = buildPipeline(config, { ...options, project: project?.dir ?? options.project, isUnchanged })
    const { problems, table } = assembled
    if (problems.length > 0 && this.#built !== undefined) return problems
    const foreign = this.#foreignHooks()
    const settings = {
      points: this.#engine.table.points,
      regex: linearRegex,
      maxHooksPerPoint: config.maxHooksPerPoint,
    }
    this.#engine.swap(new HandlerTable(settings, [...table.hooks, ...foreign], NEXT_ORDER))
    this.#built = assembled
    this.#ownHooks = table.hooks
    this.#snoozes = '[]'
    return problems
  }

  /** Switches off what is snoozed and on again what is no more. Gives what could not be read. */
  applySnoozes(state: StateStore, now: number): string | undefined {
    let active: readonly Snooze[]
    try {
      active = activeSnoozes(state, now)
    } catch (error) {
      return `What is switched off cannot be read, so what was known holds: ${describe(error)}`
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

  /** The hooks that leave the process. */
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
    return this.#ownHooks.find((hook) => hook.name === name)?.disabled
  }

  // What a program registered itself outlives every change of the configuration.
  #foreignHooks(): readonly RegisteredHook[] {
    const own = new Set(this.#ownHooks.map(({ registration }) => registration))
    return this.#engine.table.hooks.filter(({ registration }) => !own.has(registration))
  }
}

// Beyond every order in an assembled table: what is registered later comes later among equals.
const NEXT_ORDER = 1_000_000
