// Interpreters of other languages: which argument is code, and which shell commands the code starts.

import { Buffer } from 'node:buffer'
import type { Snippet } from '../execution.ts'
import { type Field, makeField, type Output } from '../frame.ts'
import type { Program, ProgramPort } from '../interpreter-port.ts'
import { type Code, type ShellInvocation, unwrap } from '../invocation.ts'
import { MAX_SHELL_DEPTH } from '../limits.ts'
import { isDynamic, runsOutput } from '../nested-code.ts'
import { findDecodedTexts, findEmbeddedCommands, findIncludedScripts } from './embedded-commands.ts'
import { type OptionSpec, readMixed, readOptions } from './options.ts'
import { findModule } from './python-module.ts'
import { fileCode, inputFile, sourceCode } from './shells.ts'
import { runWrapper } from './wrappers.ts'

type Language = Snippet['language']

interface InterpreterSpec extends OptionSpec {
  readonly language: Language
  /** Options whose value is code. */
  readonly code: readonly string[]
  /** Index of the operand that is code: 0 for awk, 1 for sqlite3. */
  readonly operand?: number
  /** Options whose value is a file of code. */
  readonly files?: readonly string[]
  /** Options with which operands and input are not code: `python -m`. */
  readonly modes?: readonly string[]
  /** A word that must come first: `deno eval`. */
  readonly after?: string
  /** The word before a file of code: `deno run`. */
  readonly runs?: string
  /** Operands are not files of code, so the input is code even with operands: `psql database`. */
  readonly readsInput?: boolean
}

const SQL = { language: 'sql', readsInput: true } as const

const POWERSHELL_CODE = ['c', 'Command', 'command', 'EncodedCommand', 'ec', 'enc', 'e']

const POWERSHELL: InterpreterSpec = {
  language: 'other',
  code: POWERSHELL_CODE,
  files: ['File', 'file', 'f'],
  isSingleDash: true,
  long: [
    ...POWERSHELL_CODE,
    'File',
    'file',
    'f',
    'ExecutionPolicy',
    'ep',
    'WindowStyle',
    'w',
    'WorkingDirectory',
    'wd',
  ],
}

