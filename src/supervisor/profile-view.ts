// A profile for display: every effective setting, its origin, and the problems.

import type { Config, NotifyTarget } from '../config/config.ts'
import type { Layer } from '../config/layers.ts'
import type { Loaded } from '../config/load.ts'
import { formatKey, type Problem } from '../config/problem.ts'
import { isRecord } from '../engine/plain-data.ts'
import type { ProfileHome } from './profile-home.ts'

/** An effective setting. */
interface ShownSetting {
  readonly key: string
  readonly value: unknown
  /** `file:line`, or `default`. */
  readonly from: string
}

/** The summary of a profile. */
export interface ProfileSummary {
  readonly name: string
  /** Absent for a profile without a file. */
  readonly file?: string
  readonly inUse: boolean
  readonly enforcement: string
  readonly tool?: string
  /** Whether its last good state is used because its files are bad. */
  readonly isStale: boolean
  readonly problems: readonly Problem[]
}

/** A profile with every setting. */
export interface ShownProfile extends ProfileSummary {
  readonly settings: readonly ShownSetting[]
}

/** The summary of a profile. */
export function summarize(profiles: ProfileHome, name: string, active = profiles.active): ProfileSummary {
  return buildSummary(profiles, name, active, profiles.load(name))
}

/** A profile with all its settings. */
export function showProfile(profiles: ProfileHome, name: string): ShownProfile {
  const loaded = profiles.load(name)
  return { ...buildSummary(profiles, name, profiles.active, loaded), settings: listSettings(loaded) }
}

function buildSummary(profiles: ProfileHome, name: string, active: string, loaded: Loaded): ProfileSummary {
  const file = profiles.findFile(name)
  const { config, stale, problems } = loaded
  return {
    name,
    ...(file !== undefined && { file }),
    inUse: name === active,
    enforcement: config.enforcement,
    ...(config.tool !== undefined && { tool: config.tool }),
    isStale: stale.length > 0,
    problems,
  }
}

function listSettings({ config, layers }: Loaded): ShownSetting[] {
  const plain = plainSettings(config).map(([path, value]) => ({
    key: formatKey(path),
    value,
    from: origin(path, layers),
  }))
  const commands = config.commands.map(({ name, point, tool, command, origin: { file, line } }, index) => {
    const at = tool === undefined ? point : `${point}:${tool}`
    return { key: `commands[${index}]`, value: { name, at, command }, from: `${file}:${line}` }
  })
  const scripts = config.scripts.map(({ file, origin: from }, index) => {
    return { key: `scripts[${index}]`, value: file, from: `${from.file}:${from.line}` }
  })
  return [...plain, ...commands, ...scripts]
}

type Plain = readonly (readonly [path: readonly string[], value: unknown])[]

function plainSettings(config: Config): Plain {
  const { enforcement, tool, headless, errorBehavior, timeoutMs, maxHooksPerPoint, hooks, breaker, risk } = config
  const { daemon, approvals, notify, permissions } = config
  const named = Object.entries(hooks).flatMap(([name, { timeoutMs: timeout, ...others }]) => {
    return Object.entries({ ...others, timeout }).map(([key, value]) => [['hooks', name, key], value] as const)
  })
  const all: Plain = [
    [['enforcement'], enforcement],
    [['tool'], tool],
    [['headless'], headless],
    [['hooks', 'errorBehavior'], errorBehavior],
    [['hooks', 'timeout'], timeoutMs],
    [['hooks', 'maxHooksPerPoint'], maxHooksPerPoint],
    ...named,
    [['breaker', 'failureThreshold'], breaker.failureThreshold],
    [['breaker', 'cooldownMs'], breaker.cooldownMs],
    [['risk', 'floor'], risk.floor],
    [['daemon', 'onDemand'], daemon.onDemand],
    [['daemon', 'idleMs'], daemon.idleMs],
    [['approvals', 'lifetimeMs'], approvals.lifetimeMs],
    [['approvals', 'waitMs'], approvals.waitMs],
    [['approvals', 'unattendedWaitMs'], approvals.unattendedWaitMs],
    [['permissions'], permissions.granted],
    [['notify'], notify.length === 0 ? undefined : notify.map(hideSecret)],
  ]
  return all.filter(([, value]) => value !== undefined)
}

function hideSecret(target: NotifyTarget): NotifyTarget {
  return typeof target === 'string' || target.secret === undefined ? target : { ...target, secret: '[hidden]' }
}

// The last file that sets the key wins.
function origin(path: readonly string[], layers: readonly Layer[]): string {
  const layer = layers.findLast(({ file: { source } }) => isGiven(source.value, path))
  if (layer === undefined) return 'default'
  const { source } = layer.file
  return `${source.file}:${source.at(path).line}`
}

function isGiven(value: unknown, [key, ...rest]: readonly string[]): boolean {
  if (key === undefined) return value !== undefined
  return isRecord(value) && Object.hasOwn(value, key) && isGiven(value[key], rest)
}
