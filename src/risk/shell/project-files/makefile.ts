// Makefiles: the recipes of targets and of what they need, with constant variables in them. Conditions are not evaluated:
// all their branches count.

import { type Constants, logicalLines, MAX_PARTS, type ScriptPart, withNeeded } from './script-part.ts'

interface Rule {
  readonly targets: readonly string[]
  readonly needs: readonly string[]
  readonly recipe: { readonly text: string; readonly start: number }[]
}

interface Makefile {
  readonly rules: readonly Rule[]
  readonly variables: Map<string, string>
  /** `$(shell …)` in assignments runs when the file is read. */
  readonly shellCalls: ScriptPart[]
  readonly includes: readonly string[]
}

const ASSIGNMENT = /^\s*(?:(?:export|override|private)\s+)*([\w.-]+)\s*(\?|\+|::?|!)?=\s*([\s\S]*)$/
const RULE = /^([^\t#:=][^#:=]*?)\s*::?(?!=)\s*([^;#]*)(?:;([^\n]*))?/
const INCLUDE = /^\s*-?s?include\s+(.+)$/

/** The scripts that `make` runs for these targets; the first target of the file if there is none. */
export function readMakefile(text: string, targets: readonly string[], given: Constants): readonly ScriptPart[] {
  const { rules, variables, shellCalls } = parseMakefile(text, given)
  const known = new Map([...variables, ...given])
  const goals = targets.length > 0 ? targets : defaultGoal(rules, known)
  const needs = (target: string) => findRules(rules, target).flatMap((rule) => namesIn(rule.needs, target, rule, known))
  const parts = withNeeded(goals, needs).flatMap((target) =>
    findRules(rules, target).flatMap((rule) => recipeOf(rule, target, known)),
  )
  return [...shellCalls, ...parts].slice(0, MAX_PARTS)
}

/** The recipes of all targets. */
export function readAllRecipes(text: string): readonly ScriptPart[] {
  const { rules } = parseMakefile(text, new Map())
  const targets = [...new Set(rules.flatMap((rule) => rule.targets))].filter((name) => !name.startsWith('.'))
  return targets.length === 0 ? [] : readMakefile(text, targets, new Map())
}

/** The files that a makefile includes by a constant name. */
export function findIncludes(text: string): readonly string[] {
  return parseMakefile(text, new Map()).includes
}

function parseMakefile(text: string, given: Constants): Makefile {
  const rules: Rule[] = []
  const variables = new Map<string, string>([
    ['MAKE', 'make'],
    ['SHELL', 'sh'],
    ['RM', 'rm -f'],
  ])
  const shellCalls: ScriptPart[] = []
  const includes: string[] = []
  let rule: Rule | undefined
  for (const line of logicalLines(text)) {
    if (line.text.startsWith('\t')) rule?.recipe.push({ text: line.text.slice(1), start: line.start + 1 })
    else if (/^\s*(?:#|$)/.test(line.text)) continue
    else {
      const assigned = ASSIGNMENT.exec(line.text)
      const included = INCLUDE.exec(line.text)?.[1]
      if (assigned) assign(variables, assigned, given)
      if (assigned) shellCalls.push(...findShellCalls(line, given))
      else if (included !== undefined) includes.push(...included.split(/\s+/).filter((name) => !/[$*]/.test(name)))
      else rule = parseRule(line, rules) ?? rule
    }
  }
  return { rules, variables, shellCalls, includes }
}

function assign(
  variables: Map<string, string>,
  [, name = '', operator, written = '']: RegExpExecArray,
  given: Constants,
): void {
  const value = written.replace(/\s+#.*$/, '').trim()
  const before = variables.get(name)
  if (operator === '?' && (before !== undefined || given.has(name))) return
  if (operator === '!') variables.delete(name)
  else variables.set(name, operator === '+' && before !== undefined ? `${before} ${value}` : value)
}

function parseRule(line: { readonly text: string; readonly start: number }, rules: Rule[]): Rule | undefined {
  const match = RULE.exec(line.text)
  if (match === null) return undefined
  const [whole, names = '', needs = '', inline] = match
  const rule: Rule = { targets: names.trim().split(/\s+/), needs: needs.split(/[\s|]+/).filter(Boolean), recipe: [] }
  if (inline !== undefined) rule.recipe.push({ text: inline, start: line.start + whole.length - inline.length })
  rules.push(rule)
  return rule
}

function defaultGoal(rules: readonly Rule[], known: Constants): readonly string[] {
  const named = known.get('.DEFAULT_GOAL')
  if (named !== undefined) return [named]
  const first = rules.flatMap(({ targets }) => targets).find((name) => !/^\.[^/]|%/.test(name))
  return first === undefined ? [] : [expandName(first, known)]
}

function findRules(rules: readonly Rule[], target: string): readonly Rule[] {
  const plain = rules.filter(({ targets }) => targets.includes(target))
  if (plain.some(({ recipe }) => recipe.length > 0)) return plain
  return [...plain, ...rules.filter(({ targets }) => targets.some((name) => matchesPattern(name, target)))]
}

function matchesPattern(pattern: string, target: string): boolean {
  const at = pattern.indexOf('%')
  if (at < 0) return false
  return target.startsWith(pattern.slice(0, at)) && target.endsWith(pattern.slice(at + 1)) && pattern !== '%'
}

function namesIn(needs: readonly string[], target: string, rule: Rule, known: Constants): readonly string[] {
  return needs
    .flatMap((name) => expand(name, target, rule, known).split(/\s+/))
    .filter((name) => name !== '' && !/[$%*]/.test(name))
}

function expandName(name: string, known: Constants): string {
  return expand(name, name, { targets: [], needs: [], recipe: [] }, known)
}

// Each line of a recipe runs in its own shell.
function recipeOf(rule: Rule, target: string, known: Constants): readonly ScriptPart[] {
  return rule.recipe.map(({ text, start }) => {
    const skipped = /^[\s@+-]*/.exec(text)?.[0].length ?? 0
    const line = text.slice(skipped)
    return { text: expand(line, target, rule, known), start: start + skipped, end: start + text.length, name: target }
  })
}

const REFERENCE = /\$(?:\$|([@<^?*+|%])|\(([^()$]*)\)|\{([^{}$]*)\}|(\w))/g
const MAX_ROUNDS = 8
const MAX_TEXT = 65_536

// `$$` becomes `$` last. A variable that the file does not set may come from the environment, so the shell's form stays.
function expand(text: string, target: string, rule: Rule, known: Constants): string {
  let result = text
  for (let round = 0; round < MAX_ROUNDS && result.length < MAX_TEXT; round++) {
    const next = result.replace(REFERENCE, (whole, automatic, round1, round2, letter) => {
      if (whole === '$$') return whole
      if (automatic !== undefined) return automaticValue(automatic, target, rule)
      const name = (round1 ?? round2 ?? letter) as string
      return known.get(name) ?? callFunction(name, known)
    })
    if (next === result) break
    result = next
  }
  return result.replaceAll('$$', '$').replaceAll('\u0001', '$')
}

function automaticValue(name: string, target: string, { needs }: Rule): string {
  if (name === '@' || name === '*') return target
  if (name === '<') return needs[0] ?? ''
  return name === '^' || name === '+' || name === '?' ? needs.join(' ') : ''
}

// `\u0001` is a dollar sign that is not expanded again.
function callFunction(written: string, known: Constants): string {
  const [, name = '', rest = ''] = /^([\w-]+)\s+([\s\S]*)$/.exec(written) ?? []
  if (name === '') return /^\w+$/.test(written) ? `\u0001{${written}}` : '\u0001UNKNOWN'
  if (name === 'shell') return `\u0001(${rest})`
  if (name === 'strip' || name === 'abspath' || name === 'realpath') return rest.trim()
  if (name === 'info' || name === 'warning') return ''
  if (name === 'addprefix')
    return rest
      .split(',')
      .map((part) => part.trim())
      .join('')
  if (name === 'or') return rest.split(',').find((part) => part.trim() !== '') ?? ''
  if (name === 'wildcard') return rest
  return known.get(written) ?? '\u0001UNKNOWN'
}

function findShellCalls(
  { text, start }: { readonly text: string; readonly start: number },
  known: Constants,
): ScriptPart[] {
  const found: ScriptPart[] = []
  for (let at = text.indexOf('$(shell '); at >= 0; at = text.indexOf('$(shell ', at + 1)) {
    const from = at + 8
    const end = closing(text, from)
    const code = expandName(text.slice(from, end), known)
    found.push({ text: code, start: start + from, end: start + end, name: 'shell' })
  }
  return found
}

function closing(text: string, from: number): number {
  let depth = 1
  for (let at = from; at < text.length; at++) {
    if (text[at] === '(') depth++
    else if (text[at] === ')' && --depth === 0) return at
  }
  return text.length
}
