// When a hook runs: conditions on a step, compiled once at registration into one test.
// A pattern that cannot be read is an error at registration, never a matcher that silently says no.

import { ArcError, rejectUnknownOptions, show } from './errors.ts'
import { compileGlob, expandBraces, isGlob, type TextTest } from './glob.ts'
import { isRecord } from './plain-data.ts'
import type { StepContext } from './step.ts'
import { fileArguments, isToolNamed } from './tools.ts'

/** A pattern: a name, a glob, `/a regular expression/flags` or a RegExp. */
type Pattern = string | RegExp

/** The conditions on a step; all that are given must hold. A list holds when one of its patterns does. */
export interface Match {
  /** The tool: a class (`shell`), a name, a glob, or a regular expression over the whole name. */
  readonly tool?: Pattern | readonly Pattern[]
  /** Globs over the files that the tool call names: relative to the workspace, or by name alone. */
  readonly path?: string | readonly string[]
  /** A text to be found in one argument's value: `{ command: /push/ }`, or in any: `/push/`. */
  readonly args?: Pattern | Readonly<Record<string, Pattern>>
  readonly agent?: Pattern | readonly Pattern[]
  readonly source?: Pattern | readonly Pattern[]
  readonly host?: Pattern | readonly Pattern[]
  /** The least risk tier, 1 to 5, as an earlier hook left it in the metadata (`risk.tier`, or `riskTier` as a number). */
  readonly minTier?: number
}

/** The part of a step that a matcher reads. */
export interface MatchFacts {
  readonly data: Readonly<Record<string, unknown>>
  readonly metadata: Readonly<Record<string, unknown>>
  readonly context: Pick<StepContext, 'agent' | 'source' | 'host' | 'workspace'>
}

/** Should the hook run on this step? */
export type StepTest = (facts: MatchFacts) => boolean

/** Compiles a regular expression into a test; throws when it cannot be read. Given from outside. */
export type RegexCompiler = (source: string, flags: string) => TextTest

const MATCH_KEYS = ['tool', 'path', 'args', 'agent', 'source', 'host', 'minTier'] as const

/** Compiles the conditions. Without conditions there is no test: the hook always runs. */
export function compileMatch(match: Match | undefined, regex: RegexCompiler): StepTest | undefined {
  if (match === undefined) return undefined
  if (typeof match !== 'object' || match === null || Array.isArray(match)) {
    throw new ArcError('ARC_OPTION_INVALID', `match must be an object, not ${show(match)}.`)
  }
  rejectUnknownOptions(match, MATCH_KEYS, 'match')
  const tests: StepTest[] = []
  if (match.tool !== undefined) tests.push(toolTest(match.tool, regex))
  for (const fact of ['agent', 'source', 'host'] as const) {
    const wanted = match[fact]
    if (wanted !== undefined) tests.push(factTest(fact, wanted, regex))
  }
  if (match.minTier !== undefined) tests.push(tierTest(match.minTier))
  if (match.path !== undefined) tests.push(pathTest(match.path))
  if (match.args !== undefined) tests.push(argsTest(match.args, regex))
  if (tests.length === 1) return tests[0]
  return tests.length === 0 ? undefined : (facts) => tests.every((test) => test(facts))
}

// What no tool is called, but what regular expressions and other systems' matchers look like: `Edit|Write`,
// `^Bash$`, `Bash(git *)`, `/Bash`. Taken as a name it would silently never match.
const NO_TOOL_NAME = /[|()]|^[\^/]|\$$/

// The same few tool names come again and again: each is decided once.
const REMEMBERED_NAMES = 500

function toolTest(wanted: Pattern | readonly Pattern[], regex: RegexCompiler): StepTest {
  const tests = patternList(wanted, 'match.tool').map((pattern) => {
    if (typeof pattern !== 'string' || isRegexText(pattern)) return wholeText(pattern, regex)
    if (NO_TOOL_NAME.test(pattern)) rejectName(pattern, 'match.tool')
    return isGlob(pattern) ? compileGlob(pattern) : (tool: string) => isToolNamed(pattern, tool)
  })
  const remembered = new Map<string, boolean>()
  const decide = (tool: string): boolean => {
    const answer = remembered.get(tool) ?? tests.some((test) => test(tool))
    if (remembered.size < REMEMBERED_NAMES) remembered.set(tool, answer)
    return answer
  }
  let lastTool: string | undefined
  let lastAnswer = false
  return ({ data: { tool } }) => {
    if (typeof tool !== 'string') return false
    if (tool !== lastTool) {
      lastAnswer = decide(tool)
      lastTool = tool
    }
    return lastAnswer
  }
}

