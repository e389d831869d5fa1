// The form of a built-in hook, and a built-in hook with its settings. Each hook is one file in this folder, listed in
// list.ts.

import type * as z from 'zod'
import { BUILT_IN_HOOKS, type BuiltInName } from '../../config/built-in-hooks.ts'
import type { HookSettings } from '../../config/config.ts'
import type { OnError } from '../../engine/degradation.ts'
import { ArcError, show } from '../../engine/errors.ts'
import type { HookObject } from '../../engine/hook.ts'
import type { SupervisionServices } from './services.ts'

/** A built-in hook before it is configured. */
export interface BuiltIn<Options = unknown> {
  readonly name: string
  readonly priority: number
  readonly points: readonly string[]
  /** One line for the table in the docs. */
  readonly summary: string
  /** Never lowered by the breaker: for deterministic hooks. */
  readonly critical: boolean
  /** What a failure of the hook means; undefined for the profile's default. */
  readonly onError: OnError | undefined
  /** The default time limit of the hook; the engine's when absent. */
  readonly timeoutMs?: number
  /** The schema of `options` in the hook's entry of a profile. */
  readonly options: z.ZodType<Options>
  create(options: Options, services: SupervisionServices): BuiltInParts
}

/**
 * The code of a built-in hook. `alwaysBlocks` is dropped where the profile sets `risk.floor: false`; `points` is set
 * where the options leave some of the hook's points without work.
 */
export type BuiltInParts = Pick<HookObject, 'check' | 'inject' | 'match' | 'alwaysBlocks' | 'points' | 'rechecksEdits'>

/** Declares a built-in hook. Its failure policy is in `BUILT_IN_HOOKS`. */
export function builtIn<Options>(
  hook: Omit<BuiltIn<Options>, 'onError'> & { readonly name: BuiltInName },
): BuiltIn<Options> {
  return { ...hook, onError: BUILT_IN_HOOKS[hook.name] }
}

/** The code of a hook with these options. Throws when the options cannot be used. */
export function createParts(builtIn: BuiltIn, options: unknown = {}, services: SupervisionServices): BuiltInParts {
  return builtIn.create(readOptions(builtIn, options), services)
}

/** The settings of a built-in hook in a pipeline. */
export interface BuiltInSettings {
  readonly settings: HookSettings
  /** Used where neither the settings nor the hook has a value; the engine's default when absent. */
  readonly defaults?: Pick<HookSettings, 'onError' | 'timeoutMs'>
  /** `risk.floor` of the profile. */
  readonly hasFloor: boolean
}

/** A built-in hook with its settings, ready to register. */
export function toHookObject(
  builtIn: BuiltIn,
  { alwaysBlocks, ...parts }: BuiltInParts,
  { settings, defaults = {}, hasFloor }: BuiltInSettings,
): HookObject {
  const { name, priority, points, critical } = builtIn
  const { mode } = settings
  const onError = settings.onError ?? builtIn.onError ?? defaults.onError
  const timeoutMs = settings.timeoutMs ?? builtIn.timeoutMs ?? defaults.timeoutMs
  return {
    name,
    priority,
    points,
    critical,
    // The same action at another of its points is no reason to check it twice.
    oncePerAction: true,
    ...parts,
    ...(onError !== undefined && { onError }),
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(mode !== undefined && { mode }),
    ...(alwaysBlocks !== undefined && hasFloor && { alwaysBlocks }),
  }
}

function readOptions({ name, options }: BuiltIn, given: unknown): unknown {
  const read = options.safeParse(given)
  if (read.success) return read.data
  const [issue] = read.error.issues
  const where = ['options', ...(issue?.path ?? [])].join('.')
  throw new ArcError('ARC_OPTION_INVALID', `${where} of hook ${show(name)} cannot be used: ${issue?.message}.`)
}
