// The hooks of .arma scripts as ordinary handlers: what each command does on a step.

import { type ArmaCommand, type ArmaHook, fill, type Template } from '../../config/arma/compile-script.ts'
import type { Handler } from '../../engine/hook.ts'
import type { Step } from '../../engine/step.ts'
import type { Decision, HandlerResult } from '../../engine/verdict.ts'
import type { PipelineServices } from '../pipeline-services.ts'
import { checkPermission, extendPermissions, type ScriptPermissions } from './permissions.ts'
import { scriptCommand } from './run-command.ts'
import { createLookup, type Lookup, withField } from './variables.ts'

/** What a command of a script is given on a step. */
interface Call {
  readonly hook: string
  readonly step: Step
  readonly args: readonly Template[]
  readonly look: Lookup
  readonly permissions: ScriptPermissions
  readonly services: ScriptServices
}

/** The services that the commands of a script need. */
export type ScriptServices = Pick<PipelineServices, 'clock' | 'record' | 'notify'>

/** What the hooks of a script depend on beside the script. */
export interface ScriptOptions {
  /** The folder of `/run`; default: the workspace of the step. */
  readonly cwd?: string | undefined
  /** Read on each step. */
  readonly permissions: () => ScriptPermissions
  readonly services: ScriptServices
}

/** What each command but `/run` does. */
const ACTIONS: Readonly<Record<Exclude<ArmaCommand, 'run'>, (call: Call) => HandlerResult>> = {
  log: writeLog,
  notify: notifyUser,
  perms: ({ step, args, look, permissions }) =>
    checkPermission(texts(args, look)[1] ?? '', { permissions, metadata: step.metadata }),
  block: (call) => decide('block', call),
  flag: (call) => decide('flag', call),
  ask: (call) => decide('ask', call),
  set: setField,
}

/** A handler for one hook of a script; throws an ArcError when its `/run` has no safe form. */
export function scriptHandler(hook: ArmaHook, options: ScriptOptions): Handler {
  const { command, args } = hook
  const { cwd, services } = options
  const { clock } = services
  if (command === 'run') return scriptCommand(hook, { cwd, clock, permissions: () => options.permissions().granted })
  const act = ACTIONS[command]
  return (step, { hook: name }) => {
    const permissions = options.permissions()
    const look = createLookup(hook, { step, timeMs: clock.wall(), permissions: permissions.granted })
    return act({ hook: name, step, args, look, permissions: extendPermissions(permissions, hook, look), services })
  }
}

const LEVELS = ['debug', 'info', 'warn', 'error'] as const

function writeLog({ hook, step, args, look, services }: Call): HandlerResult {
  const [first = '', ...rest] = texts(args, look)
  const named = rest.length > 0 ? LEVELS.find((one) => one === first) : undefined
  const level = named ?? 'info'
  const message = named === undefined ? [first, ...rest].join(' ') : rest.join(' ')
  const data = { hook, point: step.point, level, ...(step.session && { session: step.session }) }
  services.record({ component: 'hooks', action: 'script:log', level, message, data })
}

function notifyUser({ hook, step, args, look, services }: Call): HandlerResult {
  const [first = '', ...rest] = texts(args, look)
  const channel = rest.length > 0 && first.startsWith('#') ? first : undefined
  const message = (channel === undefined ? [first, ...rest] : rest).join(' ')
  const data = { hook, point: step.point, ...(channel && { channel }) }
  services.record({ component: 'hooks', action: 'script:notify', level: 'info', message, data })
  services.notify({ hook, point: step.point, channel, message })
}

function decide(decision: Decision, { args, look, hook }: Call): HandlerResult {
  const reason = texts(args, look).join(' ').trim()
  return { decision, reason: reason === '' ? `${hook} says ${decision}` : reason }
}

function setField({ step, args, look }: Call): HandlerResult {
  const [target = [], ...rest] = args
  const value = texts(rest, look).join(' ')
  const [part] = target
  const isFact = target.length === 1 && part !== undefined && 'variable' in part
  const path = (isFact ? part.variable : fill(target, look)).split('.')
  const [field = ''] = path
  if (isFact) return { metadata: { [field]: withField(step.metadata, path, value)[field] } }
  return { modify: { [field]: withField(step.data, path, jsonOrText(value, path))[field] } } as HandlerResult
}

// A whole field such as args is an object, which can only be written as JSON; anything inside it is text.
function jsonOrText(value: string, path: readonly string[]): unknown {
  if (path.length > 1 || !/^\s*[[{]/.test(value)) return value
  try {
    return JSON.parse(value)
  } catch {
    // Text that only looks like JSON at its beginning.
    return value
  }
}

function texts(args: readonly Template[], look: Lookup): string[] {
  return args.map((template) => fill(template, look))
}
