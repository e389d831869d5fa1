// Translates commands of PowerShell and cmd to equivalent shell commands, so that the same rules apply.
// Covers commands that delete, overwrite, stop or download. Names and options are case-insensitive.

import { joinWords } from './command-text.ts'

/** The equivalent shell commands; empty for a command that is not in the table. */
export function translateWindowsCommand(name: string, words: readonly string[]): readonly string[] {
  const own = readName(name)
  if (SHELLS.has(own)) return readInnerScript(words).flatMap((code) => translateWindowsCode(code))
  const make = TABLE.get(own)
  const text = make?.(readWindowsArguments(words))
  return text === undefined ? [] : [text]
}

/** Whether the name is in the table. Runs for every command, so it must be fast. */
export function isWindowsCommand(name: string): boolean {
  return NAMES.has(name) || (UPPER.test(name) && NAMES.has(readName(name))) || name.endsWith('.exe')
}

const UPPER = /[A-Z]/
const MAX_CODE = 100_000
const MAX_STATEMENTS = 200

/** The equivalent shell commands of PowerShell or cmd code. */
export function translateWindowsCode(code: string): string[] {
  if (code.length > MAX_CODE) return []
  const download = RUNS_DOWNLOAD.exec(code)
  const found = download === null ? [] : [`curl ${joinWords([download[1] ?? 'https://unknown.invalid'])} | sh`]
  let before: readonly string[] = []
  for (const { words, isPiped } of splitStatements(code).slice(0, MAX_STATEMENTS)) {
    const [name = '', ...given] = words
    // `Get-ChildItem ~ | Remove-Item`: the pipe passes paths.
    if (!SHELLS.has(readName(name)))
      found.push(...translateWindowsCommand(name, isPiped ? [...before, ...given] : given))
    // Nested code is always shorter, so the recursion ends.
    else
      for (const inner of readInnerScript(given))
        if (inner.length < code.length) found.push(...translateWindowsCode(inner))
    before = LISTS.test(name) ? given.filter((word) => !word.startsWith('-')) : isPiped ? before : []
  }
  return found
}

const FETCH = '(?:iwr|irm|curl|wget|invoke-webrequest|invoke-restmethod|downloadstring|net\\.webclient)'
// `iex (iwr …)` and `iwr … | iex`.
const RUNS_DOWNLOAD = new RegExp(
  `(?:\\b(?:iex|invoke-expression)\\b[^;\\n]{0,200}\\b${FETCH}\\b|\\b${FETCH}\\b(?=[^;\\n]{0,500}\\|\\s*(?:iex|invoke-expression)\\b))` +
    `(?:[^;\\n]{0,200}?(https?://[^\\s'")]+))?`,
  'i',
)

const LISTS = /^(?:get-childitem|gci|dir|ls|get-item|gi)$/i

interface Given {
  /** Operands, and values of path options. */
  readonly paths: readonly string[]
  /** In lower case, with the dash or the slash. */
  readonly options: readonly string[]
  /** By the option's name: `-name` of `-Name node`. */
  readonly values: ReadonlyMap<string, string>
}

type Make = (given: Given) => string | undefined

const remove: Make = ({ paths, options }) => {
  const isTree = options.some((option) => /^(?:-r(?:e(?:c.*)?)?|\/s)(?::\$?true)?$/.test(option))
  return paths.length === 0 ? undefined : `rm ${isTree ? '-rf' : '-f'} -- ${joinWords(paths)}`
}
const onPaths =
  (program: string): Make =>
  ({ paths }) =>
    paths.length === 0 ? undefined : `${program} ${joinWords(paths)}`
// Only the first path is a file: the second is the text.
const write: Make = ({ paths }) => (paths[0] === undefined ? undefined : `printf x > ${joinWords([paths[0]])}`)
const stop: Make = ({ paths, values }) => {
  const name = values.get('-name') ?? values.get('/im') ?? values.get('-processname')
  if (name !== undefined) return `pkill ${joinWords([name.replace(/\.exe$/i, '')])}`
  return paths[0] === undefined ? undefined : `kill ${joinWords(paths)}`
}
const always =
  (text: string): Make =>
  () =>
    text
const download: Make = ({ paths, values }) => {
  const file = values.get('-outfile') ?? values.get('-o')
  return file === undefined ? undefined : `curl -o ${joinWords([file])} ${joinWords(paths.slice(0, 1))}`
}

