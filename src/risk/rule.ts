// A rule is data: its condition, effect, reason, alternative, and the examples that are its tests.
// Most rules use a small declarative form, which is compiled once; others have a test function.

import type { Guard } from '../engine/guarded-paths.ts'
import type { Access } from './access.ts'
import type { Effect, Span, Tier } from './assessment.ts'
import { type Call, type FlagNames, findOption, flagNames } from './call.ts'
import type { FileFacts } from './facts.ts'
import type { Argument } from './sandbox-arguments.ts'
import type { Execution, ShellCommand, Snippet, Word } from './shell/execution.ts'

/** Facts about the environment of the action. The rules look up nothing themselves. */
export interface Facts {
  /** The root of the project; undefined if there is none, for example on another machine. */
  readonly workspace: string | undefined
  readonly home: string
  /** Variables that the text sets. */
  readonly assigned?: ReadonlyMap<string, Word> | undefined
  /** The commands of the text, in order; given together with `files`. */
  readonly commands?: readonly ShellCommand[] | undefined
  /** Answers about files and repositories; without it, the words of the call decide. */
  readonly files?: FileFacts | undefined
  /** Whether a file is under version control; undefined when it is unknown. */
  readonly isTracked?: ((path: string) => boolean | undefined) | undefined
  /** The guard of this machine; the default guard if it is not given. */
  readonly guard?: Guard | undefined
}

/** The list of risks of agentic applications (OWASP 2026) that a rule guards against. */
export const OWASP = {
  ASI01: 'Agent goal hijack',
  ASI02: 'Tool misuse and exploitation',
  ASI03: 'Identity and privilege abuse',
  ASI04: 'Agentic supply chain vulnerabilities',
  ASI05: 'Unexpected code execution',
  ASI06: 'Memory and context poisoning',
  ASI07: 'Insecure inter-agent communication',
  ASI08: 'Cascading failures',
  ASI09: 'Human-agent trust exploitation',
  ASI10: 'Rogue agents',
} as const

export type OwaspTag = keyof typeof OWASP

/** A hit of a rule: its position, and changes to the rating. */
export interface Hit {
  readonly at: Span
  /** Overrides the tier of the rule. */
  readonly tier?: Tier
  readonly effect?: Effect
  /** The harm depends on an unknown: needs approval. */
  readonly isUncertain?: boolean
  /** Overrides the reason of the rule. */
  readonly reason?: string
}

/** The result of a test: the word or hit, true for the whole command, or nothing. */
export type TestResult = Word | Hit | boolean | undefined

/** Matches a command. All conditions must hold. */
export interface CommandWhen {
  readonly argument?: undefined
  readonly access?: undefined
  readonly language?: undefined
  readonly whole?: undefined
  /** Program names; `mkfs.*` is a prefix; `**` is every program. */
  readonly program: string | readonly string[]
  /** The words after the program: `stash drop|clear`; `*` is any word. */
  readonly sub?: string | readonly string[]
  /** One of the first operands matches: `delete delete-* *:destroy`. */
  readonly verb?: string
  /** All of these options are given: `-f|--force`. */
  readonly flags?: readonly string[]
  /** None of these options is given. */
  readonly unless?: readonly string[]
  readonly test?: (call: Call, facts: Facts) => TestResult
}

/** Matches files that an action reads, writes, deletes or sends, in the shell or by a tool. */
export interface AccessWhen {
  readonly argument?: undefined
  readonly program?: undefined
  readonly language?: undefined
  readonly whole?: undefined
  readonly access: readonly Access['kind'][]
  readonly test: (access: Access, facts: Facts) => TestResult
}

/** Matches code of other languages. */
export interface SnippetWhen {
  readonly argument?: undefined
  readonly program?: undefined
  readonly access?: undefined
  readonly whole?: undefined
  readonly language: readonly Snippet['language'][]
  readonly test: (snippet: Snippet, facts: Facts) => TestResult
}

/** Matches everything that a text would run. */
export interface WholeWhen {
  readonly argument?: undefined
  readonly program?: undefined
  readonly access?: undefined
  readonly language?: undefined
  readonly whole: (execution: Execution, facts: Facts) => TestResult
}

