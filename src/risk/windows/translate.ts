// Translates commands of PowerShell and cmd to equivalent shell commands, so that the same rules apply.
// Covers commands that delete, overwrite, stop, send or download. Names and options are case-insensitive.

import { joinWords } from '../command-text.ts'
import { readWindowsArguments, type WindowsArguments, writeShellPath } from './arguments.ts'
import { splitPipelines, type WindowsCommand, type WindowsPipeline } from './statements.ts'

/** The equivalent shell commands of a command in a POSIX shell; empty for a command that is not in the table. */
export function translateWindowsCommand(name: string, words: readonly string[]): readonly string[] {
  const own = readName(name)
  if (SHELLS.has(own)) return readInnerScript(words).flatMap((code) => translateWindowsCode(code))
  const text = TABLE.get(own)?.(readWindowsArguments(words))
  return text === undefined ? [] : [text]
}

/** Whether the name is in the table. Runs for every command, so it must be fast. */
export function isWindowsCommand(name: string): boolean {
  return NAMES.has(name) || (UPPER.test(name) && NAMES.has(readName(name))) || name.endsWith('.exe')
}

const UPPER = /[A-Z]/
const MAX_CODE = 100_000

/** The equivalent shell commands of PowerShell or cmd code. */
export function translateWindowsCode(code: string): string[] {
  if (code.length > MAX_CODE) return []
  const found = [...findDownload(code), ...findDeletions(code)]
  let folder = ''
  let loop: readonly string[] = []
  for (const pipeline of splitPipelines(code)) {
    const [first = ''] = pipeline[0]?.words ?? []
    if (FOLDER_CHANGES.has(first.toLowerCase())) {
      folder = `cd ${joinWords((pipeline[0]?.words ?? []).slice(1).map(writeShellPath))}; `
      continue
    }
    for (const text of translatePipeline(
      pipeline.map((command) => fillLoop(command, loop)),
      code,
    ))
      found.push(`${folder}${text}`)
    // `for %i in (paths) do command`: the brackets begin a pipeline of their own.
    loop = pipeline.length === 1 ? (pipeline[0]?.words ?? []) : []
  }
  return found
}

const FOLDER_CHANGES = new Set(['cd', 'chdir', 'sl', 'set-location', 'pushd', 'push-location'])

function fillLoop(command: WindowsCommand, loop: readonly string[]): WindowsCommand {
  if (command.words[0]?.toLowerCase() !== 'do') return command
  return { ...command, words: command.words.slice(1).flatMap((word) => (/^%{1,2}\w$/.test(word) ? loop : [word])) }
}

function translatePipeline(pipeline: WindowsPipeline, code: string): readonly string[] {
  const texts: string[] = []
  let paths: readonly string[] = []
  for (const command of pipeline) {
    const [name = '', ...given] = command.words
    const own = readName(name)
    if (SHELLS.has(own)) {
      // Nested code is always shorter, so the recursion ends.
      const inner = readInnerScript(given).filter((text) => text.length < code.length)
      texts.push(...inner.flatMap((text) => translateWindowsCode(text)))
      continue
    }
    // `Get-ChildItem ~ | Remove-Item`: the pipe passes paths.
    const words = texts.length === 0 || REMOVERS.has(own) ? [...paths, ...given] : given
    const text = translateOne(own, words, command)
    if (text !== undefined) texts.push(text)
    paths = LISTS.has(own) ? listedPaths(given) : paths
  }
  const isData = texts.length > 1 && pipeline.every(({ words }) => !LISTS.has(readName(words[0] ?? '')))
  return isData ? [texts.join(' | ')] : texts
}

// Without a path, the current folder is listed. Everything below it is removed with it.
function listedPaths(given: readonly string[]): readonly string[] {
  const { paths, options } = readWindowsArguments(given)
  return [
    ...(paths.length > 0 ? paths : ['.']),
    ...(options.some((option) => option.startsWith('-r')) ? ['-recurse'] : []),
  ]
}

function translateOne(
  name: string,
  words: readonly string[],
  { output, isAppend }: WindowsCommand,
): string | undefined {
  const make = TABLE.get(name) ?? ALIASES.get(name)
  const text = make === undefined ? writeProgram(name, words) : make(readWindowsArguments(words))
  if (output === undefined) return text
  return `${text ?? 'printf x'} ${isAppend ? '>>' : '>'} ${joinWords([writeShellPath(output)])}`
}

