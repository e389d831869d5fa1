// Reads options as getopt does: clusters of letters, attached or separate values, long names, `--`.

import type { Field } from '../frame.ts'

/** Which options of a program take a value; all others are flags. */
export interface OptionSpec {
  /** Letters. */
  readonly short?: string
  /** Names without dashes. */
  readonly long?: readonly string[]
  /** Whether words with one dash are long names too, as in `-Command`. */
  readonly isSingleDash?: boolean
}

export interface Options {
  /** By letter or name. The value of a flag is its own word. Of repeated options, the last. */
  readonly values: ReadonlyMap<string, Field>
  /** All options in order, including repeated ones. */
  readonly all: readonly (readonly [string, Field])[]
  /** Index of the first operand. */
  readonly rest: number
}

/** Reads options from a position up to the first operand. */
export function readOptions(fields: readonly Field[], spec: OptionSpec, from = 1): Options {
  const all: [string, Field][] = []
  let at = from
  while (at < fields.length) {
    const field = fields[at]
    const text = field?.text ?? ''
    if (!field || text === '-' || !(text.startsWith('-') || text.startsWith('+'))) break
    at++
    if (text === '--') break
    at +=
      text.startsWith('--') || spec.isSingleDash
        ? readLong(field, fields[at], spec, all)
        : readShort(field, fields[at], spec, all)
  }
  return { values: new Map(all), all, rest: Math.min(at, fields.length) }
}

/** Reads all options, including those after operands, and the operands. */
export function readMixed(
  fields: readonly Field[],
  spec: OptionSpec,
): Options & { readonly operands: readonly Field[] } {
  const all: (readonly [string, Field])[] = []
  const operands: Field[] = []
  let at = 1
  while (at < fields.length) {
    const options = readOptions(fields, spec, at)
    all.push(...options.all)
    at = options.rest
    const operand = fields[at++]
    if (operand) operands.push(operand)
    if (fields[options.rest - 1]?.text === '--') {
      operands.push(...fields.slice(at))
      break
    }
  }
  return { values: new Map(all), all, rest: fields.length, operands }
}

// Returns the number of further words it consumed.
function readLong(field: Field, next: Field | undefined, spec: OptionSpec, all: [string, Field][]): number {
  const dashes = field.text.startsWith('--') ? 2 : 1
  const equals = field.text.indexOf('=')
  if (equals > 0) {
    all.push([field.text.slice(dashes, equals), cut(field, equals + 1)])
    return 0
  }
  const name = field.text.slice(dashes)
  const takesValue = spec.long?.some((long) => long === name || (name.length > 3 && long.startsWith(name))) ?? false
  all.push([name, takesValue && next ? next : field])
  return takesValue && next ? 1 : 0
}

function readShort(field: Field, next: Field | undefined, spec: OptionSpec, all: [string, Field][]): number {
  for (let at = 1; at < field.text.length; at++) {
    const letter = field.text.charAt(at)
    if (!spec.short?.includes(letter)) {
      all.push([letter, field])
      continue
    }
    if (at + 1 < field.text.length) {
      all.push([letter, cut(field, at + 1)])
      return 0
    }
    all.push([letter, next ?? field])
    return next ? 1 : 0
  }
  return 0
}

/** The rest of a word from a position. */
export function cut(field: Field, from: number): Field {
  return { ...field, text: field.text.slice(from), at: field.at === undefined ? undefined : field.at + from }
}
