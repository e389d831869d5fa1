// Splits code of PowerShell and cmd into pipelines of commands. Variables with constant values are replaced.

/** One command of a pipeline. */
export interface WindowsCommand {
  readonly words: readonly string[]
  /** The target of `>`; `nul` and `$null` are not files. */
  readonly output?: string | undefined
  readonly isAppend: boolean
}

/** Commands that are connected by pipes. */
export type WindowsPipeline = readonly WindowsCommand[]

const MAX_PIPELINES = 200
const TOKEN = /"(?:[^"`]|`.)*"|'[^']*'|[;\n|{}()]|&&|\|\||&|(?:\d|\*)?>>?(?:&\d)?|(?:[^\s;|&{}()"'>`^]|[`^].)+/g
const SEPARATOR = /^(?:[;\n{}()]|&&|\|\||&)$/

/** The pipelines of the code. Brackets and braces begin new ones. */
export function splitPipelines(code: string): readonly WindowsPipeline[] {
  const found: WindowsPipeline[] = []
  const variables = new Map<string, string>()
  let pipeline: Draft[] = [newDraft()]
  const end = (): void => {
    const commands = pipeline.filter(({ words }) => words.length > 0)
    if (commands.length > 0 && !assigns(commands, variables)) found.push(commands)
    pipeline = [newDraft()]
  }
  for (const [token] of code.matchAll(TOKEN)) {
    if (found.length >= MAX_PIPELINES) break
    if (SEPARATOR.test(token)) end()
    else if (token === '|') pipeline.push(newDraft())
    else addToken(pipeline.at(-1) as Draft, token, variables)
  }
  end()
  return found
}

interface Draft {
  words: string[]
  output?: string | undefined
  isAppend: boolean
  isRedirected: boolean
}

function newDraft(): Draft {
  return { words: [], isAppend: false, isRedirected: false }
}

function addToken(draft: Draft, token: string, variables: ReadonlyMap<string, string>): void {
  if (/^(?:\d|\*)?>/.test(token)) {
    draft.isRedirected = !token.includes('&')
    draft.isAppend = token.includes('>>')
    return
  }
  const word = readWord(token, variables)
  if (draft.isRedirected) {
    draft.output = /^(?:nul|\$null)$/i.test(word) ? undefined : word
    draft.isRedirected = false
  } else draft.words.push(word)
}

// Text in single quotes is taken as it is. `` ` `` and `^` escape the next character.
function readWord(token: string, variables: ReadonlyMap<string, string>): string {
  if (token.startsWith("'")) return token.slice(1, -1)
  const text = token.startsWith('"') ? token.slice(1, -1) : token
  return text
    .replace(
      /\$\{?(\w+)\}?|%(\w+)%/g,
      (whole, one?: string, two?: string) => variables.get(nameKey(one ?? two)) ?? whole,
    )
    .replace(/[`^](.)/g, '$1')
}

// `$path = 'C:\x'` and `set path=C:\x`
function assigns(commands: readonly Draft[], variables: Map<string, string>): boolean {
  const words = commands[0]?.words ?? []
  const [first = '', second = ''] = words
  const name = /^\$(\w+)$/.exec(first)?.[1]
  if (name !== undefined && second === '=' && words.length === 3) {
    variables.set(nameKey(name), words[2] ?? '')
    return true
  }
  const set = /^set$/i.test(first) ? /^(\w+)=(.*)$/.exec(words.slice(1).join(' ')) : null
  if (set?.[1] !== undefined) variables.set(nameKey(set[1]), set[2] ?? '')
  return set !== null
}

function nameKey(name: string | undefined): string {
  return (name ?? '').toLowerCase()
}