// A program of Windows or of any system, such as git. Verb-Noun names are cmdlets, and `$x`, `@` and numbers no programs.
function writeProgram(name: string, words: readonly string[]): string | undefined {
  if (!/^[a-z][\w.]*(?:-[a-z]+)*$/.test(name) || CMDLET.test(name)) return undefined
  return joinWords([name, ...words])
}

const CMDLET =
  /^(?:get|set|new|add|clear|write|read|out|select|where|foreach|sort|group|measure|test|import|export|convert|convertto|convertfrom|invoke|start|stop|restart|enable|disable|register|unregister|update|install|uninstall|copy|move|remove|rename|join|split|format|compare|wait|push|pop|enter|exit|connect|disconnect|resolve|use)-/

const FETCH = '(?:iwr|irm|curl|wget|invoke-webrequest|invoke-restmethod|downloadstring|net\\.webclient)'
// `iex (iwr …)` and `iwr … | iex`.
const RUNS_DOWNLOAD = new RegExp(
  `(?:\\b(?:iex|invoke-expression)\\b[^;\\n]{0,200}\\b${FETCH}\\b|\\b${FETCH}\\b(?=[^;\\n]{0,500}\\|\\s*(?:iex|invoke-expression)\\b))` +
    `(?:[^;\\n]{0,200}?(https?://[^\\s'")]+))?`,
  'i',
)

function findDownload(code: string): readonly string[] {
  const download = RUNS_DOWNLOAD.exec(code)
  return download === null ? [] : [`curl ${joinWords([download[1] ?? 'https://unknown.invalid'])} | sh`]
}

