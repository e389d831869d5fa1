// From a configuration to a table of hooks: built-in hooks, commands and scripts, each with its settings. Decides
// nothing and runs nothing; what cannot be built as it is written becomes a hook that fails, never one that is missing.

import { basename } from 'node:path'
import type { Config, LayerName, Origin, Script } from '../config/config.ts'
import { hookSettings, readOnError } from '../config/config.ts'
import { type Problem, problem } from '../config/problem.ts'
import { Failure } from '../engine/degradation.ts'
import { ArcError, describe } from '../engine/errors.ts'
import type { Handler, HookObject, HookOptions } from '../engine/hook.ts'
import type { Added, HandlerTable as CoreTable } from '../engine/table.ts'
import { HandlerTable } from '../platform/hook-engine.ts'
import type { BuiltIn } from './builtin/built-in.ts'
import { commandInWorkspace } from './handlers/command/workspace-command.ts'
import type { PipelineServices } from './pipeline-services.ts'
import { scriptHandler } from './scripts/script-hooks.ts'
import { type IsUnchanged, whileTrusted } from './trust-check.ts'

/** Where a hook of the pipeline comes from. */
interface HookSource {
  readonly layer: 'built-in' | LayerName
  /** `built-in`, or the file and line that name it. */
  readonly source: string
  /** Does it leave the process? */
  readonly isExternal: boolean
}

/** A pipeline, ready to swap in. */
export interface BuiltPipeline {
  readonly table: CoreTable
  readonly sources: ReadonlyMap<string, HookSource>
  /** What could not be built. */
  readonly problems: readonly Problem[]
}

/** What a pipeline is built with. */
export interface PipelineOptions {
  readonly builtIns: readonly BuiltIn[]
  readonly services: PipelineServices
  /** The root of the project, where its commands run. */
  readonly project?: string | undefined
  /** Whether the files of the project's hooks are still those that were trusted. */
  readonly isUnchanged?: IsUnchanged | undefined
}

const OFF = { reason: 'switched off in the configuration' }

/**
 * Builds the table of a configuration.
 * @example
 * const { table } = assemble(config, { builtIns: defaultPipeline, services })
 * engine.swap(table)
 */
export function buildPipeline(config: Config, options: PipelineOptions): BuiltPipeline {
  const assembly = new PipelineBuilder(config, options)
  for (const builtIn of options.builtIns) assembly.addBuiltIn(builtIn)
  for (const command of config.commands) assembly.addCommand(command)
  for (const script of config.scripts) assembly.addScript(script)
  return assembly.finish()
}

interface Entry {
  readonly name: string
  readonly source: HookSource
  readonly origin: Pick<Origin, 'file' | 'line' | 'column'>
}

class PipelineBuilder {
  readonly #config: Config
  readonly #options: PipelineOptions
  readonly #sources = new Map<string, HookSource>()
  readonly #problems: Problem[] = []
  #table: CoreTable

  constructor(config: Config, options: PipelineOptions) {
    this.#config = config
    this.#options = options
    this.#table = new HandlerTable({ maxHooksPerPoint: config.maxHooksPerPoint })
  }

