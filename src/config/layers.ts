// Merges layers of settings into one configuration: layers of the user override each other, a project's layer can only
// tighten. Pure: load.ts reads the files. Every ignored entry is reported with its position.

import type { OnError } from '../engine/degradation.ts'
import { show } from '../engine/errors.ts'
import { isAtLeast } from '../engine/mode.ts'
import { addCommands } from './command-list.ts'
import {
  type Config,
  effectiveOnError,
  type HookSettings,
  hookSettings,
  type OnUnrecorded,
  type Script,
} from './config.ts'
import { addExceptions } from './exception-list.ts'
import { grantPermissions, narrowPermissions } from './permissions.ts'
import { formatKey, type Problem, problem } from './problem.ts'
import type { Settings } from './schema.ts'
import type { ValidFile } from './validate.ts'

/** One file as a layer: its settings and its scripts. */
export interface Layer {
  readonly file: ValidFile
  readonly scripts: readonly Script[]
}

/** A configuration, and problems for the entries that were ignored. */
export interface Merged {
  readonly config: Config
  readonly problems: readonly Problem[]
}

/** Applies a file of the user: its values win, lists are appended. */
export function override(base: Config, { file, scripts }: Layer): Config {
  const { settings } = file
  const { errorBehavior, timeout, maxHooksPerPoint, named } = splitHooks(settings)
  const hooks = { ...base.hooks }
  for (const [name, given] of named) hooks[name] = { ...hookSettings(base, name), ...given }
  return {
    profile: base.profile,
    tool: settings.tool ?? base.tool,
    headless: settings.headless ?? base.headless,
    enforcement: settings.enforcement ?? base.enforcement,
    errorBehavior: errorBehavior ?? base.errorBehavior,
    timeoutMs: timeout ?? base.timeoutMs,
    maxHooksPerPoint: maxHooksPerPoint ?? base.maxHooksPerPoint,
    hooks,
    commands: addCommands(base.commands, file, 'user'),
    scripts: addScripts(base.scripts, scripts),
    breaker: { ...base.breaker, ...present(settings.breaker ?? {}) },
    risk: { ...base.risk, ...present(settings.risk ?? {}) },
    daemon: { ...base.daemon, ...present(settings.daemon ?? {}) },
    trace: {
      anchors: [...base.trace.anchors, ...(settings.trace?.anchors ?? [])],
      keep: { ...base.trace.keep, ...present(settings.trace?.keep ?? {}) },
      archive: settings.trace?.archive ?? base.trace.archive,
    },
    approvals: { ...base.approvals, ...present(settings.approvals ?? {}) },
    // The whole list: a profile can also switch notices off.
    notify: settings.notify ?? base.notify,
    onUnrecorded: settings.onUnrecorded ?? base.onUnrecorded,
    exceptions: addExceptions(base.exceptions, file),
    permissions: grantPermissions(base.permissions, settings.permissions),
  }
}

/** Applies a project's file: only stricter values are accepted, all others are reported. */
export function tighten(base: Config, { file, scripts }: Layer): Merged {
  const guard = new Tightening(file)
  const { settings } = file
  const { errorBehavior, timeout, maxHooksPerPoint, named } = splitHooks(settings)
  const strict = guard.accept(['hooks', 'errorBehavior'], errorBehavior, base.errorBehavior, isOnErrorAtLeast)
  const hooks = { ...base.hooks }
  const stricter = { ...base, errorBehavior: strict }
  for (const [name, given] of named) hooks[name] = tightenHook(guard, stricter, name, given)
  const weakest = Object.values(hooks).find(isSoft)?.onError ?? strict
  guard.refuse(['tool'], settings.tool, base.tool, 'the user chooses the agent')
  const daemon = settings.daemon && { ...base.daemon, ...present(settings.daemon) }
  guard.refuse(['daemon'], daemon, base.daemon, 'the daemon belongs to the user')
  guard.refuse(['trace'], settings.trace, undefined, 'the trace belongs to the user')
  guard.refuse(['exceptions'], settings.exceptions, undefined, 'only the user can allow something')
  const approvals = settings.approvals && { ...base.approvals, ...present(settings.approvals) }
  guard.refuse(['approvals'], approvals, base.approvals, 'approvals belong to the user')
  guard.refuse(['notify'], settings.notify, undefined, 'notices go to the user')
  guard.refuse(['headless'], settings.headless, base.headless, 'the command would run without trust')
  // A lower limit could drop hooks of the user; a higher one would loosen it.
  guard.refuse(['hooks', 'maxHooksPerPoint'], maxHooksPerPoint, base.maxHooksPerPoint, 'the limit belongs to the user')
  // A lower threshold lowers modes to log earlier; a higher one loosens the limit.
  const { failureThreshold, cooldownMs } = settings.breaker ?? {}
  guard.refuse(
    ['breaker', 'failureThreshold'],
    failureThreshold,
    base.breaker.failureThreshold,
    'it belongs to the user',
  )
  const config: Config = {
    ...base,
    enforcement: guard.accept(['enforcement'], settings.enforcement, base.enforcement, isAtLeast),
    errorBehavior: strict,
    timeoutMs: guard.acceptLimit(['hooks', 'timeout'], timeout, base.timeoutMs, weakest),
    hooks,
    commands: addCommands(base.commands, file, 'project'),
    scripts: addScripts(base.scripts, scripts),
    breaker: {
      ...base.breaker,
      cooldownMs: guard.accept(['breaker', 'cooldownMs'], cooldownMs, base.breaker.cooldownMs, isAtMost),
    },
    risk: { floor: guard.accept(['risk', 'floor'], settings.risk?.floor, base.risk.floor, isOnAtLeast) },
    onUnrecorded: guard.accept(['onUnrecorded'], settings.onUnrecorded, base.onUnrecorded, isDeniedAtLeast),
    permissions: narrowPermissions(base.permissions, settings.permissions, (index) =>
      guard.report(['permissions', index], 'only the user can grant a permission'),
    ),
  }
  return { config, problems: guard.problems }
}

