// The last known strictness of each profile. Where files are missing or bad, the configuration is raised to it, so that a
// lost file never lowers the mode.

import { isDeepStrictEqual } from 'node:util'
import type { OnError } from '../engine/degradation.ts'
import { didYouMean } from '../engine/errors.ts'
import { isAtLeast, MODES, type Mode } from '../engine/mode.ts'
import { isRecord } from '../engine/plain-data.ts'
import { BUILT_IN_HOOKS } from './built-in-hooks.ts'
import { serializeContent } from './command-list.ts'
import { type Config, effectiveOnError, type HookSettings, hookSettings } from './config.ts'
import { serializeException } from './exception-list.ts'
import { commonPermissions, type Permissions } from './permissions.ts'

/** The settings that decide how strict a configuration is. */
export interface Strictness {
  readonly enforcement: Mode
  readonly floor: boolean
  readonly errorBehavior: OnError
  /** The hooks that a file configures; all others have their defaults. */
  readonly hooks: Readonly<Record<string, HookSettings>>
  /** The granted permissions, where a file has a list. */
  readonly permissions?: readonly string[] | undefined
}

/** The strictness record of a home. */
export interface StrictnessRecord {
  /** The profile that the configuration chose. */
  readonly profile: string
  /** The strictness of each profile at its last good load. */
  readonly profiles: Readonly<Record<string, Strictness>>
}

/** The store of the record. */
export interface StrictnessStore {
  get(): StrictnessRecord | undefined
  /** May throw when the record cannot be written. */
  set(record: StrictnessRecord): void
}

/** The strictness of a configuration. */
export function readStrictness({ enforcement, risk, errorBehavior, hooks, permissions }: Config): Strictness {
  const { granted } = permissions
  return { enforcement, floor: risk.floor, errorBehavior, hooks, ...(granted && { permissions: granted }) }
}

/** The configuration raised to this strictness. The same object when it is strict enough. */
export function raiseTo(config: Config, facts: Strictness): Config {
  const raised: Config = {
    ...config,
    enforcement: strictestMode(config.enforcement, facts.enforcement),
    errorBehavior: strictestOnError(config.errorBehavior, facts.errorBehavior),
    risk: { ...config.risk, floor: config.risk.floor || facts.floor },
    hooks: raiseHooks(config, facts),
    permissions: raisePermissions(config.permissions, facts.permissions),
  }
  return isDeepStrictEqual(raised, config) ? config : raised
}

/**
 * The configuration raised to another one; also adds its command hooks and scripts, under free names. Only the exceptions
 * and permissions of both stay.
 */
export function raiseToConfig(config: Config, other: Config): Config {
  const allowed = new Set(other.exceptions.map(serializeException))
  const exceptions = config.exceptions.filter((exception) => allowed.has(serializeException(exception)))
  const permissions = commonPermissions(config.permissions, other.permissions)
  const raised = raiseTo({ ...config, exceptions, permissions }, readStrictness(other))
  const contents = new Set(config.commands.map(serializeContent))
  const names = new Set(config.commands.map(({ name }) => name))
  const files = new Set(config.scripts.map(({ file }) => file))
  const commands = other.commands
    .filter((command) => !contents.has(serializeContent(command)))
    .map((command) => (names.has(command.name) ? { ...command, name: `${command.name} (${other.profile})` } : command))
  const scripts = other.scripts.filter(({ file }) => !files.has(file))
  if (commands.length + scripts.length === 0) return raised
  return { ...raised, commands: [...raised.commands, ...commands], scripts: [...raised.scripts, ...scripts] }
}

/** The stricter of two modes. */
export function strictestMode(one: Mode, other: Mode): Mode {
  return isAtLeast(one, other) ? one : other
}

const STRICTNESS: Readonly<Record<OnError, number>> = { skip: 0, log: 1, abort: 2 }

function strictestOnError(one: OnError, other: OnError): OnError {
  return STRICTNESS[one] >= STRICTNESS[other] ? one : other
}

// A record without a list may be older than the key: it removes nothing.
function raisePermissions(current: Permissions, granted: Strictness['permissions']): Permissions {
  return granted === undefined ? current : commonPermissions(current, { granted, removed: [] })
}