const TABLE: Readonly<Record<string, InterpreterSpec>> = {
  python: { language: 'python', code: ['c'], short: 'cmWXQ', modes: ['m', 'V', 'version', 'h', 'help'] },
  pypy: { language: 'python', code: ['c'], short: 'cmWXQ', modes: ['m'] },
  ipython: { language: 'python', code: ['c'], short: 'cm', modes: ['m'] },
  node: {
    language: 'javascript',
    code: ['e', 'p', 'eval', 'print'],
    short: 'eprC',
    long: ['eval', 'print', 'require', 'import', 'loader', 'conditions', 'env-file'],
    modes: ['test', 'v', 'version', 'help'],
  },
  nodejs: {
    language: 'javascript',
    code: ['e', 'p', 'eval', 'print'],
    short: 'epr',
    long: ['eval', 'print', 'require'],
  },
  tsx: { language: 'javascript', code: ['e', 'p', 'eval', 'print'], short: 'epr', long: ['eval', 'print', 'require'] },
  'ts-node': {
    language: 'javascript',
    code: ['e', 'p', 'eval', 'print'],
    short: 'eprOPC',
    long: ['eval', 'print', 'require', 'project'],
  },
  bun: {
    language: 'javascript',
    code: ['e', 'p', 'eval', 'print'],
    short: 'epr',
    long: ['eval', 'print', 'preload'],
    modes: ['v', 'version'],
  },
  deno: { language: 'javascript', code: [], operand: 0, after: 'eval', long: ['ext'], runs: 'run' },
  perl: { language: 'perl', code: ['e', 'E'], short: 'eEIMmxF', modes: ['v', 'V'] },
  ruby: { language: 'ruby', code: ['e'], short: 'eIrCFK', modes: ['v', 'version'] },
  php: {
    language: 'php',
    code: ['r', 'B', 'R', 'E', 'run'],
    short: 'rBREdcfzt',
    long: ['run', 'define', 'process-code'],
    files: ['f', 'file'],
    modes: ['v', 'i', 'm', 'S', 'l', 'version'],
  },
  lua: { language: 'other', code: ['e'], short: 'el', modes: ['v'] },
  luajit: { language: 'other', code: ['e'], short: 'el', modes: ['v'] },
  osascript: { language: 'other', code: ['e'], short: 'els' },
  Rscript: { language: 'other', code: ['e'], short: 'e' },
  julia: { language: 'other', code: ['e', 'E', 'eval', 'print'], short: 'eEJL', long: ['eval', 'print', 'project'] },
  groovy: { language: 'other', code: ['e'], short: 'e' },
  elixir: { language: 'other', code: ['e', 'eval'], short: 'er', long: ['eval'] },
  tclsh: { language: 'other', code: [] },
  expect: { language: 'other', code: ['c'], short: 'c' },
  gawk: {
    language: 'awk',
    code: ['e'],
    short: 'Fvfei',
    long: ['assign', 'file', 'source', 'field-separator'],
    operand: 0,
    files: ['f', 'file'],
  },
  awk: {
    language: 'awk',
    code: ['e'],
    short: 'Fvfei',
    long: ['assign', 'file', 'source', 'field-separator'],
    operand: 0,
    files: ['f', 'file'],
  },
  mawk: { language: 'awk', code: [], short: 'FvfW', operand: 0, files: ['f'] },
  nawk: { language: 'awk', code: [], short: 'Fvf', operand: 0, files: ['f'] },
  psql: {
    ...SQL,
    code: ['c', 'command'],
    short: 'cdfFhLoPpRTUvX',
    long: ['command', 'dbname', 'file', 'host', 'port', 'username', 'set', 'variable', 'output', 'pset'],
    files: ['f', 'file'],
    modes: ['l'],
  },
  mysql: {
    ...SQL,
    code: ['e', 'execute'],
    short: 'DehPSu',
    long: ['execute', 'database', 'host', 'port', 'socket', 'user', 'defaults-file'],
  },
  mariadb: {
    ...SQL,
    code: ['e', 'execute'],
    short: 'DehPSu',
    long: ['execute', 'database', 'host', 'port', 'socket', 'user'],
  },
  sqlite3: { ...SQL, code: ['cmd'], operand: 1, isSingleDash: true, long: ['cmd', 'init', 'separator', 'nullvalue'] },
  sqlite: { ...SQL, code: ['cmd'], operand: 1, isSingleDash: true, long: ['cmd', 'init', 'separator', 'nullvalue'] },
  duckdb: { ...SQL, code: ['c', 's'], short: 'cs', operand: 1 },
  sqlcmd: { ...SQL, code: ['Q', 'q'], short: 'QqSdUPio', modes: ['i'] },
  'clickhouse-client': {
    ...SQL,
    code: ['q', 'query'],
    short: 'qdhu',
    long: ['query', 'host', 'port', 'database', 'user', 'password'],
  },
  cockroach: {
    ...SQL,
    code: ['e', 'execute'],
    short: 'ed',
    long: ['execute', 'url', 'host', 'database'],
    after: 'sql',
  },
  mongosh: {
    language: 'javascript',
    code: ['eval'],
    long: ['eval', 'host', 'port', 'username', 'password', 'file'],
    readsInput: true,
  },
  mongo: {
    language: 'javascript',
    code: ['eval'],
    long: ['eval', 'host', 'port', 'username', 'password'],
    readsInput: true,
  },
  pwsh: POWERSHELL,
  powershell: POWERSHELL,
  cmd: { language: 'other', code: [], operand: 1 },
}

export const CODE_INTERPRETERS: ReadonlyMap<string, Program> = new Map(
  Object.entries(TABLE).map(([name, spec]): [string, Program] => [
    name,
    (shell, call, given) => runCodeInterpreter(shell, call, given, spec),
  ]),
)

/** The language of an interpreter; undefined for shells and other programs. */
export function findInterpreterLanguage(name: string): Language | undefined {
  return TABLE[name.replace(/[\d.]+$/, '')]?.language
}

function runCodeInterpreter(shell: ProgramPort, call: ShellInvocation, name: string, spec: InterpreterSpec): Output {
  // `bun x program` runs another program.
  if (name === 'bun' && call.fields[1]?.text === 'x')
    return runWrapper(shell, call, name, [{ after: ['x'], isCommand: true }])
  const module = spec.language === 'python' ? findModule(call.fields, spec, spec.code) : undefined
  if (module) {
    shell.emit(call)
    return shell.runCall({ ...unwrap(call, module, `${name} -m`), scope: call.scope.copy() })
  }
  const found = findCode(shell, call, spec)
  const code = found?.code
  shell.emit(call, runsOutput(code))
  if (!code || !found) return undefined
  const via = found.option === undefined ? name : `${name} ${found.option.length > 1 ? '--' : '-'}${found.option}`
  // The input of a database client may be a dump, which is data.
  if (isDynamic(code) && spec.language !== 'sql') shell.noteDynamicScript(call, code)
  else if (code.text !== '') runSnippet(shell, call, code, spec.language, via)
  return undefined
}

interface FoundCode {
  readonly code: Code | undefined
  readonly option?: string
}