// `[IO.Directory]::Delete('C:\x', $true)`
function findDeletions(code: string): readonly string[] {
  const calls = code.matchAll(/\[(?:System\.)?IO\.(Directory|File)\]::Delete\(\s*["']([^"']+)["']/gi)
  return [...calls]
    .slice(0, 20)
    .map(
      ([, kind, path]) =>
        `rm ${kind?.toLowerCase() === 'file' ? '-f' : '-rf'} -- ${joinWords([writeShellPath(path ?? '')])}`,
    )
}

type Make = (given: WindowsArguments) => string | undefined

const remove: Make = ({ paths, options }) => {
  const [first = ''] = paths
  if (/^(?:hk\w+:|registry::)/i.test(first)) return `reg delete ${joinWords(paths)}`
  if (/^env:/i.test(first)) return undefined
  const isTree = options.some((option) => /^(?:-r(?:e(?:c.*)?)?|\/s)$/.test(option))
  return paths.length === 0 ? undefined : `rm ${isTree ? '-rf' : '-f'} -- ${joinWords(paths)}`
}
const onPaths =
  (program: string): Make =>
  ({ paths }) =>
    paths.length === 0 ? undefined : `${program} ${joinWords(paths)}`
// Only the first path is a file: the second is the text.
const write: Make = ({ paths, values }) => {
  const [file, text] = paths
  if (file === undefined) return undefined
  const isEmpty = (values.get('-value') ?? text) === ''
  return `printf ${isEmpty ? "''" : 'x'} > ${joinWords([file])}`
}
const empty: Make = ({ paths }) => (paths[0] === undefined ? undefined : `: > ${joinWords([paths[0]])}`)
const append: Make = ({ paths }) => (paths[0] === undefined ? undefined : `printf x >> ${joinWords([paths[0]])}`)
const stop: Make = ({ paths, values }) => {
  const name = values.get('-name') ?? values.get('/im') ?? values.get('-processname')
  if (name !== undefined) return `pkill ${joinWords([name.replace(/\.exe$/i, '')])}`
  return paths[0] === undefined ? undefined : `kill ${joinWords(paths)}`
}
const always =
  (text: string): Make =>
  () =>
    text
const onName =
  (program: string): Make =>
  ({ paths, values }) =>
    `${program} ${joinWords([values.get('-name') ?? values.get('-displayname') ?? paths[0] ?? 'unknown'])}`
// `-OutFile` downloads, `-InFile` and `-Body` send. What the pipe passes is the body.
const request: Make = ({ paths, values }) => {
  const [url = 'https://unknown.invalid'] = paths
  const file = values.get('-outfile') ?? values.get('-o')
  const method = values.get('-method')
  const words = [
    ...(file === undefined ? [] : ['-o', file]),
    ...(method === undefined ? [] : ['-X', method.toUpperCase()]),
    ...(values.has('-infile') ? ['-T', writeShellPath(values.get('-infile') ?? '')] : []),
    ...(values.has('-body') ? ['-d', values.get('-body') ?? ''] : []),
    ...(file === undefined && !values.has('-body') && method?.toLowerCase() === 'post' ? ['-d', '@-'] : []),
  ]
  return words.length === 0 ? undefined : `curl ${joinWords([...words, url])}`
}
// `Start-Process cmd -ArgumentList '/c','script'`
const start: Make = ({ paths, values }) => {
  const args = (values.get('-argumentlist') ?? values.get('-args') ?? paths.slice(1).join(' ')).replaceAll(',', ' ')
  const [program] = paths
  return program === undefined ? undefined : `${joinWords([program])} ${args}`
}
const delayed: Make = ({ options, paths }) =>
  options.some((option) => /^\/[srpgh]$/.test(option)) ? 'shutdown -h now' : `shutdown ${joinWords(paths)}`
const registry: Make = ({ paths }) =>
  paths[0]?.toLowerCase() === 'delete' ? `reg delete ${joinWords(paths.slice(1))}` : undefined

const ROWS: readonly (readonly [names: string, make: Make])[] = [
  ['remove-item ri rd rmdir del erase', remove],
  ['set-content sc out-file new-item ni', write],
  ['add-content ac', append],
  ['clear-content clc', empty],
  ['copy-item cpi copy xcopy robocopy', onPaths('cp -r')],
  ['move-item mi move rename-item rni ren', onPaths('mv')],
  ['get-content gc type', onPaths('cat')],
  ['stop-process spps taskkill', stop],
  ['stop-computer', always('shutdown -h now')],
  ['restart-computer', always('reboot')],
  ['format-volume clear-disk initialize-disk remove-partition format.com diskpart', always('mkfs.ext4 /dev/sda')],
  ['clear-recyclebin', always('rm -rf ~/.local/share/Trash')],
  ['invoke-webrequest iwr invoke-restmethod irm', request],
  ['start-process saps', start],
  ['stop-service spsv', onName('systemctl stop')],
  ['remove-service', onName('systemctl disable')],
  ['remove-localuser remove-aduser', onName('userdel')],
  ['remove-itemproperty rp', onPaths('reg delete')],
  ['disable-netfirewallrule remove-netfirewallrule', always('ufw disable')],
  ['remove-vm remove-azresourcegroup remove-azvm', onName('virsh undefine')],
  ['set-executionpolicy', always('setenforce 0')],
]
const TABLE = new Map(ROWS.flatMap(([names, make]) => names.split(' ').map((name) => [name, make] as const)))

// Names that mean something else in a POSIX shell: only inside code of Windows.
const ALIAS_ROWS: readonly (readonly [names: string, make: Make])[] = [
  ['rm', remove],
  ['cp', onPaths('cp -r')],
  ['mv', onPaths('mv')],
  ['cat', onPaths('cat')],
  ['kill', stop],
  ['curl wget', request],
  ['start', start],
  ['format', always('mkfs.ext4 /dev/sda')],
  ['shutdown', delayed],
  ['reg', registry],
]
const ALIASES = new Map(ALIAS_ROWS.flatMap(([names, make]) => names.split(' ').map((name) => [name, make] as const)))
const REMOVERS = new Set(['remove-item', 'ri', 'rd', 'rmdir', 'del', 'erase', 'rm'])
const LISTS = new Set(['get-childitem', 'gci', 'dir', 'ls', 'get-item', 'gi'])
const SHELLS = new Set(['cmd', 'powershell', 'pwsh'])
const NAMES = new Set([...TABLE.keys(), ...SHELLS])

function readName(name: string): string {
  return name
    .slice(Math.max(name.lastIndexOf('/'), name.lastIndexOf('\\')) + 1)
    .toLowerCase()
    .replace(/\.exe$/, '')
}

// The script after `/c` or `-Command`, which is optional.
function readInnerScript(words: readonly string[]): string[] {
  const at = words.findIndex((word) => /^(?:\/[ck]|-c(?:o(?:mmand|mman|mma|mm|m)?)?)$/i.test(word))
  if (at >= 0) return [words.slice(at + 1).join(' ')]
  return words[0] === undefined || words[0].startsWith('-') ? [] : [words.join(' ')]
}
