// Changes one setting of a configuration file and leaves everything else as its writer left it: comments, order, layout,
// line ends. A change that would make the file invalid is refused with the problems it would have, and nothing is written.

import { dirname } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { editJson, type JsonText } from '../../json-text/json-text.ts'
import { isYamlFile } from '../extensions.ts'
import { type Parsed, parseText } from '../parse-text.ts'
import { formatKey, type Problem, problem } from '../problem.ts'
import { readTextFile } from '../read-file.ts'
import type { FileKind } from '../schema.ts'
import { validate } from '../validate.ts'
import { cannotWrite, makeFolder, replaceFile, resolveTarget, withLock } from './atomic-file.ts'
import type { KeyPath } from './key-path.ts'
import { editYaml } from './yaml-edit.ts'

/** What to change: the value of a key; undefined takes the key away. An index after the end of a list appends. */
export interface Change {
  readonly path: KeyPath
  readonly value: unknown
}

/** A change that depends on what the file holds; called with its parsed content while the file is locked. */
export type ChangeOf = (content: unknown) => Change

/** Where to change it. */
export interface EditOptions {
  readonly kind: FileKind
  /** The text to begin with where there is no file yet; `{}` unless given. */
  readonly template?: string
  /** Problems that only show beside other files, such as the name of a hook that does not exist. */
  readonly check?: (text: string) => readonly Problem[]
}

/** What became of a change: the new text, or why it was refused. */
export type Edited =
  | { readonly text: string; readonly isChanged: boolean; readonly problems?: never }
  | { readonly text?: never; readonly isChanged?: never; readonly problems: readonly [Problem, ...Problem[]] }

/**
 * Changes one key of a file, atomically; creates the file if it is missing. Two processes that do so at once lose nothing.
 * @example
 * await editFile('profiles/default.json', { path: ['enforcement'], value: 'enforce' }, { kind: 'profile' })
 */
export async function editFile(given: string, change: Change | ChangeOf, options: EditOptions): Promise<Edited> {
  try {
    const file = resolveTarget(given)
    makeFolder(dirname(file))
    // A program without the lock, such as an editor, may write in between: then the edit starts again.
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      const result = await withLock(file, ({ isHeld }) => attemptEdit(given, file, change, options, isHeld))
      if (result !== undefined) return result
    }
    throw new Error('it is changed by somebody else all the time')
  } catch (error) {
    throw cannotWrite(given, error)
  }
}

const MAX_ATTEMPTS = 20

function attemptEdit(
  given: string,
  file: string,
  change: Change | ChangeOf,
  { kind, template = '{}\n', check }: EditOptions,
  isHeld: () => boolean,
): Edited | undefined {
  const { text: before, problem: unreadable } = readTextFile(file)
  if (unreadable !== undefined) return { problems: [{ ...unreadable, file: given }] }
  const edited = editText(given, before ?? template, change, kind)
  if (edited.text === undefined) return edited
  const [wrong, ...others] = check?.(edited.text) ?? []
  if (wrong !== undefined) return { problems: [wrong, ...others] }
  if (edited.text === before) return { text: edited.text, isChanged: false }
  const isStill = () => isHeld() && readTextFile(file).text === before
  return replaceFile(file, edited.text, isStill) ? { text: edited.text, isChanged: true } : undefined
}

/** The text of a file with one key changed, checked against the schema. */
export function editText(file: string, given: string, change: Change | ChangeOf, kind: FileKind): Edited {
  const mark = given.startsWith('\uFEFF') ? '\uFEFF' : ''
  const text = given.slice(mark.length)
  const { parsed, problems } = parseText(file, text)
  if (parsed === undefined) return { problems }
  const { path, value } = typeof change === 'function' ? change(parsed.value) : change
  const plain = value === undefined ? undefined : (JSON.parse(JSON.stringify(value)) as unknown)
  const expected = changed(parsed.value, path, plain)
  if (expected === NOWHERE) return { problems: [notThere(parsed, path)] }
  if (isDeepStrictEqual(expected, parsed.value)) return checked(file, given, given, kind)
  const candidates = isYamlFile(file) ? editYaml(text, path, plain) : [changeJson(text, path, plain)]
  for (const candidate of candidates) {
    if (candidate === undefined) continue
    const result = parseText(file, candidate)
    // Keys that no file may have are worded by the parser.
    if (result.parsed === undefined && path.includes('__proto__')) return { problems: result.problems }
    if (isDeepStrictEqual(result.parsed?.value, expected)) return checked(file, given, mark + candidate, kind)
  }
  const message = `${formatKey(path)} cannot be changed from here without changing something else; change it in an editor.`
  return { problems: [problem('invalid', file, message, { key: formatKey(path), position: parsed.at(path) })] }
}

// The text with one key changed; undefined where the path leads through another kind of value.
function changeJson(text: string, path: KeyPath, value: unknown): string | undefined {
  let isDone = true
  const edit = (json: JsonText): void => {
    const node = json.at(path)
    const list = path.slice(0, -1)
    const isAppended = typeof path.at(-1) === 'number' && node === undefined && list.every(isName)
    if (value !== undefined && isAppended) json.append(list, value)
    else if (value !== undefined) isDone = json.set(path, value)
    else if (node !== undefined) json.remove(node)
  }
  const edited = editJson(text, edit, 'lines')
  return isDone && typeof edited === 'string' ? edited : undefined
}

function isName(part: string | number): part is string {
  return typeof part === 'string'
}

function checked(file: string, before: string, text: string, kind: FileKind): Edited {
  const { parsed, problems } = parseText(file, text)
  const [wrong, ...others] = parsed === undefined ? problems : (validate(parsed, kind).problems ?? [])
  return wrong === undefined ? { text, isChanged: text !== before } : { problems: [wrong, ...others] }
}

const NOWHERE = Symbol('the path leads through something that is not an object')

// The value that the whole file should have afterwards.
function changed(whole: unknown, [part, ...rest]: KeyPath, value: unknown): unknown {
  if (part === undefined) return value
  if (Array.isArray(whole)) return changedItem(whole, part, rest, value)
  // A key without a value is an object to be.
  const base = whole ?? {}
  if (typeof base !== 'object' || typeof part === 'number') return NOWHERE
  const held = Object.hasOwn(base, part) ? (base as Record<string, unknown>)[part] : undefined
  if (value === undefined && held === undefined) return whole
  const inner = changed(held, rest, value)
  if (inner === NOWHERE) return NOWHERE
  const others = Object.entries(base).filter(([key]) => key !== part)
  return Object.fromEntries(inner === undefined ? others : [...others, [part, inner]])
}

function changedItem(list: readonly unknown[], part: string | number, rest: KeyPath, value: unknown): unknown {
  if (typeof part !== 'number' || part > list.length) return NOWHERE
  if (part === list.length) return rest.length > 0 ? NOWHERE : value === undefined ? list : [...list, value]
  const inner = changed(list[part], rest, value)
  if (inner === NOWHERE) return NOWHERE
  return inner === undefined ? list.filter((_, index) => index !== part) : list.with(part, inner)
}

function notThere(parsed: Parsed, path: KeyPath): Problem {
  const key = formatKey(path)
  const message = `${key} cannot be set: its parent is a plain value, or a list without that item.`
  return problem('invalid', parsed.file, message, { key, position: parsed.at(path) })
}
