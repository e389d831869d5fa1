// Justfiles: the recipes that `just` runs, with variables and arguments in them.

import { type Constants, MAX_PARTS, type ScriptPart, withNeeded } from './script-part.ts'

interface Recipe {
  readonly name: string
  readonly parameters: readonly string[]
  readonly needs: readonly string[]
  readonly lines: { readonly text: string; readonly start: number }[]
}

const HEADER = /^@?([\w-]+)((?:\s+[+*$]?[\w-]+(?:\s*=\s*(?:"[^"]*"|'[^']*'|\S+))?)*)\s*:(?!=)\s*(.*)$/
const ASSIGNMENT = /^(?:export\s+)?([\w-]+)\s*:=\s*(.+)$/

/** The scripts of a recipe with its arguments; of the first recipe if there is no name. */
export function readJustfile(text: string, words: readonly string[], given: Constants): readonly ScriptPart[] {
  const { recipes, variables } = parseJustfile(text)
  const [name = recipes[0]?.name ?? '', ...args] = words
  const byName = new Map(recipes.map((recipe) => [recipe.name, recipe]))
  const known = new Map([...variables, ...given])
  for (const [index, parameter] of (byName.get(name)?.parameters ?? []).entries()) {
    const value = args[index]
    if (value !== undefined) known.set(parameter.replace(/^[+*$]/, ''), value)
  }
  return withNeeded([name], (one) => byName.get(one)?.needs ?? [])
    .flatMap((one) => partsOf(byName.get(one), known))
    .slice(0, MAX_PARTS)
}

/** The scripts of all recipes. */
export function readAllJustRecipes(text: string): readonly ScriptPart[] {
  const { recipes, variables } = parseJustfile(text)
  return recipes.flatMap((recipe) => partsOf(recipe, variables)).slice(0, MAX_PARTS)
}

function parseJustfile(text: string): { recipes: readonly Recipe[]; variables: Constants } {
  const recipes: Recipe[] = []
  const variables = new Map<string, string>()
  let start = 0
  let recipe: Recipe | undefined
  for (const line of text.split('\n')) {
    if (/^\s+\S/.test(line)) recipe?.lines.push({ text: line, start })
    else if (!/^\s*(?:#|\[|$)/.test(line)) {
      const assigned = ASSIGNMENT.exec(line)
      if (assigned?.[1] && assigned[2]) variables.set(assigned[1], assigned[2].trim().replace(/^(["'])(.*)\1$/, '$2'))
      else recipe = parseHeader(line, recipes)
    }
    start += line.length + 1
  }
  return { recipes, variables }
}

function parseHeader(line: string, recipes: Recipe[]): Recipe | undefined {
  const match = HEADER.exec(line)
  if (!match?.[1]) return undefined
  const parameters = [...(match[2] ?? '').matchAll(/[+*$]?([\w-]+)(?:\s*=\s*(?:"[^"]*"|'[^']*'|\S+))?/g)].map(
    ([, name = '']) => name,
  )
  const needs = (match[3] ?? '').replace(/#.*$/, '').match(/[A-Za-z_][\w-]*/g) ?? []
  const recipe: Recipe = { name: match[1], parameters, needs, lines: [] }
  recipes.push(recipe)
  return recipe
}

// A recipe that begins with `#!` is one script; otherwise each line runs in its own shell.
function partsOf(recipe: Recipe | undefined, known: Constants): readonly ScriptPart[] {
  const [first] = recipe?.lines ?? []
  if (recipe === undefined || first === undefined) return []
  const lines = recipe.lines.map(({ text, start }) => {
    const skipped = /^[\s@-]*/.exec(text)?.[0].length ?? 0
    return {
      text: interpolate(text.slice(skipped), known),
      start: start + skipped,
      end: start + text.length,
      name: recipe.name,
    }
  })
  if (!first.text.trimStart().startsWith('#!')) return lines
  const last = lines.at(-1) ?? lines[0]
  return [
    {
      text: lines.map(({ text }) => text).join('\n'),
      start: first.start,
      end: last?.end ?? first.start,
      name: recipe.name,
    },
  ]
}

function interpolate(text: string, known: Constants): string {
  return text.replace(
    /\{\{\s*([^{}]*?)\s*\}\}/g,
    (_whole, name: string) => known.get(name) ?? `\${${name.replace(/\W+/g, '_')}}`,
  )
}
