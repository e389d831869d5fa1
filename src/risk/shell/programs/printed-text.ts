// The output of simple programs with known arguments and input: `$(echo rm)`, `printf … | sh`.

import { Buffer } from 'node:buffer'
import { decodeEscapes } from '../escapes.ts'
import type { Field, Output } from '../frame.ts'
import type { ShellInvocation } from '../invocation.ts'
import { MAX_VALUE_CHARS } from '../limits.ts'
import { baseName } from '../paths.ts'
import { translate } from './translate.ts'

type Printer = (args: readonly string[], input: Output, call: ShellInvocation) => Output

const nothing: Printer = () => ''

const PRINTERS: ReadonlyMap<string, Printer> = new Map<string, Printer>([
  ['echo', echo],
  ['printf', printf],
  ['true', nothing],
  ['false', nothing],
  [':', nothing],
  ['cat', cat],
  ['tac', (args, input) => (args.length === 0 ? input?.split('\n').reverse().join('\n').trimStart() : undefined)],
  ['tee', (_args, input) => input],
  ['base64', (args, input, call) => decode(args, readInput(args, input, call), 'base64')],
  [
    'openssl',
    (args, input) => (args.some((arg) => /^-?(?:base64|a)$/.test(arg)) ? decode(args, input, 'base64') : undefined),
  ],
  ['xxd', (args, input) => (args.some((arg) => /^-(?:r|rp|pr|r -p)/.test(arg)) ? decodeHex(input) : undefined)],
  ['rev', (_args, input) => input?.split('\n').map(reverse).join('\n')],
  ['tr', (args, input) => (input === undefined ? undefined : translate(args, input))],
  ['sed', sed],
  ['head', (args, input) => pickLines(args, input, (lines, count) => lines.slice(0, count))],
  ['tail', (args, input) => pickLines(args, input, (lines, count) => lines.slice(-count))],
  ['pwd', (_args, _input, call) => (call.scope.cwd === undefined ? undefined : `${call.scope.cwd}\n`)],
  ['which', lastArgument],
  ['basename', (args) => (args[0] === undefined ? undefined : `${baseName(args[0])}\n`)],
  [
    'dirname',
    (args) => (args[0]?.includes('/') ? `${args[0].slice(0, args[0].lastIndexOf('/')) || '/'}\n` : undefined),
  ],
  ['seq', sequence],
])

/** The output of a call; undefined when it is not certain. */
export function computeOutput(call: ShellInvocation): Output {
  const [first, ...args] = call.fields
  const print = first && PRINTERS.get(baseName(first.text))
  if (!print || !args.every(isCertain)) return undefined
  const output = print(
    args.map((arg) => arg.text),
    call.input?.text,
    call,
  )
  return output !== undefined && output.length <= MAX_VALUE_CHARS ? output : undefined
}

function isCertain(field: Field): boolean {
  return field.isKnown && !field.isGlob
}

function lastArgument(args: readonly string[]): Output {
  const last = args.at(-1)
  return last === undefined || last.startsWith('-') ? undefined : `${last}\n`
}

function echo(args: readonly string[]): Output {
  let start = 0
  while (/^-[neE]+$/.test(args[start] ?? '')) start++
  const flags = args.slice(0, start).join('')
  const text = args.slice(start).join(' ')
  const decoded = flags.includes('e') ? decodeEscapes(text) : text
  return flags.includes('n') ? decoded : `${decoded}\n`
}

function printf(args: readonly string[]): Output {
  const words = args[0] === '--' ? args.slice(1) : args
  if (words[0] === '-v') return ''
  return formatText(words)
}

