// Checks a parsed file against the schema, and words each problem: what was expected, what came, the nearest name.

import type * as z from 'zod'
import { didYouMean, show } from '../engine/errors.ts'
import { isRecord } from '../engine/plain-data.ts'
import { BUILT_IN_HOOKS } from './built-in-hooks.ts'
import type { Parsed } from './parse-text.ts'
import { formatKey, type Problem, problem } from './problem.ts'
import { type FileKind, knownKeys, SCHEMAS, type Settings } from './schema.ts'

/** A file that is valid alone: its settings, and the position of each. */
export interface ValidFile {
  readonly source: Parsed
  readonly settings: Settings
}

/** What checking gives: the settings, or every problem there is together with the entries that are good. */
export type Validated =
  | { readonly valid: ValidFile; readonly problems?: never; readonly goodEntries?: never }
  | {
      readonly valid?: never
      readonly problems: readonly Problem[]
      /** The file without its bad entries; undefined where it is no object. */
      readonly goodEntries?: ValidFile | undefined
    }

/** Checks the whole file and gives either its settings or all of its problems. */
export function validate(source: Parsed, kind: FileKind): Validated {
  const result = SCHEMAS[kind].safeParse(source.value)
  if (!result.success) {
    const problems = result.error.issues.flatMap((issue) => toProblems(issue, source, kind))
    return { problems, goodEntries: withoutBadEntries(source, kind) }
  }
  const valid = { source, settings: result.data as Settings }
  const problems = findNameClashes(valid)
  if (problems.length === 0) return { valid }
  const { commands: _commands, ...settings } = valid.settings
  return { problems, goodEntries: { source, settings } }
}

// Each round removes the entries that the schema complains about; an entry inside a list or a hook goes as a whole.
const MAX_ROUNDS = 50

function withoutBadEntries(source: Parsed, kind: FileKind): ValidFile | undefined {
  if (!isRecord(source.value)) return undefined
  const value: Record<string, unknown> = structuredClone(source.value)
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const result = SCHEMAS[kind].safeParse(value)
    if (result.success) {
      const valid = { source, settings: result.data as Settings }
      if (findNameClashes(valid).length === 0) return valid
      delete value.commands
      continue
    }
    for (const issue of result.error.issues) {
      if (issue.code === 'unrecognized_keys') for (const key of issue.keys) removeAt(value, [...issue.path, key])
      else removeAt(value, ENTRIES.includes(issue.path[0]) ? issue.path.slice(0, 2) : issue.path.slice(0, 1))
    }
    for (const [key, list] of Object.entries(value)) {
      if (Array.isArray(list)) value[key] = list.filter((entry) => entry !== undefined)
    }
  }
  return undefined
}

const ENTRIES: readonly unknown[] = ['hooks', 'commands', 'scripts', 'breaker', 'risk', 'daemon', 'extends']

function removeAt(value: Record<string, unknown>, path: readonly PropertyKey[]): void {
  const parent = valueAt(value, path.slice(0, -1))
  const last = path.at(-1)
  if (last === undefined || typeof parent !== 'object' || parent === null) return
  // In a list the place stays until the round is over, so that the other places keep their numbers.
  if (Array.isArray(parent)) parent[Number(last)] = undefined
  else delete (parent as Record<PropertyKey, unknown>)[last]
}

type Issue = z.core.$ZodIssue

function toProblems(issue: Issue, source: Parsed, kind: FileKind): Problem[] {
  if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => unknownKey(key, issue.path, source, kind))
  const { path } = issue
  const received = valueAt(source.value, path)
  const key = formatKey(path)
  const subject = key === '' ? 'The file' : key
  if (issue.code === 'custom') {
    return [problem('invalid', source.file, `${subject}: ${issue.message}`, { key, position: source.at(path) })]
  }
  const isAbsent = received === undefined
  const came = isAbsent ? 'but it is missing' : `not ${show(received)}`
  const message = `${subject}: expected ${expectedBy(issue)}, ${came}.${hint(issue, received, kind)}`
  return [problem('invalid', source.file, message, { key, position: source.at(path) })]
}

function unknownKey(key: string, path: readonly PropertyKey[], source: Parsed, kind: FileKind): Problem {
  const known = knownKeys(kind, path)
  const place = path.length === 0 ? `a ${kind} file` : formatKey(path)
  const near = didYouMean(key, known)
  const message = `There is no key ${show(key)} in ${place}; expected one of ${known.join(', ')}.${near}`
  const full = [...path, key]
  return problem('invalid', source.file, message, { key: formatKey(full), position: source.at(full, 'key') })
}

const TYPES: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
}

function expectedBy(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_type':
      return TYPES[issue.expected] ?? issue.expected
    case 'invalid_value':
      return `one of ${issue.values.map(String).join(', ')}`
    case 'too_small':
      return issue.origin === 'string' || issue.origin === 'array'
        ? `${TYPES[issue.origin]} that is not empty`
        : `a number ${issue.inclusive === false ? 'greater than' : 'of at least'} ${issue.minimum}`
    case 'too_big':
      return `a number of at most ${issue.maximum}`
    case 'invalid_union':
      return 'a text or a list of texts, none empty'
    default:
      return issue.message
  }
}

function hint(issue: Issue, received: unknown, kind: FileKind): string {
  const [first, second] = issue.path
  if (issue.code === 'invalid_value' && typeof received === 'string') {
    return didYouMean(received, issue.values.map(String))
  }
  // A number or text directly in `hooks` is a slip in one of the three defaults.
  if (issue.code === 'invalid_type' && issue.expected === 'object' && first === 'hooks' && issue.path.length === 2) {
    return didYouMean(String(second), knownKeys(kind, ['hooks']))
  }
  if (issue.code !== 'invalid_type' || typeof received !== 'string') return ''
  return issue.expected === 'number' || issue.expected === 'boolean' ? ' Write it without quotes.' : ''
}

// Two hooks at a point cannot have the same name, and a command cannot have the name of a built-in hook.
function findNameClashes({ source, settings }: ValidFile): Problem[] {
  const seen = new Map<string, number>()
  return (settings.commands ?? []).flatMap(({ name, point }, index) => {
    if (name === undefined) return []
    const path = ['commands', index, 'name']
    const where = { key: formatKey(path), position: source.at(path) }
    if (Object.hasOwn(BUILT_IN_HOOKS, name)) {
      return [problem('invalid', source.file, `${where.key}: ${show(name)} is the name of a built-in hook.`, where)]
    }
    const earlier = seen.get(`${point} ${name}`)
    seen.set(`${point} ${name}`, earlier ?? index)
    if (earlier === undefined) return []
    const message = `${where.key}: the name ${show(name)} is taken at ${point} by commands[${earlier}].`
    return [problem('invalid', source.file, message, where)]
  })
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((inner, part) => {
    const isInside = typeof inner === 'object' && inner !== null && Object.hasOwn(inner, part)
    return isInside ? (inner as Record<PropertyKey, unknown>)[part] : undefined
  }, value)
}
