// The effective configuration as plain data: its types, its defaults, and the two lookups that are safe for any hook name.

import type { OnError } from '../engine/degradation.ts'
import type { Mode } from '../engine/mode.ts'
import type { ArmaScript } from './arma/compile-script.ts'
import { BUILT_IN_HOOKS } from './built-in-hooks.ts'
import { NO_PERMISSIONS, type Permissions } from './permissions.ts'
import type { Position } from './position.ts'

/** Settings of one hook; an absent key has the default. */
export interface HookSettings {
  readonly enabled?: boolean | undefined
  readonly timeoutMs?: number | undefined
  readonly mode?: Mode | undefined
  readonly onError?: OnError | undefined
  readonly options?: Readonly<Record<string, unknown>> | undefined
  /** Of risk-detection: whether messages of people are only rated, or also held and blocked; default `rate`. */
  readonly messages?: 'rate' | 'hold' | undefined
}

/** The layer of an entry. */
export type LayerName = 'user' | 'project'

/** The origin of an entry. */
export interface Origin extends Position {
  readonly layer: LayerName
  readonly file: string
}

/** A command hook as plain data. */
export interface CommandHook {
  /** Given, or built from the program and the point; unique at its point. */
  readonly name: string
  readonly point: string
  /** Only for this tool or tool class. */
  readonly tool: string | undefined
  readonly command: string | readonly string[]
  readonly timeoutMs: number
  readonly blocking: boolean
  readonly priority: number | undefined
  readonly onError: OnError | undefined
  readonly critical: boolean
  readonly origin: Origin
}

/** A `.arma` script, compiled. */
export interface Script {
  readonly file: string
  readonly script: ArmaScript
  /** The hash of the compiled text. */
  readonly sha256: string
  readonly origin: Origin
}

/** What the user allowed: it would be held or blocked, and may run all the same. Times are wall-clock milliseconds. */
export interface Exception {
  readonly id: number
  readonly kind: 'exact' | 'rule'
  readonly rules: readonly string[]
  /** The real path of the project; for a rule, of the folder. */
  readonly project: string
  readonly command?: string | undefined
  readonly folder?: string | undefined
  readonly digest?: string | undefined
  readonly reason?: string | undefined
  readonly by?: string | undefined
  readonly createdAt?: number | undefined
  readonly expiresAt?: number | undefined
  readonly origin: Origin
}

/** The settings of the trace. Only the user's own files set them. */
interface TraceSettings {
  /** Further places for anchors of the trace, beside the home and the system log. */
  readonly anchors: readonly string[]
  /** What is kept; null for no limit. */
  readonly keep: { readonly days: number | null; readonly bytes: number | null }
  /** The folder for archives of what is removed. */
  readonly archive: string | undefined
}

/** The time limits of approvals. Only the user's own files set them. */
interface ApprovalSettings {
  /** How long a question can be answered, and an approval used. */
  readonly lifetimeMs: number
  /** How long a call waits for an answer where the agent has no prompt for it. */
  readonly waitMs: number
  /** The same where the agent asks no person: a headless run, or a mode that bypasses permissions. */
  readonly unattendedWaitMs: number
}

/** Where a message about a held step goes. */
export type NotifyTarget = 'desktop' | 'bell' | WebhookTarget

/** An address that takes POST, and the secret that signs the messages. */
export interface WebhookTarget {
  readonly url: string
  readonly secret?: string | undefined
}

/** The effective configuration: plain data, from which the pipeline is built. */
export interface Config {
  readonly profile: string
  /** The agent that the profile launches. */
  readonly tool: string | undefined
  /** The command that answers one prompt from stdin to stdout: a line for sh, or a program and its arguments. */
  readonly headless: string | readonly string[] | undefined
  readonly enforcement: Mode
  readonly errorBehavior: OnError
  readonly timeoutMs: number
  readonly maxHooksPerPoint: number
  /** Settings by the name of the hook. Read it with `hookSettings`. */
  readonly hooks: Readonly<Record<string, HookSettings>>
  readonly commands: readonly CommandHook[]
  readonly scripts: readonly Script[]
  readonly breaker: { readonly failureThreshold: number; readonly cooldownMs: number }
  readonly risk: { readonly floor: boolean }
  /** Whether hooks start a daemon, and after how long an unused one stops. */
  readonly daemon: { readonly onDemand: boolean; readonly idleMs: number }
  readonly trace: TraceSettings
  readonly approvals: ApprovalSettings
  /** How a person is notified of a step that waits for approval. Only the user's own files set it. */
  readonly notify: readonly NotifyTarget[]
  /** Whether a step runs that cannot be recorded; undefined: `deny` in enforce, `allow` in the other modes. */
  readonly onUnrecorded: OnUnrecorded | undefined
  /** What the user allowed. Only the user's own files have exceptions. */
  readonly exceptions: readonly Exception[]
  /** What `/perms check` of scripts grants. A project can only remove some. */
  readonly permissions: Permissions
}

export type OnUnrecorded = 'allow' | 'deny'

/** The defaults. */
export const DEFAULTS: Config = Object.freeze({
  profile: 'default',
  tool: undefined,
  headless: undefined,
  enforcement: 'log',
  errorBehavior: 'log',
  timeoutMs: 5_000,
  maxHooksPerPoint: 50,
  hooks: {},
  commands: [],
  scripts: [],
  breaker: { failureThreshold: 3, cooldownMs: 60_000 },
  risk: { floor: true },
  daemon: { onDemand: true, idleMs: 1_800_000 },
  trace: { anchors: [], keep: { days: 90, bytes: 2_000_000_000 }, archive: undefined },
  approvals: { lifetimeMs: 600_000, waitMs: 55_000, unattendedWaitMs: 10_000 },
  notify: [],
  onUnrecorded: undefined,
  exceptions: [],
  permissions: NO_PERMISSIONS,
})

/** The settings of a hook, safe for any name. */
export function hookSettings(config: Config, name: string): HookSettings {
  return (Object.hasOwn(config.hooks, name) ? config.hooks[name] : undefined) ?? {}
}

/** The failure policy of a hook in this configuration. */
export function effectiveOnError(config: Config, name: string): OnError {
  const guards: Readonly<Record<string, OnError | undefined>> = BUILT_IN_HOOKS
  const builtIn = Object.hasOwn(guards, name) ? guards[name] : undefined
  return hookSettings(config, name).onError ?? builtIn ?? config.errorBehavior
}