function findCode(shell: ProgramPort, call: ShellInvocation, spec: InterpreterSpec): FoundCode | undefined {
  const { fields } = call
  const start = spec.after === undefined ? 0 : fields.findIndex((field) => field.text === spec.after)
  if (start < 0) return findRunFile(shell, call, spec)
  const words = fields.slice(start)
  const options = spec.readsInput ? readMixed(words, spec) : readOptions(words, spec)
  const given = options.all.filter(([option]) => spec.code.includes(option))
  const [first] = given
  if (first) {
    const values = given.map(([, value]) => value)
    return {
      code:
        first[0] === 'EncodedCommand' || (first[0].startsWith('e') && spec.isSingleDash)
          ? decodeUtf16(values[0])
          : joinLines(values),
      option: first[0],
    }
  }
  const file = options.all.find(([option]) => spec.files?.includes(option))?.[1]
  if (file) return { code: sourceCode(shell, call, file) }
  if (spec.modes?.some((mode) => options.values.has(mode))) return undefined
  const operands: readonly Field[] =
    'operands' in options ? (options as ReturnType<typeof readMixed>).operands : words.slice(options.rest)
  return findOperand(shell, call, spec, operands)
}

// `bun run file`, `deno run --allow-all file`
function findRunFile(shell: ProgramPort, call: ShellInvocation, { runs }: InterpreterSpec): FoundCode | undefined {
  if (runs === undefined || call.fields[1]?.text !== runs) return undefined
  const file = call.fields[readOptions(call.fields, {}, 2).rest]
  return file && { code: fileCode(shell, call, file) }
}

function findOperand(
  shell: ProgramPort,
  call: ShellInvocation,
  spec: InterpreterSpec,
  operands: readonly Field[],
): FoundCode | undefined {
  const code = spec.operand === undefined ? undefined : operands[spec.operand]
  if (code) return { code }
  if (spec.operand === 0) return undefined
  const [file] = operands
  if (!file || spec.readsInput) return { code: inputFile(shell, call) }
  return { code: sourceCode(shell, call, file) }
}

function joinLines(values: readonly Field[]): Code {
  const [only] = values
  if (only && values.length === 1) return only
  return {
    text: values.map((value) => value.text).join('\n'),
    isKnown: values.every((value) => value.isKnown),
    from: values.flatMap((value) => value.from ?? []),
  }
}

function decodeUtf16(value: Field | undefined): Code {
  if (!value?.isKnown) return { text: value?.text ?? '', isKnown: false, from: value?.from }
  return { text: Buffer.from(value.text, 'base64').toString('utf16le'), isKnown: true }
}

// Code that is decoded at run time is code of the same language, or of the shell.
function runDecoded(shell: ProgramPort, call: ShellInvocation, code: string, language: Language, via: string): void {
  if (call.frame.depth > MAX_SHELL_DEPTH) return
  for (const { text, isShell } of findDecodedTexts(code)) {
    const inner = { ...call, frame: { ...call.frame, depth: call.frame.depth + 4 }, input: undefined }
    if (isShell) shell.runCode(inner, { text, isKnown: true }, via, call.scope.copy())
    else runSnippet(shell, inner, { text, isKnown: true }, language, via)
  }
}

/** Adds code of another language, and runs the shell commands that the code contains as strings. */
export function runSnippet(
  shell: ProgramPort,
  call: ShellInvocation,
  code: Code,
  language: Language,
  via: string,
): void {
  shell.runFile(code, () => addSnippet(shell, call, code, language, via))
}

function addSnippet(shell: ProgramPort, call: ShellInvocation, code: Code, language: Language, via: string): void {
  const start = code.at
  const span = start === undefined ? call.span : { start, end: start + code.text.length }
  const { frame, scope } = call
  shell.addSnippet({
    language,
    code: code.text,
    span,
    via: [...frame.via, via],
    location: frame.location,
    cwd: scope.cwd,
    ...(code.isFile && { isFile: true }),
  })
  runDecoded(shell, call, code.text, language, via)
  for (const path of language === 'sql' ? findIncludedScripts(code.text) : []) {
    const included = fileCode(shell, call, makeField(path, span))
    if (included?.isKnown) runSnippet(shell, call, included, language, via)
  }
  for (const found of findEmbeddedCommands(code.text, language)) {
    if (!shell.spend(1, span)) return
    const inner = { ...call, span, input: undefined }
    if (found.words.length === 1 && found.words[0] !== undefined) {
      const at = start === undefined ? undefined : start + found.at
      shell.runCode(
        inner,
        { text: found.words[0], isKnown: true, at: found.isVerbatim ? at : undefined },
        via,
        scope.copy(),
      )
      continue
    }
    const fields = found.words.map((word) => makeField(word, span, word !== '$unknown'))
    shell.runCall({ ...unwrap(inner, fields, via), scope: scope.copy() })
  }
}
