// Programs that take a text and run it as code. A placeholder inside such a text would be code too, however well it
// is quoted for the shell out here: those commands are refused. Checked by the words that programs get, after unquoting.

import type { SyntaxNode } from 'unbash'
import {
  CODE_OPTIONS,
  CONTAINERS,
  DECLARING,
  INTERPRETERS,
  LOADED_VARIABLES,
  PREFIXES,
  REFUSED,
  SHELL,
  WRAPPING_PROGRAMS,
} from './evaluator-table.ts'
import {
  hasValue,
  isFixed,
  markPlaceholders,
  plainWord,
  readFileName,
  readShell,
  type ShellCall,
  type ShellWord,
} from './shell-words.ts'

const MAX_DEPTH = 5

const WHERE = {
  code: 'inside code for another program, which would run it',
  shell: 'in a command with a nested shell, which would run it',
  fed: 'in a command that feeds a nested shell or interpreter, which would run it',
  program: 'in a command whose program is not known before it runs',
  number: 'in a command with a calculation or comparison of variables, which evaluates them',
  parameter: 'in a command with an expansion that evaluates what a variable holds',
  variable: 'in the name or options of a variable, or in a variable that other programs run',
  unread: 'although the command cannot be read as shell text',
} as const

/** Why a line for the shell must not have placeholders: it could run one as code. */
export function whyCodeInLine(line: string): string | undefined {
  return whyCodeInScript(markPlaceholders(line), 0)
}

/** Why an argument list must not have placeholders where it has them: one of them is inside code. */
export function whyCodeInArguments(command: readonly string[]): string | undefined {
  const words = command.map(plainWord)
  return words.some(({ text }) => hasValue(text)) ? whyCodeInWords(words, 0) : undefined
}

function whyCodeInScript(text: string, depth: number): string | undefined {
  if (depth > MAX_DEPTH) return WHERE.unread
  const { calls, nodes, isWhole } = readShell(text)
  if (!isWhole) return WHERE.unread
  return findFirst(nodes, whyEvaluated) ?? findFirst(calls, (call) => whyCodeInCall(call, depth))
}

// What the shell itself evaluates: the values of variables in numbers, subscripts and some expansions.
function whyEvaluated(node: SyntaxNode): string | undefined {
  switch (node.type) {
    case 'ArithmeticWord':
      return /^\s*\d*\s*$/.test(node.value) ? undefined : WHERE.number
    case 'TestBinary':
      return /^-(?:eq|ne|lt|le|gt|ge)$/.test(node.operator) ? WHERE.number : undefined
    case 'TestUnary':
      return node.operator === '-v' ? WHERE.number : undefined
    case 'ParameterExpansion': {
      const isIndirect = node.prefix === '!' || node.operation?.type === 'Transform'
      const isSubscript = node.index !== undefined && !/^(?:[@*]|\d+)$/.test(node.index.text)
      return isIndirect || isSubscript ? WHERE.parameter : undefined
    }
    case 'Slice':
      return [node.offset, node.length].some((word) => word !== undefined && !/^\s*-?\d+$/.test(word.text))
        ? WHERE.parameter
        : undefined
    default:
      return undefined
  }
}

function whyCodeInCall({ words, assigned }: ShellCall, depth: number): string | undefined {
  for (const { name, index, value } of assigned) {
    const isRun = LOADED_VARIABLES.test(name) && hasValue(value)
    if (isRun || (index !== undefined && !/^\d+$/.test(index.text))) return WHERE.variable
  }
  return words.length === 0 ? undefined : whyCodeInWords(words, depth)
}