  addBuiltIn(builtIn: BuiltIn): void {
    const { name, priority, points, critical, onError, timeoutMs } = builtIn
    const added = { name, source: BUILT_IN, origin: { file: name, line: 1, column: 1 } }
    const parts = this.#building(added, () => create(builtIn, this.#config, this.#options.services))
    const own = { priority, critical, timeoutMs, onError: onError ?? readOnError(this.#config, name) }
    const settings = this.#settings(name, own)
    const object = { ...settings, name, points, ...(typeof parts === 'function' ? { check: parts } : parts) }
    this.#add(added, (table) => table.addObject(object as HookObject))
  }

  addCommand(hook: Config['commands'][number]): void {
    const { name, point, tool, command, blocking, priority, onError, critical, timeoutMs, origin } = hook
    const added = { name, source: sourceOf(origin, true), origin }
    const handler = this.#building(added, () =>
      this.#checked(commandInWorkspace({ command, blocking, timeoutMs, ...this.#cwdOf(origin) }), origin),
    )
    const settings = this.#settings(name, { priority, critical, onError, timeoutMs })
    const match = tool === undefined ? {} : { match: { tool } }
    this.#add(added, (table) => table.add(point, handler, { ...settings, ...match }))
  }

  addScript({ file, script, origin }: Script): void {
    for (const hook of script.hooks) {
      const isExternal = hook.command === 'run'
      const name = this.#freeName(`${basename(file)}:${hook.position.line}`)
      const place = { ...origin, ...hook.position, file }
      const added = { name, source: sourceOf(place, isExternal), origin: place }
      const { services } = this.#options
      const handler = this.#building(added, () => {
        const made = scriptHandler(hook, this.#cwdOf(origin).cwd, services)
        return isExternal ? this.#checked(made, origin) : made
      })
      // A program has the time of a command, everything else that of any hook.
      const settings = this.#settings(name, { timeoutMs: handler.timeoutMs })
      const match = hook.tool === undefined ? {} : { match: { tool: hook.tool } }
      this.#add(added, (table) => table.add(hook.point, handler, { ...settings, ...match }))
    }
  }

  finish(): BuiltPipeline {
    return { table: this.#table, sources: this.#sources, problems: this.#problems }
  }

  #settings(name: string, own: Partial<Record<keyof HookOptions, unknown>>): HookOptions {
    const { errorBehavior, timeoutMs } = this.#config
    const { mode, onError = own.onError ?? errorBehavior, ...set } = hookSettings(this.#config, name)
    const limit = set.timeoutMs ?? own.timeoutMs ?? timeoutMs
    const { priority, critical } = own
    const all = { name, priority, critical, mode, onError, timeoutMs: limit }
    return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined))
  }

  // A project's commands are trusted as they are in the project, so that is where they run.
  #cwdOf({ layer }: Pick<Origin, 'layer'>): { readonly cwd?: string } {
    const { project } = this.#options
    return layer === 'project' && project !== undefined ? { cwd: project } : {}
  }

  #checked(handler: Handler, { layer }: Pick<Origin, 'layer'>): Handler {
    const { isUnchanged } = this.#options
    return layer === 'project' && isUnchanged !== undefined ? whileTrusted(handler, isUnchanged) : handler
  }

  #building<T>(added: Entry, build: () => T): T | Handler {
    try {
      return build()
    } catch (error) {
      const message = error instanceof ArcError ? error.message : describe(error)
      this.#report(added, message)
      return () => new Failure('start', message)
    }
  }

  #add(added: Entry, add: (table: CoreTable) => Added): void {
    const { name, source } = added
    try {
      this.#table = add(this.#table).table
    } catch (error) {
      if (!(error instanceof ArcError)) throw error
      this.#report(added, error.message)
      return
    }
    if (!this.#sources.has(name)) this.#sources.set(name, source)
    if (hookSettings(this.#config, name).enabled === false) this.#table = this.#table.withDisabled(name, OFF)
  }

  #report({ name, origin }: Entry, message: string): void {
    const { file, line, column } = origin
    const text = `The hook ${name} cannot be used: ${message}`
    this.#problems.push(problem('invalid', file, text, { key: name, position: { line, column } }))
  }

  #freeName(wanted: string): string {
    for (let count = 1; ; count++) {
      const name = count === 1 ? wanted : `${wanted} #${count}`
      if (!this.#sources.has(name)) return name
    }
  }
}

const BUILT_IN: HookSource = { layer: 'built-in', source: 'built-in', isExternal: false }

function sourceOf({ layer, file, line }: Origin, isExternal: boolean): HookSource {
  return { layer, source: `${file}:${line}`, isExternal }
}

function create(builtIn: BuiltIn, config: Config, services: PipelineServices) {
  const options = builtIn.options.parse(hookSettings(config, builtIn.name).options ?? {})
  const { alwaysBlocks, ...parts } = builtIn.create(options, services)
  return alwaysBlocks !== undefined && config.risk.floor ? { ...parts, alwaysBlocks } : parts
}