// A hook without settings has its defaults, so only configured hooks are compared.
function raiseHooks(config: Config, facts: Strictness): Config['hooks'] {
  const isLost = ({ options, messages }: HookSettings): boolean => options !== undefined || messages === 'hold'
  const lost = Object.keys(facts.hooks).filter((name) => isBuiltIn(name) && isLost(facts.hooks[name] ?? {}))
  const names = new Set([...Object.keys(config.hooks), ...lost])
  return Object.fromEntries([...names].map((name) => [name, raiseHook(name, config, facts)]))
}

function raiseHook(name: string, config: Config, facts: Strictness): HookSettings {
  const { options: given, ...mine } = hookSettings(config, name)
  const known = (Object.hasOwn(facts.hooks, name) ? facts.hooks[name] : undefined) ?? {}
  const before = effectiveOnError({ ...config, hooks: facts.hooks, errorBehavior: facts.errorBehavior }, name)
  const options = isBuiltIn(name) ? known.options : given
  return {
    ...mine,
    ...(mine.enabled === false && known.enabled !== false && { enabled: true }),
    ...(mine.mode !== undefined && { mode: strictestMode(mine.mode, known.mode ?? 'enforce') }),
    ...(mine.onError !== undefined && { onError: strictestOnError(mine.onError, before) }),
    ...(options !== undefined && { options }),
    ...(known.messages === 'hold' && { messages: 'hold' as const }),
  }
}

// Options of built-in hooks cannot be compared by strictness: the last known ones apply.
function isBuiltIn(name: string): boolean {
  return Object.hasOwn(BUILT_IN_HOOKS, name)
}

/** Reads a stored record; undefined when it is invalid. */
export function parseStrictnessRecord(value: unknown): StrictnessRecord | undefined {
  if (!isRecord(value) || typeof value.profile !== 'string' || !isRecord(value.profiles)) return undefined
  const profiles = Object.entries(value.profiles).filter((entry): entry is [string, Strictness] => isFacts(entry[1]))
  return { profile: value.profile, profiles: Object.fromEntries(profiles) }
}

function isFacts(value: unknown): value is Strictness {
  if (!isRecord(value)) return false
  const { enforcement, floor, errorBehavior, hooks, permissions } = value
  if (permissions !== undefined && !Array.isArray(permissions)) return false
  const isMode = typeof enforcement === 'string' && Object.hasOwn(MODES, enforcement)
  const isPolicy = typeof errorBehavior === 'string' && Object.hasOwn(STRICTNESS, errorBehavior)
  return isMode && isPolicy && typeof floor === 'boolean' && isRecord(hooks) && Object.values(hooks).every(isRecord)
}

/** Merges two copies of the record: the stricter entry of each profile. */
export function mergeStrictnessRecords(
  one: StrictnessRecord | undefined,
  other: StrictnessRecord | undefined,
): StrictnessRecord | undefined {
  if (one === undefined || other === undefined) return one ?? other
  const profiles: Record<string, Strictness> = { ...other.profiles }
  for (const [name, facts] of Object.entries(one.profiles)) {
    const twin = Object.hasOwn(other.profiles, name) ? other.profiles[name] : undefined
    profiles[name] = twin === undefined || isAtLeast(facts.enforcement, twin.enforcement) ? facts : twin
  }
  return { profile: one.profile, profiles }
}

const MODE_IN_TEXT = /(?:^|[\s{,"'])enforcement["']?\s*[:=]\s*["']?(off|log|advise|warn|enforce)\b/g

/** The strictest mode in a text that cannot be parsed. */
export function modeInText(text: string): Mode | undefined {
  const modes = [...text.matchAll(MODE_IN_TEXT)].map(([, word]) => (word === 'warn' ? 'advise' : (word as Mode)))
  return modes.length === 0 ? undefined : modes.reduce(strictestMode)
}

/** The mode nearest to a misspelt word; the strictest when none is near. */
export function nearestMode(given: unknown): Mode {
  const word = String(given).trim().toLowerCase()
  const exact = Object.keys(MODES).find((mode) => mode === word)
  const near = Object.keys(MODES).find((mode) => didYouMean(word, Object.keys(MODES)).includes(`"${mode}"`))
  return (exact ?? near ?? 'enforce') as Mode
}
