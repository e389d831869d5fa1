// HookRegistry: shell commands on lifecycle events, with `fire` and `checkBlocking`. A thin layer over the engine.

import { ArcError, rejectUnknownOptions, show } from '../engine/errors.ts'
import { isRecord } from '../engine/plain-data.ts'
import { commandHandler, describeEnding } from '../hooks/handlers/command/command.ts'
import type { Finished } from '../hooks/handlers/command/spawn.ts'
import { HookEngine } from '../platform/hook-engine.ts'
import { newId } from '../platform/ids.ts'

/** The events, as configurations write them. */
export const HOOK_EVENTS = [
  ...(['session_start', 'session_end', 'pre_tool_use', 'post_tool_use', 'post_tool_use_failure'] as const),
  ...(['run_start', 'run_end', 'pre_compact', 'post_compact', 'user_prompt_submit', 'config_change'] as const),
] as const

/** A lifecycle event. */
export type HookEvent = (typeof HOOK_EVENTS)[number]

/** A configured hook: a shell command on an event. */
export interface HookConfig {
  readonly event: HookEvent
  /** Only for this tool (or class of tools). */
  readonly matcher?: string | undefined
  /** Placeholders: {tool_name} {session_id} {workspace} {tool_input}. */
  readonly command: string
  /** Default 10. */
  readonly timeout_secs?: number
  /** Every end but exit 0 denies the operation. */
  readonly blocking?: boolean
}

/** The context of the hooks; each field in either spelling. */
export interface HookRegistryContext {
  readonly sessionId?: string | undefined
  readonly session_id?: string | undefined
  readonly toolName?: string | null | undefined
  readonly tool_name?: string | null | undefined
  readonly toolInput?: unknown
  readonly tool_input?: unknown
  readonly workspace?: string | undefined
}

/** The result of one hook. */
export interface HookResult {
  /** -1 when it was not started, was killed, or timed out. */
  readonly exitCode: number
  readonly stdout: string
  readonly stderr: string
  readonly timedOut: boolean
}

/** A blocking hook denied the operation. */
export class HookDenied extends Error {
  override readonly name = 'HookDenied'

  /** As a sentence; `message` is what the hook says. */
  override toString(): string {
    return `hook blocked operation: ${this.message}`
  }
}

/**
 * Command hooks on lifecycle events.
 * @example
 * const registry = HookRegistry.fromConfigs([{ event: 'pre_tool_use', matcher: 'bash', command: './check.sh', blocking: true }])
 * await registry.checkBlocking('pre_tool_use', { sessionId: 's1', toolName: 'bash', toolInput: { command: 'ls' } })
 */
export class HookRegistry {
  readonly #configs: readonly Required<HookConfig>[]
  // The same hooks twice: in `log` all of them run, in `enforce` the first denial ends it.
  readonly #all: HookEngine
  readonly #guarded: HookEngine
  readonly #runs = new Map<string, Run[]>()

  constructor(configs: readonly HookConfig[] = []) {
    if (!Array.isArray(configs)) throw invalid('The hooks', 'a list', configs)
    this.#configs = configs.map(readHookConfig)
    const options = { maxHooksPerPoint: Math.max(50, configs.length), sink: () => undefined }
    this.#all = new HookEngine({ ...options, mode: 'log' })
    this.#guarded = new HookEngine({ ...options, mode: 'enforce' })
    for (const [index, config] of this.#configs.entries()) this.#add(config, `${config.event}#${index + 1}`)
    this.#all.swap(this.#guarded.table)
  }

  /** A registry of these hooks; they run in this order. */
  static fromConfigs(configs: readonly HookConfig[]): HookRegistry {
    return new HookRegistry(configs)
  }

  /** The hooks, with their defaults filled in. */
  get configs(): readonly Required<HookConfig>[] {
    return this.#configs
  }

  len(): number {
    return this.#configs.length
  }

  isEmpty(): boolean {
    return this.#configs.length === 0
  }

  /** Runs every hook of the event, one after another, and gives all results in order. */
  async fire(event: HookEvent, context: HookRegistryContext = {}): Promise<HookResult[]> {
    return (await this.#dispatch(this.#all, event, context)).results
  }

  /**
   * Runs the hooks of the event until one that is `blocking` denies it, which throws HookDenied. Gives the results, so
   * that the caller need not `fire` the same step again: each hook runs once.
   */
  async checkBlocking(event: HookEvent, context: HookRegistryContext = {}): Promise<HookResult[]> {
    const { results, denial } = await this.#dispatch(this.#guarded, event, context)
    if (denial !== undefined) throw new HookDenied(denial)
    return results
  }

  #add(config: Required<HookConfig>, name: string): void {
    const { event, matcher, command, timeout_secs, blocking } = config
    const handler = commandHandler({ command, blocking, timeoutMs: timeout_secs * 1000 }, (finished, step) => {
      this.#runs.get(step.id)?.push({ name, finished, config })
    })
    const match = matcher === undefined ? {} : { match: { tool: matcher } }
    // What is not blocking is only ever watched, whatever its exit code.
    this.#guarded.register(event, handler as never, { name, ...match, ...(blocking ? {} : { mode: 'log' as const }) })
  }

  async #dispatch(engine: HookEngine, event: HookEvent, context: HookRegistryContext) {
    const { session, workspace, tool, args } = readContext(context)
    const id = newId()
    const runs: Run[] = []
    this.#runs.set(id, runs)
    try {
      const data = { ...(tool !== undefined && { tool }), ...(args !== undefined && { args }) }
      const { blocked, hook, reason } = await engine.dispatch(event, data as never, { id, session, workspace })
      const denier = runs.find((run) => run.name === hook)
      return { results: runs.map(toHookResult), denial: blocked ? denialMessage(denier, reason) : undefined }
    } finally {
      this.#runs.delete(id)
    }
  }
}