function tightenHook(guard: Tightening, base: Config, name: string, given: HookSettings): HookSettings {
  const current = hookSettings(base, name)
  const path = ['hooks', name]
  guard.refuse([...path, 'options'], given.options, current.options, 'the options of a hook belong to the user')
  const onError = guard.accept([...path, 'onError'], given.onError, effectiveOnError(base, name), isOnErrorAtLeast)
  const limit = current.timeoutMs ?? base.timeoutMs
  const timeoutMs = guard.acceptLimit([...path, 'timeout'], given.timeoutMs, limit, onError)
  return {
    ...current,
    ...changed(
      'enabled',
      guard.accept([...path, 'enabled'], given.enabled, current.enabled ?? true, isOnAtLeast),
      true,
    ),
    ...changed('mode', guard.accept([...path, 'mode'], given.mode, current.mode ?? 'enforce', isAtLeast), 'enforce'),
    ...changed('onError', onError, effectiveOnError(base, name)),
    ...changed('timeoutMs', timeoutMs, limit),
    ...changed(
      'messages',
      guard.accept([...path, 'messages'], given.messages, current.messages ?? 'rate', isHeldAtLeast),
      'rate',
    ),
  } satisfies HookSettings

  // An unchanged value must keep following the defaults.
  function changed<K extends keyof HookSettings>(key: K, value: HookSettings[K], otherwise: HookSettings[K]) {
    return value === (current[key] ?? otherwise) ? {} : { [key]: value }
  }
}

/** Accepts values that are at least as strict, and reports the rest. */
class Tightening {
  readonly problems: Problem[] = []
  readonly #file: ValidFile

  constructor(file: ValidFile) {
    this.#file = file
  }

  /** The given value if it is at least as strict as the current one. */
  accept<T>(
    path: readonly string[],
    given: T | undefined,
    current: T,
    isAsStrict: (given: T, current: T) => boolean,
  ): T {
    if (given === undefined || given === current) return current
    if (isAsStrict(given, current)) return given
    this.report(path, `a project can only tighten, and ${show(given)} is looser than ${show(current)}`)
    return current
  }

  /** A shorter limit where a timeout blocks; elsewhere a shorter limit would make hooks fail and pass steps. */
  acceptLimit(path: readonly string[], given: number | undefined, current: number, onError: OnError): number {
    if (given !== undefined && given < current && onError !== 'abort') {
      const why = `a shorter limit than ${current} would make hooks fail, and a failure does not block here`
      this.report(path, `${why}; set it together with "abort" for failures`)
      return current
    }
    return this.accept(path, given, current, isAtMost)
  }

  /** Reports a value that a project may not change at all. */
  refuse(path: readonly string[], given: unknown, current: unknown, why: string): void {
    if (given === undefined || JSON.stringify(given) === JSON.stringify(current)) return
    this.report(path, `a project cannot change this, because ${why}`)
  }

  /** Reports an entry that is ignored. */
  report(path: readonly (string | number)[], why: string): void {
    const { source } = this.#file
    const key = formatKey(path)
    const position = source.at(path)
    this.problems.push(problem('looser', source.file, `${key} is ignored: ${why}.`, { key, position }))
  }
}

const STRICTNESS: Readonly<Record<OnError, number>> = { skip: 0, log: 1, abort: 2 }
const isOnErrorAtLeast = (given: OnError, current: OnError) => STRICTNESS[given] >= STRICTNESS[current]
const isAtMost = (given: number, current: number) => given <= current
const isOnAtLeast = (given: boolean, current: boolean) => given || !current
const isHeldAtLeast = (given: HookSettings['messages'], current: HookSettings['messages']) =>
  given === 'hold' || current === 'rate'
// Without a setting, enforce denies.
const isDeniedAtLeast = (given: OnUnrecorded | undefined, current: OnUnrecorded | undefined) =>
  given === 'deny' || current === 'allow'

// A hook with the default time limit whose failure does not block.
const isSoft = ({ onError = 'abort', timeoutMs }: HookSettings) => onError !== 'abort' && timeoutMs === undefined

interface SplitHooks {
  readonly errorBehavior: OnError | undefined
  readonly timeout: number | undefined
  readonly maxHooksPerPoint: number | undefined
  readonly named: readonly (readonly [string, HookSettings])[]
}

// `hooks` holds both the three defaults and the hooks by name.
function splitHooks({ hooks = {} }: Settings): SplitHooks {
  const { errorBehavior, timeout, maxHooksPerPoint, ...others } = hooks
  const named = Object.entries(others).flatMap(([name, settings]) => {
    if (settings === undefined) return []
    const { timeout: timeoutMs, ...rest } = settings
    return [[name, present({ ...rest, timeoutMs }) as HookSettings] as const]
  })
  return { errorBehavior, timeout, maxHooksPerPoint, named }
}

function addScripts(base: readonly Script[], added: readonly Script[]): readonly Script[] {
  const known = new Set(base.map(({ file }) => file))
  return [...base, ...added.filter(({ file }) => !known.has(file) && known.add(file))]
}

function present<T extends object>(given: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as never
}
