// Parses JSON with comments, or YAML, into values with positions. Never throws; every problem has a position. The meaning
// of the values is in schema.ts.

import { clip } from '../engine/errors.ts'
import { isYamlFile } from './extensions.ts'
import { findBadKeys, offsetAt, toPlain } from './located.ts'
import { parseJson } from './parse-json.ts'
import { parseYaml } from './parse-yaml.ts'
import { lineIndex, type Position } from './position.ts'
import { type Problem, problem } from './problem.ts'

/** A parsed document. */
export interface Parsed {
  readonly file: string
  readonly value: unknown
  /** The position of the value (or the key) at a path. */
  at(path: readonly PropertyKey[], at?: 'key' | 'value'): Position
}

/** The document, or the problems of the text. */
export type ParseResult =
  | { readonly parsed: Parsed; readonly problems?: never }
  | { readonly parsed?: never; readonly problems: readonly [Problem, ...Problem[]] }

const MAX_COMPLAINTS = 20

/** Parses the text of a file by its extension; everything but YAML is JSON with comments. */
export function parseText(file: string, given: string): ParseResult {
  // In YAML a blank instead of the byte order mark would indent the first line; the YAML parser accepts the mark.
  const isMarked = given.startsWith('\uFEFF') && !isYamlFile(file)
  const text = isMarked ? ` ${given.slice(1)}` : given
  const findPosition = lineIndex(text)
  const { root, complaints } = isYamlFile(file) ? parseYaml(text) : parseJson(text)
  // Of several complaints at one position the first is the most precise.
  const places = new Set<number>()
  const first = complaints.filter(({ offset }) => !places.has(offset) && places.add(offset))
  const problems = first.slice(0, MAX_COMPLAINTS).map(({ offset, message, kind = 'syntax' }) => {
    const inside = Math.min(offset, text.trimEnd().length)
    return problem(kind, file, message, { position: findPosition(inside) })
  })
  if (root !== undefined && problems.length === 0) problems.push(...findBadKeys(root, file, findPosition))
  const [one, ...others] = problems
  if (one !== undefined) return { problems: [one, ...others] }
  if (root === undefined) return { problems: [problem('syntax', file, emptyMessage(text))] }
  const at: Parsed['at'] = (path, of = 'value') => findPosition(offsetAt(root, path, of))
  return { parsed: { file, value: toPlain(root), at } }
}

function emptyMessage(text: string): string {
  const given = text.trim() === '' ? 'the file is empty' : `it holds only ${JSON.stringify(clip(text.trim(), 30))}`
  return `Expected an object of settings, but ${given}. Write {} for no settings, or delete the file.`
}
