// Programs that take a text and run it as code. A placeholder inside such a text would be code too, however well it
// is quoted for the shell out here: those commands are refused.

import { basename } from 'node:path'

type HasPlaceholders = (text: string) => boolean

const SHELL_NAME = '(?:ba|da|z|k|mk|a|c|tc|fi)?sh'
const WORD_START = '(?:^|[\\s;&|(`"\'])'
const OPTIONS = '(?:[-+]\\S+[ \\t]+(?:(?:pipefail|errexit|nounset)[ \\t]+)?)*'
// One word of a line, made of quoted and unquoted parts.
const WORD = `(?:'[^']*'|"(?:[^"\\\\]|\\\\.)*"|\\\\.|[^\\s'"\\\\;&|()<>])+`

/** Interpreters, and the option after which their code stands; without one, the code is the first argument. */
const INTERPRETERS: readonly { readonly names: string; readonly option?: string }[] = [
  { names: SHELL_NAME, option: '-[a-z]*c|--command' },
  { names: 'node|nodejs|bun', option: '-e|-p|-pe|--eval|--print' },
  { names: 'python[\\d.]*|pypy[\\d.]*', option: '-[a-zA-Z]*c' },
  { names: 'perl|ruby|lua|osascript', option: '-[a-zA-Z]*[eE]' },
  { names: 'php', option: '-[rBRE]' },
  { names: 'pwsh|powershell', option: '-c|-Command' },
  { names: 'su|script|expect', option: '-[a-z]*c|--command' },
  { names: 'ssh', option: '.+' },
  { names: '[gmn]?awk|g?sed' },
]

const BEFORE_FIRST = '(?:-v[ \\t]*\\S+[ \\t]+|-\\S+[ \\t]+)*'
const CODE = 'inside code for another program, which would run it'

const ANYWHERE_IN_LINE: readonly { readonly pattern: RegExp; readonly where: string }[] = [
  { pattern: new RegExp(`${WORD_START}(?:eval|let|trap|ssh)\\s`), where: 'in a command with eval, let, trap or ssh' },
  {
    pattern: new RegExp(`${WORD_START}(?:\\S*/)?${SHELL_NAME}["']?[ \\t]+${OPTIONS}(?:-[a-zA-Z]*[cs]|--command)\\b`),
    where: 'in a command with a nested shell, which would run it',
  },
  {
    // A shell that reads its commands from a pipe or a heredoc. `case x in sh | bash)` is none.
    pattern: new RegExp(
      `(?:\\|\\s*(?:\\S*/)?${SHELL_NAME}[ \\t]*(?:$|[;&\\n\`]|\\)(?!.*;;))|${WORD_START}(?:\\S*/)?${SHELL_NAME}[ \\t]+${OPTIONS}<)`,
      's',
    ),
    where: 'in a command that feeds a nested shell, which would run it',
  },
  {
    pattern: /\[\[[^\]]*\s-(?:eq|ne|lt|le|gt|ge|v)\s/,
    where: 'in a command with a number comparison in [[ … ]], which evaluates it',
  },
]

/** Why a line for the shell must not have placeholders: it runs one as code. */
export function whyCodeInLine(line: string, hasPlaceholders: HasPlaceholders): string | undefined {
  const found = ANYWHERE_IN_LINE.find(({ pattern }) => pattern.test(line))
  if (found !== undefined) return found.where
  const isCode = INTERPRETERS.some(({ names, option }) => {
    const before = option === undefined ? BEFORE_FIRST : `(?:\\S+[ \\t]+)*?(?:${option})[ \\t=]*`
    const pattern = new RegExp(`${WORD_START}(?:\\S*/)?(?:${names})["']?[ \\t]+${before}(${WORD})`, 'g')
    return [...line.matchAll(pattern)].some(([, code = '']) => hasPlaceholders(code))
  })
  return isCode ? CODE : undefined
}

/** Why an argument list must not have placeholders where it has them: one of them stands in code. */
export function whyCodeInArguments(command: readonly string[], hasPlaceholders: HasPlaceholders): string | undefined {
  const isCode = INTERPRETERS.some(({ names, option }) => {
    const isNamed = new RegExp(`^(?:${names})$`)
    const at = command.findIndex((part) => isNamed.test(basename(part)))
    return at >= 0 && codeOf(command.slice(at + 1), option).some(hasPlaceholders)
  })
  return isCode ? CODE : undefined
}

// The arguments that an interpreter would run.
function codeOf(args: readonly string[], option: string | undefined): readonly string[] {
  if (option === undefined) {
    const isOperand = (arg: string, at: number): boolean => !arg.startsWith('-') && args[at - 1] !== '-v'
    return args.filter(isOperand).slice(0, 1)
  }
  const isOption = new RegExp(`^(?:${option})$`)
  const isJoined = new RegExp(`^(?:${option})=`)
  return args.filter((arg, at) => isJoined.test(arg) || isOption.test(args[at - 1] ?? ''))
}