/** Matches an argument of a tool call, at any depth. */
export interface ArgumentWhen {
  readonly program?: undefined
  readonly access?: undefined
  readonly language?: undefined
  readonly whole?: undefined
  readonly argument: (argument: Argument) => TestResult
}

type When = CommandWhen | AccessWhen | SnippetWhen | WholeWhen | ArgumentWhen

/** An example: a shell command, or a call of another tool. */
export type Example = string | { readonly tool: string; readonly args: Readonly<Record<string, unknown>> }

export interface Rule {
  /** `pack/name`. */
  readonly id: string
  readonly effect: Effect
  readonly tier: Tier
  readonly reason: string
  readonly alternative?: string | undefined
  readonly owasp: OwaspTag
  readonly when: When
  /** Applies even with `--help` or `--dry-run`, because the program has no such options. */
  readonly isAlways?: boolean
  /** Examples that match. */
  readonly match: readonly Example[]
  /** Examples that do not match. */
  readonly pass: readonly Example[]
}

/** Rules that belong together. */
export interface RulePack {
  readonly name: string
  readonly about: string
  readonly rules: readonly Rule[]
}

/** A compiled rule for commands. */
export interface CompiledRule {
  readonly rule: Rule
  readonly check: (call: Call, facts: Facts) => TestResult
}

/** Compiles the condition of a command rule, without the program, which the rulebook's index checks. */
export function compileCommandRule(rule: Rule, when: CommandWhen): CompiledRule {
  const subs = when.sub === undefined ? undefined : toList(when.sub).map(compileSub)
  const verb = when.verb === undefined ? undefined : compileNames(when.verb)
  const flags = (when.flags ?? []).map(flagNames)
  const unless = (when.unless ?? []).map(flagNames)
  const { test } = when
  const check = (call: Call, facts: Facts): TestResult => {
    if (subs !== undefined && !subs.some((sub) => isSub(call, sub))) return undefined
    const found = verb === undefined ? undefined : findVerb(call, verb)
    if (verb !== undefined && found === undefined) return undefined
    if (!flags.every((names) => findOption(call, names) !== undefined)) return undefined
    if (unless.some((names) => findOption(call, names) !== undefined)) return undefined
    if (test !== undefined) return test(call, facts)
    return found ?? firstFlag(call, flags) ?? true
  }
  return { rule, check }
}

function firstFlag(call: Call, flags: readonly FlagNames[]): Word | undefined {
  const names = flags[0]
  return names === undefined ? undefined : findOption(call, names)?.word
}

/** Whether a name matches: plain names, `delete-*`, `*:delete`. */
export type NameTest = (name: string) => boolean

/** Compiles a list of names with stars at the beginning or end. */
export function compileNames(written: string): NameTest {
  const plain = new Set<string>()
  const starts: string[] = []
  const ends: string[] = []
  for (const name of written.split(' ')) {
    if (name.endsWith('*')) starts.push(name.slice(0, -1))
    else if (name.startsWith('*')) ends.push(name.slice(1))
    else plain.add(name)
  }
  if (starts.length === 0 && ends.length === 0) return (name) => plain.has(name)
  return (name) =>
    plain.has(name) || starts.some((start) => name.startsWith(start)) || ends.some((end) => name.endsWith(end))
}

type SubTest = readonly (ReadonlySet<string> | undefined)[]

function compileSub(written: string): SubTest {
  return written.split(' ').map((word) => (word === '*' ? undefined : new Set(word.split('|'))))
}

function isSub(call: Call, sub: SubTest): boolean {
  if (call.operands.length < sub.length) return false
  return sub.every((names, index) => names === undefined || names.has(call.operands[index]?.text ?? ''))
}

// Only the first operands can be verbs; later operands may be names such as `delete`.
const VERB_DEPTH = 5

function findVerb(call: Call, verb: NameTest): Word | undefined {
  const depth = Math.min(VERB_DEPTH, call.operands.length)
  for (let index = 0; index < depth; index++) {
    const word = call.operands[index] as Word
    if (verb(word.text)) return word
  }
  return undefined
}

/** Makes a list of one or several values. */
function toList(value: string | readonly string[]): readonly string[] {
  return typeof value === 'string' ? [value] : value
}

/** Program names as rules write them: one text with spaces, or a list. */
export function programNames(value: string | readonly string[]): readonly string[] {
  return typeof value === 'string' ? value.split(' ') : value
}