function whyCodeInWords(words: readonly ShellWord[], depth: number): string | undefined {
  const [first, ...rest] = words as [ShellWord, ...ShellWord[]]
  const name = readFileName(first)
  if (name === undefined || depth > MAX_DEPTH) return WHERE.program
  const isWrapper = WRAPPING_PROGRAMS.has(name)
  const started = startedBy(name, rest)
  const own = whyCodeAt(name, rest, depth)
  const inner = started.length > 0 && own === undefined ? whyCodeInWords(started, depth + 1) : own
  return (
    inner ??
    findFirst(rest, (word, at) => {
      const after = rest.slice(at + 1)
      const within = readFileName(word)
      // A program that starts others is not known by its name alone: a shell with code is looked for in every place.
      const isShell = isShellWithCode(within, after) || INTERPRETERS.some(({ names }) => names.test(within ?? ''))
      // Its input goes to the shell in the container, or into the text of the code.
      if (within !== undefined && SHELL.test(within) && isFedBy(name, after)) return WHERE.fed
      const nested = within !== undefined && (isWrapper || isShell) ? whyCodeAt(within, after, depth, false) : undefined
      const carried = isWrapper ? whyCarried(word, after[0]) : undefined
      return nested ?? carried ?? whyCodeInOption(word) ?? whyCodeInText(word, depth)
    })
  )
}

function isFedBy(name: string, after: readonly ShellWord[]): boolean {
  if (/^g?xargs$/.test(name)) return isShellWithCode('sh', after)
  return CONTAINERS.has(name) && after.length === 0
}

// What a program such as sudo or timeout starts; nothing where it is no such program.
function startedBy(name: string, words: readonly ShellWord[]): readonly ShellWord[] {
  const prefix = Object.hasOwn(PREFIXES, name) ? PREFIXES[name] : undefined
  if (prefix === undefined) return []
  let left = prefix.operands ?? 0
  for (let at = 0; at < words.length; at++) {
    const text = words[at]?.text ?? ''
    if (/^-/.test(text)) at += new RegExp(`^-[a-zA-Z]*[${prefix.values ?? '-'}]$`).test(text) ? 1 : 0
    else if (!/^[A-Za-z_]\w*=/.test(text) && left-- <= 0) return words.slice(at)
  }
  return []
}

// `flock file -c CODE`, `env -S CODE`, `git -c alias.x=CODE`, and a shell that only a variable names.
function whyCarried(word: ShellWord, next: ShellWord | undefined): string | undefined {
  const isCode = /^(?:-c|--command|--run|-S|--split-string)$/.test(word.text)
  if (isCode && next !== undefined && !isFixed(next)) return WHERE.code
  const isUnknown = readFileName(word) === undefined && !word.text.startsWith('-')
  return isUnknown && next !== undefined && /^-[a-zA-Z]{0,2}[ce]$/.test(next.text) ? WHERE.program : undefined
}

function isShellWithCode(name: string | undefined, after: readonly ShellWord[]): boolean {
  return name !== undefined && SHELL.test(name) && after.some(({ text }) => /^-[a-zA-Z]*[cs]$|^--command/.test(text))
}

// What a program with these arguments would run. Where it need not be the program, only code that is given counts.
function whyCodeAt(name: string, args: readonly ShellWord[], depth: number, isProgram = true): string | undefined {
  if (SHELL.test(name)) return whyCodeInShell(args, depth, isProgram)
  if (isProgram && REFUSED.has(name)) return `in a command with ${name}, which would run it`
  if (isProgram && (name === 'source' || name === '.')) return whyCodeInFile(args[0])
  if (isProgram && DECLARING.has(name)) return whyDeclared(args)
  if (isProgram && (name === 'test' || name === '[') && args.some(({ text }) => text === '-v')) return WHERE.number
  const found = INTERPRETERS.find(({ names }) => names.test(name))
  if (found === undefined) return undefined
  const code = findCode(args, found.option)
  if (code.some((word) => !isFixed(word))) return WHERE.code
  if (!isProgram || found.option === undefined || code.length > 0) return undefined
  return whyCodeInFile(findOperand(args))
}

function whyCodeInShell(args: readonly ShellWord[], depth: number, isProgram: boolean): string | undefined {
  for (const [at, { text }] of args.entries()) {
    if (!/^[-+]/.test(text) && !hasOpenOption(args[at - 1])) return isProgram ? whyCodeInFile(args[at]) : undefined
    if (/^-[a-zA-Z]*s/.test(text) || text === '-') return WHERE.fed
    if (/^-[a-zA-Z]*c|^--command/.test(text)) {
      const code = args.slice(at + 1).find((word) => !/^[-+]/.test(word.text))
      if (!isFixed(args[at] as ShellWord) || code === undefined || !isFixed(code)) return WHERE.shell
      return whyCodeInScript(code.text, depth + 1)
    }
  }
  return isProgram ? WHERE.fed : undefined
}

