// The one builder of pipelines: a configuration becomes a table of hooks (built-in hooks, commands and scripts, each with
// its settings). Runs nothing. A hook that cannot be built becomes a hook that fails, never a hook that is missing.

import { basename } from 'node:path'
import type { CommandHook, Config, LayerName, Origin, Script } from '../config/config.ts'
import { effectiveOnError, hookSettings } from '../config/config.ts'
import { type Problem, problem } from '../config/problem.ts'
import { Failure } from '../engine/degradation.ts'
import { ArcError, describe } from '../engine/errors.ts'
import type { Handler, HookOptions } from '../engine/hook.ts'
import type { Added, HookTable as CoreTable } from '../engine/table.ts'
import { HandlerTable } from '../platform/hook-engine.ts'
import { type BuiltIn, createParts, toHookObject } from './builtin/built-in.ts'
import { effectiveOptions } from './effective-options.ts'
import { commandInWorkspace } from './handlers/command/workspace-command.ts'
import type { PipelineServices } from './pipeline-services.ts'
import { scriptHandler } from './scripts/script-hooks.ts'
import { type IsUnchanged, whileTrusted } from './trust-check.ts'

/** The origin of a hook. */
interface HookSource {
  readonly layer: 'built-in' | LayerName
  /** `built-in`, or `file:line`. */
  readonly source: string
  /** Whether the hook starts a program. */
  readonly isExternal: boolean
}

/** A pipeline, ready to install in an engine. */
export interface BuiltPipeline {
  readonly table: CoreTable
  readonly sources: ReadonlyMap<string, HookSource>
  /** The hooks that could not be built. */
  readonly problems: readonly Problem[]
}

/** The parts of a pipeline beside the configuration. */
export interface PipelineOptions {
  readonly builtIns: readonly BuiltIn[]
  readonly services: PipelineServices
  /** Creates the code of built-in hooks; pipelines may share it. */
  readonly createParts?: typeof createParts | undefined
  /** The root of the project: its commands run there. */
  readonly project?: string | undefined
  /** Whether the files of the project's hooks are unchanged since they were trusted. */
  readonly isUnchanged?: IsUnchanged | undefined
}

const OFF = { reason: 'switched off in the configuration' }

/**
 * Builds the pipeline of a configuration.
 * @example
 * const { table } = buildPipeline(config, { builtIns: BUILT_INS, services })
 * engine.swap(table)
 */
export function buildPipeline(config: Config, options: PipelineOptions): BuiltPipeline {
  const builder = new PipelineBuilder(config, options)
  for (const builtIn of options.builtIns) builder.addBuiltIn(builtIn)
  for (const command of config.commands) builder.addCommand(command)
  for (const script of config.scripts) builder.addScript(script)
  return builder.finish()
}

/** A hook while it is added: its name and origin, for problems. */
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
    const { name } = builtIn
    const { risk, timeoutMs } = this.#config
    const create = this.#options.createParts ?? createParts
    const entry = { name, source: BUILT_IN, origin: { file: name, line: 1, column: 1 } }
    const settings = hookSettings(this.#config, name)
    const options = effectiveOptions(name, (hook) => hookSettings(this.#config, hook))
    const parts = this.#build(entry, () => create(builtIn, options, this.#options.services))
    const defaults = { onError: effectiveOnError(this.#config, name), timeoutMs }
    const hook = toHookObject(builtIn, typeof parts === 'function' ? { check: parts } : parts, {
      settings,
      defaults,
      hasFloor: risk.floor,
    })
    this.#add(entry, (table) => table.addObject(hook))
  }

  addCommand(hook: CommandHook): void {
    const { name, point, tool, command, blocking, priority, onError, critical, timeoutMs, origin } = hook
    const entry = { name, source: toSource(origin, true), origin }
    const handler = this.#build(entry, () => {
      const cwd = this.#findCwd(origin)
      return this.#checkTrust(commandInWorkspace({ command, blocking, timeoutMs, ...(cwd && { cwd }) }), origin)
    })
    const settings = this.#readSettings(name, { priority, critical, onError, timeoutMs })
    const match = tool === undefined ? {} : { match: { tool } }
    this.#add(entry, (table) => table.add(point, handler, { ...settings, ...match }))
  }

  addScript({ file, script, origin }: Script): void {
    for (const hook of script.hooks) {
      const isExternal = hook.command === 'run'
      const name = this.#findFreeName(`${basename(file)}:${hook.position.line}`)
      const position = { ...origin, ...hook.position, file }
      const entry = { name, source: toSource(position, isExternal), origin: position }
      const handler = this.#build(entry, () => {
        const { permissions, profile } = this.#config
        const { services } = this.#options
        const cwd = this.#findCwd(origin)
        const made = scriptHandler(hook, { cwd, services, permissions: () => ({ ...permissions, profile }) })
        return isExternal ? this.#checkTrust(made, origin) : made
      })
      // `/run` has the time limit of a command; every other hook has the default.
      const settings = this.#readSettings(name, { timeoutMs: handler.timeoutMs })
      const match = hook.tool === undefined ? {} : { match: { tool: hook.tool } }
      this.#add(entry, (table) => table.add(hook.point, handler, { ...settings, ...match }))
    }
  }

  finish(): BuiltPipeline {
    return { table: this.#table, sources: this.#sources, problems: this.#problems }
  }

  #readSettings(name: string, own: Partial<Record<keyof HookOptions, unknown>>): HookOptions {
    const { errorBehavior, timeoutMs } = this.#config
    const { mode, onError = own.onError ?? errorBehavior, ...set } = hookSettings(this.#config, name)
    const limit = set.timeoutMs ?? own.timeoutMs ?? timeoutMs
    const { priority, critical } = own
    const all = { name, priority, critical, mode, onError, timeoutMs: limit }
    return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined))
  }

  // A project's commands were trusted relative to the project, so they run there.
  #findCwd({ layer }: Pick<Origin, 'layer'>): string | undefined {
    return layer === 'project' ? this.#options.project : undefined
  }

  #checkTrust(handler: Handler, { layer }: Pick<Origin, 'layer'>): Handler {
    const { isUnchanged } = this.#options
    return layer === 'project' && isUnchanged !== undefined ? whileTrusted(handler, isUnchanged) : handler
  }

  // A hook that cannot be built is reported and fails at each step.
  #build<T>(entry: Entry, build: () => T): T | Handler {
    try {
      return build()
    } catch (error) {
      const message = error instanceof ArcError ? error.message : describe(error)
      this.#report(entry, message)
      return () => new Failure('start', message)
    }
  }

  #add(entry: Entry, add: (table: CoreTable) => Added): void {
    const { name, source } = entry
    try {
      this.#table = add(this.#table).table
    } catch (error) {
      if (!(error instanceof ArcError)) throw error
      this.#report(entry, error.message)
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

  #findFreeName(base: string): string {
    for (let count = 1; ; count++) {
      const name = count === 1 ? base : `${base} #${count}`
      if (!this.#sources.has(name)) return name
    }
  }
}

const BUILT_IN: HookSource = { layer: 'built-in', source: 'built-in', isExternal: false }

function toSource({ layer, file, line }: Origin, isExternal: boolean): HookSource {
  return { layer, source: `${file}:${line}`, isExternal }
}