function factTest(fact: 'agent' | 'source' | 'host', wanted: Pattern | readonly Pattern[], regex: RegexCompiler) {
  const tests = patternList(wanted, `match.${fact}`).map((pattern) => wholeText(pattern, regex))
  return ({ context }: MatchFacts): boolean => {
    const value = context[fact]
    return typeof value === 'string' && tests.some((test) => test(value))
  }
}

function tierTest(least: number): StepTest {
  if (!Number.isInteger(least) || least < 1 || least > 5) {
    throw new ArcError('ARC_OPTION_INVALID', `match.minTier must be a whole number from 1 to 5, not ${show(least)}.`)
  }
  return ({ metadata }) => tierIn(metadata) >= least
}

// The built-in risk detection leaves a whole assessment, with the class of effect under the name of the tier.
function tierIn({ riskTier, risk }: MatchFacts['metadata']): number {
  const tier = typeof riskTier !== 'number' && isRecord(risk) ? risk.tier : riskTier
  return typeof tier === 'number' ? tier : 0
}

function pathTest(wanted: string | readonly string[]): StepTest {
  const globs = patternList(wanted, 'match.path').flatMap((pattern) => {
    if (typeof pattern === 'string') return expandBraces(pattern).map(pathGlob)
    throw new ArcError('ARC_PATTERN_INVALID', `match.path takes globs, not ${show(String(pattern))}.`)
  })
  return ({ data, context: { workspace } }) => {
    const files = typeof data.path === 'string' ? [data.path] : fileArguments(data.args, String(data.tool))
    return files.some((file) => {
      const { name, spellings } = listSpellings(file, workspace)
      return globs.some(({ test, isName }) => (isName ? test(name) : spellings.some(test)))
    })
  }
}

// Paths are compared without `.` segments and closing slashes, so globs are read without them too: `./src/` is `src/**`.
function pathGlob(pattern: string): { readonly test: TextTest; readonly isName: boolean } {
  const glob = pattern.replace(/^(\.\/+)+/, '').replace(/(?<=[^/])\/+$/, '/**')
  return { test: compileGlob(glob), isName: !glob.includes('/') }
}

function argsTest(wanted: Pattern | Readonly<Record<string, Pattern>>, regex: RegexCompiler): StepTest {
  if (typeof wanted === 'string' || wanted instanceof RegExp) {
    const test = anywhere(wanted, regex)
    return ({ data }) => someText(data.args, test)
  }
  if (!isRecord(wanted)) {
    throw new ArcError('ARC_PATTERN_INVALID', `match.args needs a pattern or an object of them, not ${show(wanted)}.`)
  }
  const tests = Object.entries(wanted).map(([key, pattern]) => [key, anywhere(pattern, regex)] as const)
  return ({ data: { args } }) => isRecord(args) && tests.every(([key, test]) => someText(args[key], test))
}

// Whole text: a name, a glob or an anchored regular expression.
function wholeText(pattern: Pattern, regex: RegexCompiler): TextTest {
  const parts = regexParts(pattern)
  if (parts !== undefined) {
    // Alone first: `a)|(b` is nonsense, but would become sound, and no longer anchored, between the brackets.
    compileRegex(parts, pattern, regex)
    const flags = parts.flags.replace('m', '')
    return compileRegex({ source: `^(?:${parts.source})$`, flags }, pattern, regex)
  }
  const text = pattern as string
  if (text.includes('|')) rejectName(text, 'match')
  if (isGlob(text)) return compileGlob(text)
  return (given) => given === text
}

// Anywhere in the text: a plain string is searched for literally, a glob has no special meaning here.
function anywhere(pattern: Pattern, regex: RegexCompiler): TextTest {
  const parts = regexParts(pattern)
  if (parts !== undefined) return compileRegex(parts, pattern, regex)
  if (typeof pattern !== 'string' || pattern === '') {
    throw new ArcError('ARC_PATTERN_INVALID', `match.args needs a text or pattern that is not empty.`)
  }
  return (given) => given.includes(pattern)
}

