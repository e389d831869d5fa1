// The form of a hook that ARC brings along: each is one file in hooks/, listed in default-pipeline.ts.

import type * as z from 'zod'
import type { OnError } from '../../engine/degradation.ts'
import type { HookObject } from '../../engine/hook.ts'
import type { SupervisionServices } from './services.ts'

/** A built-in hook before it is configured. */
export interface BuiltIn<Options = unknown> {
  readonly name: string
  readonly priority: number
  readonly points: readonly string[]
  /** One line for the table in the docs. */
  readonly summary: string
  /** Never lowered by the breaker: what is deterministic. */
  readonly critical: boolean
  /** What its own failure means; undefined follows the profile's default. */
  readonly onError: OnError | undefined
  /** Its time limit unless the profile sets one; the engine's when absent. */
  readonly timeoutMs?: number
  /** The hook's own settings: the `options` of its entry in a profile. */
  readonly options: z.ZodType<Options>
  create(options: Options, services: SupervisionServices): BuiltInParts
}

/**
 * What a built-in hook is made of. `alwaysBlocks` is omitted when the profile sets `risk.floor: false`; `points` is given
 * where the options leave some of its points without work.
 */
export type BuiltInParts = Pick<HookObject, 'check' | 'inject' | 'match' | 'alwaysBlocks' | 'points' | 'rechecksEdits'>

/** Keeps the type of a hook's options between its schema and its code. */
export function builtIn<Options>(hook: BuiltIn<Options>): BuiltIn<Options> {
  return hook
}