const SPELLINGS = { session: ['sessionId', 'session_id'], tool: ['toolName', 'tool_name'] } as const
const INPUT_SPELLINGS = ['toolInput', 'tool_input'] as const

// An unknown key is an error: a matcher would otherwise never see the tool.
function readContext(context: HookRegistryContext) {
  const known = [...SPELLINGS.session, ...SPELLINGS.tool, ...INPUT_SPELLINGS, 'workspace']
  rejectUnknownOptions(context, known, 'The context of a hook')
  const readText = (keys: readonly (keyof HookRegistryContext)[]): string | undefined => {
    const given = readOnce(context, keys)
    if (given !== undefined && typeof given !== 'string') throw invalid(keys.join(' or '), 'a text', given)
    return given
  }
  return {
    session: readText(SPELLINGS.session),
    tool: readText(SPELLINGS.tool),
    workspace: readText(['workspace']),
    args: readOnce(context, INPUT_SPELLINGS),
  }
}

// The value under one of the spellings. Two values would leave open which of them counts.
function readOnce(context: HookRegistryContext, keys: readonly (keyof HookRegistryContext)[]): unknown {
  const given = keys.filter((key) => context[key] !== undefined && context[key] !== null)
  if (given.length > 1) {
    throw new ArcError('ARC_OPTION_INVALID', `${given.join(' and ')} are the same field of the context; give one.`)
  }
  const [key] = given
  return key === undefined ? undefined : context[key]
}

/** Checks a hook's configuration and fills in its defaults. */
export function readHookConfig(given: unknown): Required<HookConfig> {
  if (!isRecord(given)) throw invalid('A hook', 'an object', given)
  rejectUnknownOptions(given, ['event', 'matcher', 'command', 'timeout_secs', 'blocking'], 'A hook')
  const { event, matcher, command, timeout_secs = 10, blocking = false } = given as unknown as HookConfig
  if (!HOOK_EVENTS.includes(event)) throw invalid('event', `one of ${HOOK_EVENTS.join(', ')}`, event)
  const hasMatcher = matcher !== undefined && matcher !== null
  if (hasMatcher && typeof matcher !== 'string') throw invalid('matcher', 'the name of a tool', matcher)
  if (typeof command !== 'string') throw invalid('command', 'a line for the shell', command)
  if (!Number.isFinite(timeout_secs) || timeout_secs <= 0) throw invalid('timeout_secs', 'greater than 0', timeout_secs)
  if (typeof blocking !== 'boolean') throw invalid('blocking', 'true or false', blocking)
  return { event, matcher: hasMatcher ? matcher : undefined, command, timeout_secs, blocking }
}

function invalid(what: string, expected: string, given: unknown): ArcError {
  return new ArcError('ARC_OPTION_INVALID', `${what} must be ${expected}, not ${show(given)}.`)
}

interface Run {
  readonly name: string
  readonly finished: Finished
  readonly config: Required<HookConfig>
}

// A hook that exits cleanly denies by its verdict, every other by its stderr or by how it ended.
function denialMessage(run: Run | undefined, reason: string | undefined): string {
  if (run === undefined) return reason ?? 'denied'
  const { ending } = run.finished
  if (ending.kind === 'exit' && ending.code === 0) return reason ?? 'denied'
  return describeEnding(run.finished, { options: run.config, limitMs: run.config.timeout_secs * 1000 })
}

function toHookResult({ finished: { ending, stdout, stderr } }: Run): HookResult {
  return {
    exitCode: ending.kind === 'exit' ? ending.code : -1,
    stdout: stdout.text,
    stderr: ending.kind === 'not-started' ? `failed to start hook: ${ending.why}` : stderr.text,
    timedOut: ending.kind === 'timeout',
  }
}