interface RegexParts {
  readonly source: string
  readonly flags: string
}

const REGEX_TEXT = /^\/(.+)\/([a-z]*)$/s

function isRegexText(text: string): boolean {
  return REGEX_TEXT.test(text)
}

function regexParts(pattern: Pattern): RegexParts | undefined {
  if (pattern instanceof RegExp) return { source: pattern.source, flags: pattern.flags.replace(/[gyd]/g, '') }
  const found = typeof pattern === 'string' ? REGEX_TEXT.exec(pattern) : null
  return found === null ? undefined : { source: found[1] ?? '', flags: found[2] ?? '' }
}

function compileRegex({ source, flags }: RegexParts, pattern: Pattern, regex: RegexCompiler): TextTest {
  try {
    return regex(source, flags)
  } catch (error) {
    // A RegExp object is the program's own code and already valid: what the linear engine lacks, the native one has.
    if (pattern instanceof RegExp) {
      const native = new RegExp(source, flags)
      return (text) => native.test(text)
    }
    const why = error instanceof Error ? error.message : String(error)
    throw new ArcError('ARC_PATTERN_INVALID', `The regular expression ${show(pattern)} cannot be read: ${why}.`)
  }
}

function patternList(wanted: Pattern | readonly Pattern[], where: string): readonly Pattern[] {
  const list: readonly unknown[] = Array.isArray(wanted) ? wanted : [wanted]
  const isPattern = (item: unknown) => (typeof item === 'string' && item !== '') || item instanceof RegExp
  if (list.length > 0 && list.every(isPattern)) return list as readonly Pattern[]
  throw new ArcError('ARC_PATTERN_INVALID', `${where} needs a pattern or a list of patterns, not ${show(wanted)}.`)
}

function rejectName(pattern: string, where: string): never {
  const instead = 'give a list of names, or a regular expression as "/…/"'
  throw new ArcError('ARC_PATTERN_INVALID', `${where} holds ${show(pattern)}, which is no name or glob; ${instead}.`)
}

// Does any text inside a value, at any depth, pass the test? The agent chooses the value, so the search is bounded,
// and a value too large to search counts as a hit: the hook runs and looks for itself.
const MAX_SEARCHED = 100_000

function someText(value: unknown, test: TextTest): boolean {
  const open: unknown[] = [value]
  for (let searched = 0; open.length > 0; searched++) {
    if (searched > MAX_SEARCHED) return true
    const item = open.pop()
    if (typeof item === 'string' || typeof item === 'number') {
      if (test(String(item))) return true
    } else if (typeof item === 'object' && item !== null) {
      for (const inner of Object.values(item)) open.push(inner)
    }
  }
  return false
}

// A file in every way a glob may speak of it: as written, whole, and relative to the workspace.
function listSpellings(file: string, workspace: string | undefined): { name: string; spellings: readonly string[] } {
  const written = normalPath(file)
  if (workspace === undefined) return { name: fileName(written), spellings: [written] }
  const whole = isAbsolute(file) ? written : normalPath(`${workspace}/${file}`)
  const root = normalPath(workspace).replace(/\/$/, '')
  const relative = whole.startsWith(`${root}/`) ? whole.slice(root.length + 1) : whole
  return { name: fileName(whole), spellings: [written, whole, relative] }
}

const NEEDS_WORK = /\\|\/[./]|^\.|.\/$/

// Forward slashes, no `.` segments, `..` resolved by name: enough to compare with a glob.
function normalPath(path: string): string {
  if (!NEEDS_WORK.test(path)) return path
  const isFromRoot = path.startsWith('/') || path.startsWith('\\')
  const parts: string[] = []
  for (const part of path.split(/[\\/]+/)) {
    if (part === '..' && parts.length > 0 && parts.at(-1) !== '..') parts.pop()
    else if (part === '..' && isFromRoot) continue
    else if (part !== '' && part !== '.') parts.push(part)
  }
  return (isFromRoot ? '/' : '') + parts.join('/')
}

function fileName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

function isAbsolute(path: string): boolean {
  return /^(?:[\\/]|[A-Za-z]:[\\/])/.test(path)
}
