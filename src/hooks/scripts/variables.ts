// The value of `$name` in a script: from `/set` lines, then the step's data, facts and metadata.

import { type ArmaHook, fill, type Template } from '../../config/arma/compile-script.ts'
import type { Part } from '../../config/arma/lex.ts'
import { ArcError, show } from '../../engine/errors.ts'
import { isRecord } from '../../engine/plain-data.ts'
import type { Step } from '../../engine/step.ts'

/** The value of a variable by its name, dotted names included. */
export type Lookup = (name: string) => string | undefined

/** The variable with the granted permissions. */
export const PERMISSIONS_VARIABLE = 'permissions'

const FACTS = ['point', 'session', 'turn', 'agent', 'source', 'workspace', 'host', 'profile', 'id'] as const

// A line that uses a variable twice doubles it: without a limit, thirty of them fill any memory.
const MAX_VALUE_CHARS = 1_000_000
const MAX_PARTS = 1_000

/** What the variables of a script are read from. */
export interface ScriptScope {
  readonly step: Step
  readonly timeMs: number
  /** The value of `$permissions`; a field of the step cannot replace it. */
  readonly permissions?: readonly string[] | undefined
}

/** The variables of one hook on one step. */
export function createLookup({ variables }: ArmaHook, scope: ScriptScope): Lookup {
  const given = new Map<string, string>()
  const look: Lookup = (name) => given.get(name) ?? valueOnStep(scope, name)
  // In order: a later line may use an earlier one.
  for (const { name, value } of variables) {
    const text = fill(value, look)
    if (text.length > MAX_VALUE_CHARS) throw tooLarge(name, `${MAX_VALUE_CHARS} characters`)
    given.set(name, text)
  }
  return look
}

/** The arguments of a hook with what `/set` lines gave written out; only what the step knows is left as variables. */
export function withoutGiven({ args, variables }: ArmaHook): readonly Template[] {
  const given = new Map<string, Template>()
  const expand = (template: Template, name: string): Template => {
    const parts: Part[] = []
    for (const part of template) {
      parts.push(...('variable' in part ? (given.get(part.variable) ?? [part]) : [part]))
      if (parts.length > MAX_PARTS) throw tooLarge(name, `${MAX_PARTS} parts`)
    }
    return parts
  }
  for (const { name, value } of variables) given.set(name, expand(value, name))
  return args.map((template) => expand(template, '/run'))
}

function tooLarge(name: string, most: string): ArcError {
  return new ArcError('ARC_OPTION_INVALID', `What the script puts into ${show(name)} has more than ${most}: set less.`)
}

/** A value as text; nothing for what is not there. */
export function valueOnStep({ step, timeMs, permissions }: ScriptScope, name: string): string | undefined {
  if (name === PERMISSIONS_VARIABLE) return permissions?.join(' ')
  const path = name.split('.')
  const facts = Object.fromEntries(FACTS.map((fact) => [fact, step[fact]]))
  const places: readonly unknown[] = [step.data, facts, { time: new Date(timeMs).toISOString() }, step.metadata]
  for (const place of places) {
    const value = at(place, path)
    if (value !== undefined && value !== null) return typeof value === 'object' ? JSON.stringify(value) : String(value)
  }
  return undefined
}

function at(place: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((inner, key) => {
    const isInside = typeof inner === 'object' && inner !== null && Object.hasOwn(inner, key)
    return isInside ? (inner as Record<string, unknown>)[key] : undefined
  }, place)
}

/** A copy of data with one field changed, however deep; what is missing on the way is made. */
export function withField(data: object, path: readonly string[], value: unknown): Record<string, unknown> {
  const [key = '', ...rest] = path
  const inner = Object.hasOwn(data, key) ? (data as Record<string, unknown>)[key] : undefined
  const changed = rest.length === 0 ? value : withField(isRecord(inner) ? inner : {}, rest, value)
  return { ...data, [key]: changed }
}
