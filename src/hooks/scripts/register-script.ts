// `.arma` scripts for programs: the hooks of a script on an engine, a bus, a hook system or a supervisor.

import { type ArmaHook, compileArma } from '../../config/arma/compile-script.ts'
import { ArcError, rejectUnknownOptions, show } from '../../engine/errors.ts'
import { systemClock } from '../../platform/engine-services.ts'
import type { HookEngine } from '../../platform/hook-engine.ts'
import type { ScriptNotice } from '../pipeline-services.ts'
import { type ScriptOptions, type ScriptServices, scriptHandler } from './script-hooks.ts'

type Registers = Pick<HookEngine, 'register'>

/** What takes the hooks of a script: an engine, or what has one. */
export type ScriptTarget = Registers | { readonly engine: Registers; readonly ofScripts?: SupervisorScripts }

/** The services and permissions of a supervisor. */
export type SupervisorScripts = Pick<ScriptOptions, 'services' | 'permissions'>

/** A message of `/log`. */
interface ScriptLogEntry {
  readonly level: string
  readonly message: string
  readonly hook: string
}

/** Settings of a script; all optional. */
export interface RegisterScriptOptions {
  /** The hooks are named NAME:LINE; default `script`. */
  readonly name?: string
  /** What `/perms check` grants; with a supervisor the default is the list of its profile. */
  readonly permissions?: readonly string[]
  /** The folder of `/run`; default: the workspace of the step. */
  readonly cwd?: string
  /** Receives `/log`. Default: the trace of the supervisor; without one, stderr. */
  readonly log?: (entry: ScriptLogEntry) => void
  /** Receives `/notify`. Default: `notify` of the supervisor; without one, stderr. */
  readonly notify?: (notice: ScriptNotice) => void
}

/**
 * Registers the hooks of a `.arma` script and returns their undo. A script with errors is refused as a whole.
 * @example
 * const hooks = new HookSystem()
 * registerScript(hooks, 'hook pre:tool:shell /perms check shellExec', { permissions: ['shellExec'] })
 */
export function registerScript(target: ScriptTarget, script: string, options: RegisterScriptOptions = {}): () => void {
  rejectUnknownOptions(options, ['name', 'permissions', 'cwd', 'log', 'notify'], 'registerScript')
  const engine = 'engine' in target ? target.engine : target
  const { ok, hooks, errors } = compileArma(script)
  if (!ok) {
    const found = errors.map(({ line, column, message }) => `${line}:${column} ${message}`)
    throw new ArcError('ARC_SCRIPT_INVALID', found.join('\n     '))
  }
  const ofHooks = readOptions(options, 'engine' in target ? target.ofScripts : undefined)
  const { name = 'script' } = options
  const undo: (() => void)[] = []
  const unregister = (): void => {
    for (const remove of undo) remove()
  }
  try {
    for (const hook of hooks) undo.push(registerHook(engine, hook, `${name}:${hook.position.line}`, ofHooks))
  } catch (error) {
    unregister()
    throw error
  }
  return unregister
}

function registerHook(engine: Registers, hook: ArmaHook, name: string, options: ScriptOptions): () => void {
  const match = hook.tool === undefined ? {} : { match: { tool: hook.tool } }
  return engine.register(hook.point as 'config:change', scriptHandler(hook, options), { name, ...match })
}

function readOptions(given: RegisterScriptOptions, ofSupervisor: SupervisorScripts | undefined): ScriptOptions {
  const { permissions, cwd, log, notify } = given
  if (permissions !== undefined && !Array.isArray(permissions)) {
    throw new ArcError('ARC_OPTION_INVALID', `permissions must be a list of names, not ${show(permissions)}.`)
  }
  const services = ofSupervisor?.services ?? PRINTED
  const record: ScriptServices['record'] = (event) => {
    const { level, hook } = event.data as { level: string; hook: string }
    if (log === undefined) services.record(event)
    else if (event.action === 'script:log') log({ level, hook, message: event.message ?? '' })
  }
  const granted = permissions === undefined ? ofSupervisor?.permissions : () => ({ granted: permissions })
  return {
    cwd,
    permissions: granted ?? (() => ({ granted: undefined })),
    services: { clock: services.clock, record, notify: notify ?? services.notify },
  }
}

const PRINTED: ScriptServices = {
  clock: systemClock,
  record: ({ action, message, data }) => {
    if (action === 'script:log') process.stderr.write(`arc: ${String(data?.level)}: ${message}\n`)
  },
  notify: ({ channel, message }) => void process.stderr.write(`arc: ${channel ? `${channel} ` : ''}${message}\n`),
}
