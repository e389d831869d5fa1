// Reads makefiles and justfiles: included files, and the recipes of a target and its prerequisites.

import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { readBoundedFile } from '../../config/read-file.ts'
import type { Word } from '../../risk/shell/execution.ts'
import type { CodeLocation, CollectorPort } from './collector-port.ts'

const MAX_BYTES = 256 * 1024
const MAX_INCLUDED = 100

interface Rule {
  readonly needs: readonly string[]
  readonly recipe: string[]
}

/** Reads the recipes of `make TARGET` or `just RECIPE`. */
export function readMakeRecipes(
  collector: CollectorPort,
  args: readonly Word[],
  location: CodeLocation,
  names: readonly string[],
): void {
  const valueAfter = (option: RegExp): Word | undefined => args.find((_, at) => option.test(args[at - 1]?.text ?? ''))
  const folder = valueAfter(/^(?:-C|--directory|-d|--working-directory)$/)
  const given = valueAfter(/^(?:-f|--file|--makefile|--justfile)$/)
  const taken = [folder, given]
  if (taken.some((word) => word?.isKnown === false) || args.some(({ text }) => /^--?\w+=/.test(text))) {
    return void collector.noteUnfollowed('make with options that are only known when it runs')
  }
  const cwd = resolve(location.cwd, folder?.text ?? '.')
  const files = given === undefined ? names.map((name) => join(cwd, name)) : [resolve(cwd, given.text)]
  const text = files.map((file) => readMakefile(collector, file, { count: 0 })).join('\n')
  const targets = args.filter((word) => !/^-|=/.test(word.text) && !taken.includes(word))
  if (targets.some(({ isKnown }) => !isKnown)) collector.noteUnfollowed('a target that is only known when it runs')
  readRecipes(
    collector,
    text,
    targets.map((word) => word.text),
    { ...location, cwd },
  )
}

// Missing files are covered, too: make would read a file that appears.
function readMakefile(collector: CollectorPort, file: string, included: { count: number }): string {
  collector.coverFile(file)
  if (!existsSync(file) || ++included.count > MAX_INCLUDED) return ''
  const { text, problem } = readBoundedFile(file, MAX_BYTES)
  if (text === undefined || problem !== undefined)
    collector.noteUnfollowed(`${collector.displayPath(file)}, which cannot be read`)
  const parts = [text ?? '']
  for (const [, names = ''] of (text ?? '').matchAll(/^(?:-|s)?(?:include|import\??|mod)\s+(.+)$/gm)) {
    if (/[$*?[]/.test(names)) collector.noteUnfollowed(`what ${collector.displayPath(file)} includes: ${names}`)
    else
      for (const name of names.split(/\s+/))
        parts.push(readMakefile(collector, resolve(file, '..', name.replace(/^['"]|['"]$/g, '')), included))
  }
  return parts.join('\n')
}

function readRecipes(collector: CollectorPort, text: string, targets: readonly string[], location: CodeLocation): void {
  const variables = new Map<string, string>()
  for (const [, name = '', value = ''] of text.matchAll(/^(?:export\s+)?([A-Za-z_]\w*)\s*[:?]?:?=\s*(.*)$/gm)) {
    variables.set(name, value.trim().replace(/^(['"])(.*)\1$/, '$2'))
  }
  const { rules, first } = parseRules(text)
  for (const [, code = ''] of text.matchAll(/\$\(shell\s+([^)]*)\)/g)) collector.readShell(code, nextLocation(location))
  const seen = new Set<string>()
  const waiting = targets.length > 0 ? [...targets] : first
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    const rule = rules.get(name)
    if (rule === undefined || seen.has(name)) continue
    seen.add(name)
    waiting.push(...rule.needs)
    collector.readShell(expandVariables(rule.recipe.join('\n'), variables), nextLocation(location))
  }
}

function nextLocation({ cwd, depth }: CodeLocation): CodeLocation {
  return { cwd, depth: depth + 1 }
}

function parseRules(text: string): { readonly rules: ReadonlyMap<string, Rule>; readonly first: string[] } {
  const rules = new Map<string, Rule>()
  const first: string[] = []
  let open: Rule[] = []
  for (const line of text.replace(/\\\n/g, ' ').split('\n')) {
    const recipe = /^(?:\t|[ ]+)(?=\S)(.*)$/.exec(line)?.[1]
    if (recipe !== undefined) for (const rule of open) rule.recipe.push(recipe.replace(/^[@+-]+/, ''))
    const [, names, needs = ''] = /^([^\s#=:][^#=:]*?)\s*::?(?!=)\s*([^=]*)$/.exec(line) ?? []
    if (recipe !== undefined || names === undefined) continue
    const [needed = '', inline] = needs.split(';', 2)
    open = names.split(/\s+/).map((name) => {
      const rule = rules.get(name) ?? { needs: [], recipe: [] }
      const wider = { needs: [...rule.needs, ...needed.split(/[\s()&|]+/).filter(Boolean)], recipe: rule.recipe }
      if (inline !== undefined) wider.recipe.push(inline)
      rules.set(name, wider)
      if (first.length === 0 && !name.startsWith('.')) first.push(name)
      return wider
    })
  }
  // The parameters of a just recipe follow its name.
  return { rules, first }
}

// Expands make variables with a plain value; other variables become unknown shell variables.
function expandVariables(recipe: string, variables: ReadonlyMap<string, string>): string {
  let text = recipe
  for (let round = 0; round < 5; round++) {
    text = text.replace(/\$\(([A-Za-z_]\w*)\)|(?<!\$)\$\{([A-Za-z_]\w*)\}|\{\{\s*(\w+)\s*\}\}/g, (whole, a, b, c) => {
      const name = String(a ?? b ?? c)
      if (name === 'MAKE') return 'make'
      return variables.get(name) ?? (round === 4 ? `$${name}` : whole)
    })
  }
  return text.replace(/\$\$/g, '$')
}