const ROWS: readonly (readonly [names: string, make: Make])[] = [
  ['remove-item ri rd rmdir del erase', remove],
  ['set-content sc out-file add-content ac clear-content clc new-item ni', write],
  ['copy-item cpi copy xcopy robocopy', onPaths('cp -r')],
  ['move-item mi move rename-item rni ren', onPaths('mv')],
  ['get-content gc type', onPaths('cat')],
  ['stop-process spps taskkill', stop],
  ['stop-computer', always('shutdown -h now')],
  ['restart-computer', always('reboot')],
  ['format-volume clear-disk initialize-disk remove-partition format.com diskpart', always('mkfs.ext4 /dev/sda')],
  ['clear-recyclebin', always('rm -rf ~/.local/share/Trash')],
  ['invoke-webrequest iwr invoke-restmethod irm', download],
]
const TABLE = new Map(ROWS.flatMap(([names, make]) => names.split(' ').map((name) => [name, make] as const)))
const SHELLS = new Set(['cmd', 'powershell', 'pwsh'])
const NAMES = new Set([...TABLE.keys(), ...SHELLS])

function readName(name: string): string {
  return name
    .slice(Math.max(name.lastIndexOf('/'), name.lastIndexOf('\\')) + 1)
    .toLowerCase()
    .replace(/\.exe$/, '')
}

// Options whose value is not a path.
const TAKES_VALUE =
  /^(?:-(?:name|processname|id|filter|include|exclude|encoding|value|itemtype|outfile|o|erroraction|ea|driveletter|number|method|headers|body)|\/(?:im|pid|t))$/
const PATH_OPTION = /^-(?:path|literalpath|lp|pspath|filepath|destination|target|uri)$/

function readWindowsArguments(words: readonly string[]): Given {
  const paths: string[] = []
  const options: string[] = []
  const values = new Map<string, string>()
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? ''
    const lower = word.toLowerCase()
    if (TAKES_VALUE.test(lower)) values.set(lower, words[++at] ?? '')
    else if (PATH_OPTION.test(lower)) continue
    else if (/^-[a-z]/.test(lower) || /^\/[a-z](?::.*)?$/.test(lower)) options.push(lower)
    else
      paths.push(
        ...word
          .split(',')
          .filter((path) => path !== '')
          .map(shellPath),
      )
  }
  return { paths, options, values }
}

// `$env:USERPROFILE\x` is `~/x`; `C:\` is the root; paths on a drive are outside of the project.
function shellPath(path: string): string {
  return path
    .replaceAll('\\', '/')
    .replace(
      /^(?:\$\{?env)?:(?:userprofile|home|homepath)\}?|^%(?:userprofile|homepath|homedrive%%homepath)%|^\$home\b/i,
      '~',
    )
    .replace(/^(?:\$\{?env)?:(?:systemdrive|systemroot|windir)\}?|^%(?:systemdrive|systemroot|windir)%/i, '')
    .replace(/^[a-z]:(?=\/|\*|$)/i, '')
    .replace(/^[a-z]:/i, '/')
    .replace(/^\/windows\b/i, '/usr')
    .replace(/^\/users(?=\/|$)/i, '/home')
    .replace(/^(?:\*(?:\.\*)?)?$/, (rest) => (path.length > rest.length ? `/${rest}` : rest))
}

// The script after `/c` or `-Command`, which is optional.
function readInnerScript(words: readonly string[]): string[] {
  const at = words.findIndex((word) => /^(?:\/[ck]|-c(?:o(?:mmand|mman|mma|mm|m)?)?)$/i.test(word))
  if (at >= 0) return [words.slice(at + 1).join(' ')]
  return words[0] === undefined || words[0].startsWith('-') ? [] : [words.join(' ')]
}

interface Statement {
  readonly words: string[]
  readonly isPiped: boolean
}

// Splits code into statements and words. Quotes keep blanks; brackets begin a new statement.
function splitStatements(code: string): Statement[] {
  const statements: Statement[] = [{ words: [], isPiped: false }]
  for (const [part] of code.matchAll(/"[^"]*"|'[^']*'|[;\n|&{}()]|[^\s;|&{}()"']+/g)) {
    if (/^[;\n|&{}()]$/.test(part)) statements.push({ words: [], isPiped: part === '|' })
    else statements.at(-1)?.words.push(/^["']/.test(part) ? part.slice(1, -1) : part)
  }
  return statements.filter(({ words }) => words.length > 0)
}