// `-o pipefail`: the next word belongs to the option.
function hasOpenOption(word: ShellWord | undefined): boolean {
  return word !== undefined && /^[-+][a-zA-Z]*[oO]$|^--(?:rcfile|init-file)$/.test(word.text)
}

// A script in a file is for its author to keep safe; one that comes from the input is made here.
function whyCodeInFile(file: ShellWord | undefined): string | undefined {
  if (file === undefined || file.text === '-') return WHERE.fed
  if (/^\/dev\/(?:stdin|fd\/)|^\/proc\/.*\/fd\//.test(file.text)) return WHERE.fed
  return readFileName(file) === undefined ? WHERE.program : undefined
}

function findOperand(args: readonly ShellWord[]): ShellWord | undefined {
  if (args.some(({ text }) => /^(?:-m.*|-V|--version|--help)$/.test(text))) return plainWord('module')
  return args.find(({ text }) => text === '-' || !text.startsWith('-'))
}

// The arguments that an interpreter would run; without an option, its first operand and what follows -e.
function findCode(args: readonly ShellWord[], option: RegExp | undefined): readonly ShellWord[] {
  if (option !== undefined) {
    return args.filter(({ text }, at) => {
      const joined = /^(--?[a-zA-Z-]+)=/.exec(text)?.[1]
      const short = /^(-[a-zA-Z]+)./.exec(text)?.[1]
      const isJoined = option.test(joined ?? '') || (short !== undefined && hasValue(text) && option.test(short))
      return isJoined || option.test(args[at - 1]?.text ?? '')
    })
  }
  const isTaken = (at: number): boolean => /^(?:-v|--assign|--arg|--argjson)$/.test(args[at - 1]?.text ?? '')
  const isSecond = (at: number): boolean => /^--(?:arg|argjson)$/.test(args[at - 2]?.text ?? '')
  const operands = args.filter(({ text }, at) => !text.startsWith('-') && !isTaken(at) && !isSecond(at))
  const given = args.filter((_, at) => /^(?:-[a-zA-Z]*e|--expression|--source)$/.test(args[at - 1]?.text ?? ''))
  const joined = args.filter(({ text }) => /^(?:-e.|--expression=|--source=)/.test(text))
  return [...operands.slice(0, 1), ...given, ...joined]
}

// `export NAME=value` carries a value; a name or an option made of one does more.
function whyDeclared(args: readonly ShellWord[]): string | undefined {
  return findFirst(args, ({ text, isPattern }) => {
    const isOption = /^[-+]/.test(text)
    const name = /^[A-Za-z_]\w*(?==|$)/.exec(text)?.[0]
    if (isOption) return /[inaA]/.test(text) || hasValue(text) ? WHERE.variable : undefined
    return name === undefined || isPattern || (LOADED_VARIABLES.test(name) && hasValue(text))
      ? WHERE.variable
      : undefined
  })
}

function whyCodeInOption({ text }: ShellWord): string | undefined {
  return CODE_OPTIONS.test(text) && hasValue(text) ? WHERE.code : undefined
}

// A text with a placeholder that is itself a line with a nested shell: some program is meant to run it.
function whyCodeInText({ text }: ShellWord, depth: number): string | undefined {
  if (depth >= MAX_DEPTH || !hasValue(text) || !/\s/.test(text)) return undefined
  return findFirst(readShell(text).calls, ({ words }) =>
    findFirst(words, (word, at) => {
      const name = readFileName(word)
      const after = words.slice(at + 1)
      if (name === undefined) return undefined
      if (at === 0 && after.length > 0 && /^(?:eval|let|trap|ssh)$/.test(name)) return WHERE.shell
      return isShellWithCode(name, after) ? WHERE.shell : undefined
    }),
  )
}

function findFirst<T>(items: readonly T[], why: (item: T, at: number) => string | undefined): string | undefined {
  for (const [at, item] of items.entries()) {
    const found = why(item, at)
    if (found !== undefined) return found
  }
  return undefined
}
