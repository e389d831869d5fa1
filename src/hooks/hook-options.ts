// Checks the `options` of built-in hooks with each hook's schema while the file is read, so that a mistake is reported
// with its position and the last good state stays active.

import type * as z from 'zod'
import { BUILT_IN_HOOKS } from '../config/built-in-hooks.ts'
import type { OptionMistake } from '../config/loaded.ts'
import { ArcError, describe, didYouMean, show } from '../engine/errors.ts'
import { MemoryStateStore } from '../storage/memory/state-store.ts'
import type { BuiltIn } from './builtin/built-in.ts'
import { dryRunServices } from './pipeline-services.ts'

/** Checks options by the name of the hook. Commands have none; options of hooks outside this pipeline are not checked. */
export function createOptionCheck(builtIns: readonly BuiltIn[]) {
  const byName = new Map(builtIns.map((builtIn) => [builtIn.name, builtIn]))
  return (name: string, options: unknown): readonly OptionMistake[] => {
    const builtIn = byName.get(name)
    if (builtIn === undefined && Object.hasOwn(BUILT_IN_HOOKS, name)) return []
    if (builtIn === undefined) return [{ path: [], message: `the hook ${show(name)} takes no options.` }]
    const read = builtIn.options.safeParse(options)
    if (!read.success) return read.error.issues.flatMap((issue) => toMistakes(issue, builtIn.options))
    return tryCreate(builtIn, read.data)
  }
}

// Some mistakes show only when the hook is created: an invalid URL, a command without a safe form.
function tryCreate(builtIn: BuiltIn, options: unknown): readonly OptionMistake[] {
  try {
    builtIn.create(options, dryRunServices(new MemoryStateStore()))
    return []
  } catch (error) {
    return [{ path: [], message: error instanceof ArcError ? error.message : describe(error) }]
  }
}

function toMistakes(issue: z.core.$ZodIssue, schema: z.ZodType): OptionMistake[] {
  if (issue.code !== 'unrecognized_keys') return [{ path: issue.path, message: `${issue.message}.` }]
  const known = issue.path.length === 0 ? listKeys(schema) : []
  return issue.keys.map((key) => ({
    path: [...issue.path, key],
    message: `there is no option ${show(key)}.${didYouMean(key, known)}`,
  }))
}

function listKeys(schema: z.ZodType): readonly string[] {
  const { shape } = schema as { readonly shape?: object }
  return typeof shape === 'object' ? Object.keys(shape) : []
}
