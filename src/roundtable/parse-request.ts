// Finds the request for a roundtable in a message: a trigger phrase, and inline `agents:` and `rounds:` in any order,
// on separate lines or inside a sentence. Reads untrusted text, so every limit is here.

import { agentKey } from '../engine/agent-key.ts'

export { agentKey }

/** A request for a roundtable, as a message makes it. */
export interface RoundtableRequest {
  readonly topic: string
  /** At least one unless there are no defaults either; each once. */
  readonly agents: readonly string[]
  readonly rounds: number
  /** What was asked for and could not be given: too many rounds, agents beyond the limit. */
  readonly notes: readonly string[]
}

/** The defaults for what a message does not name. */
export interface RoundtableDefaults {
  readonly agents?: readonly string[]
  readonly rounds?: number
}

export const DEFAULT_ROUNDS = 2
export const MAX_ROUNDS = 10
export const MAX_AGENTS = 12
const MAX_NAME = 64
/** The longest topic, in characters. */
export const MAX_TOPIC = 2_000
// A request is at the start of a message; a pasted file is not searched to its end.
const MAX_READ = 20_000
const NO_TOPIC = 'general discussion'

// A letter, digit or joining sign before a word makes it part of a longer one: `subagents:`, `me@roundtable.org`.
const ALONE = String.raw`(?<![\p{L}\p{N}_@.\-])`
const TRIGGERS = new RegExp(
  [
    String.raw`${ALONE}let['’‘ʼ]?s[ \t]{1,8}discuss(?![\p{L}\p{N}_])`,
    String.raw`${ALONE}@roundtable(?![\p{L}\p{N}_\-]|\.[\p{L}\p{N}])[ \t]{0,8}[:：]?`,
    String.raw`${ALONE}roundtable\s{0,8}[:：]`,
    String.raw`${ALONE}debate[ \t]{1,8}this(?![\p{L}\p{N}_])[ \t]{0,8}[:：]?`,
  ].join('|'),
  'giu',
)
const KEYS = new RegExp(String.raw`${ALONE}(agents|rounds)\s{0,8}[:：]`, 'giu')

/** Does a message ask for a roundtable? */
export function hasTrigger(text: string): boolean {
  return text.slice(0, MAX_READ).search(TRIGGERS) >= 0
}

/**
 * Reads the request for a roundtable, or nothing when a message makes none.
 * @example
 * parseRoundtable('roundtable: Tabs or spaces? agents: claude, codex rounds: 3')
 * // { topic: 'Tabs or spaces?', agents: ['claude', 'codex'], rounds: 3, notes: [] }
 */
export function parseRoundtable(text: string, defaults: RoundtableDefaults = {}): RoundtableRequest | undefined {
  if (typeof text !== 'string' || !hasTrigger(text)) return undefined
  const notes: string[] = []
  const { topic, named, rounds } = splitRequest(text.slice(0, MAX_READ), notes)
  const agents = distinct(named.length > 0 ? named : (defaults.agents ?? []), notes)
  return { topic, agents, rounds: boundRounds(rounds ?? defaults.rounds ?? DEFAULT_ROUNDS, notes), notes }
}

interface Parts {
  readonly topic: string
  readonly named: readonly string[]
  readonly rounds: number | undefined
}

// What follows a key up to the next one belongs to it as far as it can be read so; all the rest is the topic.
function splitRequest(text: string, notes: string[]): Parts {
  const plain = text.replace(TRIGGERS, ' ')
  const keys = [...plain.matchAll(KEYS)]
  const named: string[] = []
  const topic = [plain.slice(0, keys[0]?.index ?? plain.length)]
  let rounds: number | undefined
  for (const [at, key] of keys.entries()) {
    const value = plain.slice(key.index + key[0].length, keys[at + 1]?.index ?? plain.length)
    if (key[1]?.toLowerCase() === 'agents') {
      const list = readNames(value)
      named.push(...list.names)
      topic.push(list.rest)
    } else {
      const count = /^\s*(-?\d{1,15})(?![\p{L}\p{N}_])[,;.]?/u.exec(value)
      if (count === null) notes.push('rounds: is not followed by a number')
      else rounds = Number(count[1])
      topic.push(value.slice(count?.[0].length ?? 0))
    }
  }
  return { topic: clean(topic.join(' ')), named, rounds }
}

// One name: quoted, or a run of what is neither space nor separator.
const NAME = /[ \t]*(?:"([^"\n]{0,200})"|([^\s,;"]+))/uy
// Between names: a comma, which may end a line, or a word that joins.
const SEPARATOR = /[ \t]*(?:[,;][\s,;]*(?:(?:and|&|\+)[ \t]+)?|(?:and|&|\+)[ \t]+)/iuy

// With commas, the list continues as long as there is one; without any, to the end of the line.
function readNames(value: string): { readonly names: readonly string[]; readonly rest: string } {
  const start = /^\s*/.exec(value)?.[0].length ?? 0
  const joined = readSequence(value, start, SEPARATOR)
  if (joined.names.length > 1 || joined.hasSeparator) return { names: joined.names, rest: value.slice(joined.end) }
  const spaced = readSequence(value, start, /[ \t]*/uy)
  return { names: spaced.names, rest: value.slice(spaced.end) }
}

function readSequence(value: string, start: number, between: RegExp) {
  const names: string[] = []
  let end = start
  let hasSeparator = false
  for (;;) {
    const name = matchAt(NAME, value, end)
    if (name === undefined) break
    end = NAME.lastIndex
    const read = cleanName(name[1] ?? name[2] ?? '')
    if (read !== '') names.push(read)
    const separator = matchAt(between, value, end)
    if (separator === undefined) break
    hasSeparator ||= between === SEPARATOR
    end = between.lastIndex
  }
  return { names, end, hasSeparator }
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | undefined {
  pattern.lastIndex = at
  return pattern.exec(text) ?? undefined
}

// A name in a sentence drags its punctuation along; a mention has its sign.
function cleanName(name: string): string {
  return name
    .normalize('NFC')
    .replace(/^[\s@('"[<*`]+/u, '')
    .replace(/[\s.!?)'"\]>*`:]+$/u, '')
}

function distinct(names: readonly string[], notes: string[]): string[] {
  const found = new Map<string, string>()
  for (const name of names) {
    if (name.length > MAX_NAME) notes.push(`a name of more than ${MAX_NAME} characters was skipped`)
    else if (!found.has(agentKey(name))) found.set(agentKey(name), name)
  }
  const agents = [...found.values()]
  if (agents.length > MAX_AGENTS) notes.push(`only the first ${MAX_AGENTS} of ${agents.length} agents take part`)
  return agents.slice(0, MAX_AGENTS)
}

function boundRounds(asked: number, notes: string[]): number {
  const rounds = Math.min(MAX_ROUNDS, Math.max(1, Math.trunc(asked)))
  if (Number.isNaN(rounds)) return DEFAULT_ROUNDS
  if (rounds !== asked) notes.push(`${asked} rounds are not possible: there will be ${rounds}`)
  return rounds
}

function clean(text: string): string {
  const topic = text
    .replace(/\s+/gu, ' ')
    .replace(/^[\s,;:：.\-–—]+/u, '')
    .trimEnd()
  return topic === '' ? NO_TOPIC : topic.slice(0, MAX_TOPIC)
}