/** The output of `printf format arguments…`. */
export function formatText(words: readonly string[]): Output {
  const [format, ...rest] = words
  if (format === undefined) return undefined
  let result = ''
  let next = 0
  // The format repeats until all arguments are used; a format without placeholders is used once.
  do {
    const start = next
    for (const piece of format.split(/(%%|%[-+ #0]*\d*(?:\.\d*)?[sbdiuxXocq])/)) {
      if (piece === '%%') result += '%'
      else if (!/^%.*[a-zA-Z]$/.test(piece)) result += decodeEscapes(piece)
      else result += formatOne(piece, rest[next++] ?? '')
      if (result.length > MAX_VALUE_CHARS) return undefined
    }
    if (next === start) break
  } while (next < rest.length)
  return result
}

function formatOne(conversion: string, value: string): string {
  const kind = conversion.at(-1)
  const width = Math.min(Number(/^%[-+ #0]*(\d{1,4})/.exec(conversion)?.[1] ?? 0), 1000)
  const limit = /\.(\d{1,4})/.exec(conversion)?.[1]
  const text = formatKind(kind, value)
  const cut = limit === undefined || kind !== 's' ? text : text.slice(0, Number(limit))
  if (conversion.includes('-')) return cut.padEnd(width)
  return cut.padStart(width, kind !== 's' && /^%0/.test(conversion) ? '0' : ' ')
}

function formatKind(kind: string | undefined, value: string): string {
  if (kind === 'b') return decodeEscapes(value)
  if (kind === 'c') return value.charAt(0)
  if (kind === 's' || kind === 'q') return value
  // A leading quote means the code of the character after it.
  const number = /^['"]/.test(value) ? (value.codePointAt(1) ?? 0) : Number(value) || 0
  if (kind === 'x') return number.toString(16)
  if (kind === 'X') return number.toString(16).toUpperCase()
  return kind === 'o' ? number.toString(8) : String(Math.trunc(number))
}

function cat(args: readonly string[], input: Output, call: ShellInvocation): Output {
  const files = args.filter((arg) => arg === '-' || !arg.startsWith('-'))
  if (files.length === 0) return input
  const texts = files.map((file) => (file === '-' ? input : call.scope.readFile(file)?.text))
  return texts.includes(undefined) ? undefined : texts.join('')
}

// A file that the text wrote, or the input.
function readInput(args: readonly string[], input: Output, call: ShellInvocation): Output {
  const file = args.find((arg) => !arg.startsWith('-'))
  return file === undefined ? input : call.scope.readFile(file)?.text
}

function decode(args: readonly string[], input: Output, encoding: 'base64'): Output {
  const isDecoding = args.some((arg) => /^-[a-zA-Z]*[dD]/.test(arg) || ('--decode'.startsWith(arg) && arg.length > 3))
  if (input === undefined) return undefined
  return isDecoding ? Buffer.from(input, encoding).toString('utf8') : `${Buffer.from(input).toString(encoding)}\n`
}

function decodeHex(input: Output): Output {
  return input === undefined ? undefined : Buffer.from(input.replace(/\s+/g, ''), 'hex').toString('utf8')
}

function reverse(line: string): string {
  return [...line].reverse().join('')
}

// Only `s/a/b/` of plain texts. Other scripts of sed are not computed.
function sed(args: readonly string[], input: Output): Output {
  const script = args.at(-1) ?? ''
  const options = args.slice(0, -1)
  const match = /^s(.)((?:(?!\1)[A-Za-z0-9 _./-])*)\1((?:(?!\1)[^&\\])*)\1(g?)$/.exec(script)
  if (input === undefined || !match || options.some((option) => option !== '-e' && option !== '-E')) return undefined
  const [, , from = '', to = '', isAll] = match
  if (from === '' || from.includes('.')) return undefined
  return input
    .split('\n')
    .map((line) => (isAll ? line.split(from).join(to) : line.replace(from, () => to)))
    .join('\n')
}

function pickLines(args: readonly string[], input: Output, pick: (lines: string[], count: number) => string[]): Output {
  const count =
    /^-?n?(\d{1,6})$/.exec(args.join('').replace('--lines=', 'n'))?.[1] ?? (args.length === 0 ? '10' : undefined)
  if (input === undefined || count === undefined) return undefined
  const lines = input.split(/(?<=\n)/)
  return pick(lines, Number(count)).join('')
}

function sequence(args: readonly string[]): Output {
  const numbers = args.map(Number)
  if (numbers.length === 0 || numbers.length > 3 || !numbers.every(Number.isSafeInteger)) return undefined
  const [first = 1, second, third] = numbers
  const from = numbers.length === 1 ? 1 : first
  const step = numbers.length === 3 ? (second ?? 1) : 1
  const to = numbers.length === 1 ? first : numbers.length === 2 ? (second ?? 1) : (third ?? 1)
  if (step === 0 || (to - from) / step > 1_000) return undefined
  let result = ''
  for (let value = from; step > 0 ? value <= to : value >= to; value += step) result += `${value}\n`
  return result
}
