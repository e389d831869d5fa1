// Rakefiles are Ruby: the text with the blocks of all other tasks blanked, so that positions stay.

import { withNeeded } from './script-part.ts'

interface Task {
  readonly name: string
  readonly needs: readonly string[]
  readonly start: number
  readonly end: number
}

const TASK = /^([ \t]*)(?:multi)?task[ \t(]+:?["']?([\w:-]+)["']?:?(.*?)\bdo\b[^\n]*$/gm

/** The code that `rake` runs for these tasks. */
export function readRakefile(text: string, names: readonly string[]): string {
  const tasks = [...text.matchAll(TASK)].map((match) => parseTask(text, match))
  const find = (name: string) => tasks.filter((task) => task.name === lastName(name))
  const wanted = new Set(
    withNeeded((names.length > 0 ? names : ['default']).map(lastName), (name) => [
      ...find(name).flatMap(({ needs }) => needs),
      ...plainNeeds(text, name),
    ]),
  )
  let code = text
  for (const { name, start, end } of tasks) {
    if (wanted.has(name)) continue
    code = code.slice(0, start) + code.slice(start, end).replace(/[^\n]/g, ' ') + code.slice(end)
  }
  return code
}

function parseTask(text: string, match: RegExpMatchArray): Task {
  const [whole, blanks = '', name = '', needs = ''] = match
  const start = match.index ?? 0
  const close = new RegExp(`^${blanks}end\\b`, 'm').exec(text.slice(start + whole.length))
  const end = close === null ? text.length : start + whole.length + close.index + close[0].length
  return { name, needs: [...needs.matchAll(/[:"']([\w:-]+)/g)].map(([, one = '']) => lastName(one)), start, end }
}

// `task default: [:clean, :build]` has no block.
function plainNeeds(text: string, name: string): readonly string[] {
  const found: string[] = []
  for (const [, one = '', needs = ''] of text.matchAll(
    /^[ \t]*task[ \t(]+:?["']?([\w:-]+)["']?[ \t]*(?::|=>|,)([^\n]*)$/gm,
  ))
    if (one.replace(/:$/, '') === name)
      found.push(...[...needs.matchAll(/[:"']([\w:-]+)/g)].map(([, need = '']) => lastName(need)))
  return found
}

function lastName(name: string): string {
  return name.replace(/\[.*$/, '').split(':').at(-1) ?? name
}
