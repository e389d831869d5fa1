// A rule is data: what it looks for, what that would do, what to do instead, and the examples that are its tests.
// A small declarative form covers most rules and is compiled once; where it does not suffice, a rule brings a test.

import type { Guard } from '../engine/guarded-paths.ts'
import type { Access } from './access.ts'
import type { Effect, Span, Tier } from './assessment.ts'
import { type Call, type FlagNames, findOption, flagNames } from './call.ts'
import type { Execution, Snippet, Word } from './shell/execution.ts'

/** What is known about the place where the action would happen. Nothing here is looked up by the rules. */
export interface Facts {
  /** The root of the project; undefined where there is none, such as on another machine. */
  readonly workspace: string | undefined
  readonly home: string
  /** What variables the text sets for itself, in any order. */
  readonly assigned?: ReadonlyMap<string, Word> | undefined
  /** Is this file under version control? Undefined where nobody knows. */
  readonly isTracked?: ((path: string) => boolean | undefined) | undefined
  /** What belongs to the supervision on this machine; the usual places by name where it is not given. */
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

/** What a rule found: where, and where it matters how bad in this case. */
export interface Hit {
  readonly at: Span
  /** Instead of the rule's own tier. */
  readonly tier?: Tier
  readonly effect?: Effect
  /** The harm depends on something that cannot be known from the text: a person should say. */
  readonly isUncertain?: boolean
  /** Instead of the rule's own reason. */
  readonly reason?: string
}

/** What a test may answer: where it hit, that it hit, or nothing. */
export type TestResult = Word | Hit | boolean | undefined

/** Looks for a command. All that is given must hold. */
export interface CommandWhen {
  readonly access?: undefined
  readonly language?: undefined
  readonly whole?: undefined
  /** Program names; `mkfs.*` for all that begin so; `**` for every program. */
  readonly program: string | readonly string[]
  /** The words after the program: `stash drop|clear`; `*` stands for any one word. */
  readonly sub?: string | readonly string[]
  /** One of the first operands is such a verb: `delete delete-* *:destroy`. */
  readonly verb?: string
  /** Every one of these must be given: `-f|--force`. */
  readonly flags?: readonly string[]
  /** None of these may be given. */
  readonly unless?: readonly string[]
  readonly test?: (call: Call, facts: Facts) => TestResult
}

/** Looks at the files that an action reads, writes, deletes or sends, by shell or by tool. */
export interface AccessWhen {
  readonly program?: undefined
  readonly language?: undefined
  readonly whole?: undefined
  readonly access: readonly Access['kind'][]
  readonly test: (access: Access, facts: Facts) => TestResult
}

/** Looks at code of other languages. */
export interface SnippetWhen {
  readonly program?: undefined
  readonly access?: undefined
  readonly whole?: undefined
  readonly language: readonly Snippet['language'][]
  readonly test: (snippet: Snippet, facts: Facts) => TestResult
}

/** Looks at everything that a text would run, where only the whole shows the harm. */
export interface WholeWhen {
  readonly program?: undefined
  readonly access?: undefined
  readonly language?: undefined
  readonly whole: (execution: Execution, facts: Facts) => TestResult
}

type When = CommandWhen | AccessWhen | SnippetWhen | WholeWhen

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
  /** It holds even with `--help` or `--dry-run`, which the program does not know. */
  readonly isAlways?: boolean
  /** Must be found by this rule. */
  readonly match: readonly Example[]
  /** Must not be found by this rule. */
  readonly pass: readonly Example[]
}

/** Rules that belong together. */
export interface RulePack {
  readonly name: string
  readonly about: string
  readonly rules: readonly Rule[]
}

/** A rule for commands, ready to be asked. */
export interface CompiledRule {
  readonly rule: Rule
  readonly check: (call: Call, facts: Facts) => TestResult
}

/** Compiles the condition of a command rule. The program is not looked at: the index did that. */
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

/** Does a name fit? Plain names, `delete-*`, `*:delete`. */
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

// Subcommand words come first; names of things that happen to be called `delete` come later.
const VERB_DEPTH = 5

function findVerb(call: Call, verb: NameTest): Word | undefined {
  const depth = Math.min(VERB_DEPTH, call.operands.length)
  for (let index = 0; index < depth; index++) {
    const word = call.operands[index] as Word
    if (verb(word.text)) return word
  }
  return undefined
}

/** A list, whether one or several are given. */
function toList(value: string | readonly string[]): readonly string[] {
  return typeof value === 'string' ? [value] : value
}

/** Program names as rules write them: one text with spaces, or a list. */
export function programNames(value: string | readonly string[]): readonly string[] {
  return typeof value === 'string' ? value.split(' ') : value
}
