// Finds arguments of a tool call that ask to run it without the sandbox of the agent or with more permissions: by the words
// of their names and values, since every agent and server has its own spelling.

import { isRecord } from '../engine/plain-data.ts'
import { argumentName, splitWords } from './tool-traits.ts'

/** An argument of a call, at any depth. */
export interface Argument {
  /** The words of its name, and of the name of the object that holds it. */
  readonly words: readonly string[]
  readonly value: unknown
  /** The argument as written, for people. */
  readonly text: string
}

const MAX_DEPTH = 6
const MAX_ARGUMENTS = 2_000
const MAX_SHOWN = 80

// Variables of other programs, and text that is stored or sent.
const DATA = new Set(
  'env environment command commands content contents body text data message prompt description explanation'.split(' '),
)

/** The arguments of a call with their names, at any depth. Data and variables are not arguments. */
export function* listArguments(args: Readonly<Record<string, unknown>>): Generator<Argument> {
  const open: { readonly value: unknown; readonly words: readonly string[]; readonly depth: number }[] = [
    { value: args, words: [], depth: 0 },
  ]
  for (let seen = 0; open.length > 0 && seen < MAX_ARGUMENTS; ) {
    const { value, words, depth } = open.pop() as (typeof open)[number]
    const entries = Array.isArray(value) ? value.map((item) => ['', item] as const) : Object.entries(value as object)
    for (const [key, item] of entries.slice(0, MAX_ARGUMENTS)) {
      seen++
      const own = argumentName(key).words
      const isNested = isRecord(item) || Array.isArray(item)
      if (isNested && depth < MAX_DEPTH && !(own.length === 1 && DATA.has(own[0] ?? '') && isRecord(item)))
        open.push({ value: item, words: Array.isArray(item) ? words : own, depth: depth + 1 })
      if (own.length > 0) yield { words: [...words, ...own], value: item, text: showArgument(key, item) }
    }
  }
}

const wordSet = (words: string): ReadonlySet<string> => new Set(words.split(' '))

const SANDBOX = wordSet('sandbox sandboxed sandboxing isolation isolated confinement confined jail seccomp')
const PERMISSION = wordSet('permission permissions approval approvals')
const AVOID = wordSet(
  'no non without disable disabled disables skip skips skipped bypass bypasses bypassed bypassing ignore ignores off ' +
    'outside escape escapes avoid omit override dangerously dangerous additional',
)
const MORE = wordSet(
  'escalate escalated escalation elevate elevated elevation unsandboxed unconfined unrestricted yolo',
)
const MODE = wordSet('mode modes policy permission permissions approval approvals sandbox')
const EMPTY = wordSet('false no off none never null undefined 0 disabled default')
const OFF = wordSet('false no off none never 0 disabled disable')

/**
 * Whether an argument asks to leave the sandbox or for more permissions.
 * @example
 * leavesSandbox({ words: ['dangerously', 'disable', 'sandbox'], value: true, text: '' }) // true
 */
export function leavesSandbox({ words, value }: Argument): boolean {
  const has = (set: ReadonlySet<string>): boolean => words.some((word) => set.has(word))
  const isAbout = has(SANDBOX) || has(PERMISSION)
  const asksByName = has(MORE) || (isAbout && has(AVOID))
  if (asksByName) return isGiven(value)
  // `sandbox: false`. A permission that is off is none more.
  if (has(SANDBOX) && isOff(value)) return SANDBOX.has(words.at(-1) ?? '') || has(SWITCH)
  return (isAbout || MODE.has(words.at(-1) ?? '')) && meansMore(value)
}

const SWITCH = wordSet('enabled enable active use used mode policy')

// An empty value, or a text that says no, asks for nothing.
function isGiven(value: unknown): boolean {
  if (typeof value === 'string') return value.trim() !== '' && !EMPTY.has(value.trim().toLowerCase())
  if (Array.isArray(value)) return value.length > 0
  if (isRecord(value)) return Object.values(value).some(isGiven)
  return Boolean(value)
}

function isOff(value: unknown): boolean {
  return value === false || value === 0 || (typeof value === 'string' && OFF.has(value.trim().toLowerCase()))
}

// `require_escalated`, `bypassPermissions`, `danger-full-access`: names of modes, not sentences.
function meansMore(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(meansMore)
  if (typeof value !== 'string' || value.length > 60 || /\s/.test(value.trim())) return false
  const words = splitWords(value)
  const has = (set: ReadonlySet<string>): boolean => words.some((word) => set.has(word))
  return has(MORE) || ((has(SANDBOX) || has(PERMISSION)) && has(AVOID)) || words.join(' ') === 'danger full access'
}

function showArgument(key: string, value: unknown): string {
  const shown = typeof value === 'string' ? value : isRecord(value) || Array.isArray(value) ? '…' : String(value)
  return `${key}: ${shown}`.slice(0, MAX_SHOWN)
}
