// The files that a patch changes, and the files that git options write.

import type { Call } from './call.ts'
import type { ShellCommand, Word } from './shell/execution.ts'

const MAX_FILES = 200
const MAX_TEXT = 200_000

// `+++ b/file`, `rename to file`, `diff --git a/file b/file`, `*** Update File: file`, `Index: file`.
const HEADERS =
  /^(?:\+\+\+ |--- |Index: |(?:rename|copy) (?:to|from) |\*\*\* (?:(?:Update|Add|Delete) File|Move to): )"?([^\t\n"]+)|^diff --git "?([^\t\n" ]+)"? "?([^\t\n" ]+)/gm

/** The files that `patch`, `git apply`, `git am` or `apply_patch` change with the patch on their input. */
export function findPatchedFiles(call: Call, text = readPatch(call)): Word[] {
  if (text === undefined || !appliesPatches(call)) return []
  const folder = readPatchFolder(call)
  const { span } = call.command
  const found = new Set<string>()
  for (const name of readPatchedNames(text)) {
    for (const path of stripFolders(name, call)) found.add(folder === undefined ? path : `${folder}/${path}`)
    if (found.size >= MAX_FILES) break
  }
  return [...found].map((path) => ({ text: path, isKnown: true, isGlob: false, span }))
}

/** The files of patches inside the text, for commands that apply a patch from a file or a pipe. */
export function findPatchesInText(call: Call, others: readonly ShellCommand[]): Word[] {
  if (!appliesPatches(call)) return []
  return others.flatMap((other) => {
    const text = other.input?.text ?? (other.name === 'echo' || other.name === 'printf' ? joinTexts(other.args) : '')
    return text === '' ? [] : findPatchedFiles(call, text)
  })
}

function joinTexts(args: readonly Word[]): string {
  return args
    .map(({ text }) => text)
    .join('\n')
    .replaceAll('\\n', '\n')
}

function appliesPatches({ name, operands }: Call): boolean {
  if (name === 'patch' || name === 'gpatch' || name === 'apply_patch' || name === 'applypatch') return true
  return name === 'git' && ['apply', 'am', 'mailinfo'].includes(operands[0]?.text ?? '')
}

function readPatch({ name, command, operands }: Call): string | undefined {
  return command.input?.text ?? (name === 'apply_patch' ? operands[0]?.text : undefined)
}

function readPatchedNames(text: string): string[] {
  const names: string[] = []
  for (const match of text.slice(0, MAX_TEXT).matchAll(HEADERS)) {
    for (const name of match.slice(1)) if (name !== undefined && name !== '/dev/null') names.push(name.trim())
    if (names.length >= MAX_FILES) break
  }
  return names
}

// Strips the number of folders that `-p` gives. Without `-p`, `patch` tries the whole name and its last part.
function stripFolders(name: string, call: Call): string[] {
  const given = /^-p(\d+)$|^--strip=(\d+)$/
  const { args } = call.command
  const word = args.find(({ text }) => given.test(text))
  const match = word === undefined ? null : given.exec(word.text)
  const next = args[args.findIndex(({ text }) => text === '-p' || text === '--strip') + 1]?.text
  const isApart = args.some(({ text }) => text === '-p' || text === '--strip')
  const levels = match?.[1] ?? match?.[2] ?? (isApart ? next : undefined)
  const parts = name.split('/')
  const whole = name.startsWith('a/') || name.startsWith('b/') ? [name, parts.slice(1).join('/')] : [name]
  if (levels === undefined) return call.name === 'patch' ? [...whole, parts.at(-1) ?? name] : whole
  // `rename to` has no folder in front.
  return [parts.slice(Number(levels)).join('/') || name, ...whole.slice(-1)]
}

function readPatchFolder(call: Call): string | undefined {
  const names = call.name === 'git' ? ['--directory'] : ['-d', '--directory']
  const { args } = call.command
  for (const [index, { text }] of args.entries()) {
    for (const name of names) {
      if (text === name) return args[index + 1]?.text
      if (text.startsWith(name.startsWith('--') ? `${name}=` : name)) return text.slice(name.length).replace(/^=/, '')
    }
  }
  return undefined
}

/** A target file or folder of a git option. */
export interface GitOutput {
  readonly file: Word
  /** Files are written into it. */
  readonly isFolder: boolean
}

const OUTPUT = /^(--output|--output-directory|--prefix|--index-output|--export-marks|-o)(?:=(.*))?$/

/** The targets of git options such as `--output=file` and `--prefix=folder/`. */
export function findGitOutputs(call: Call): GitOutput[] {
  const { args } = call.command
  const sub = call.operands[0]?.text ?? ''
  const found: GitOutput[] = []
  for (const [index, word] of args.entries()) {
    if (word.text.charCodeAt(0) !== 45) continue
    const match = OUTPUT.exec(word.text)
    if (
      match === null ||
      (match[1] === '--prefix' && sub === 'archive') ||
      (match[1] === '-o' && !OUTPUT_SUBS.has(sub))
    )
      continue
    const value = match[2] === undefined ? args[index + 1] : { ...word, text: match[2] }
    if (value === undefined) continue
    if (match[1] === '--prefix') found.push(...prefixTargets(value))
    else found.push({ file: value, isFolder: match[1] === '--output-directory' || sub === 'format-patch' })
  }
  const created = sub === 'bundle' && call.operands[1]?.text === 'create' ? call.operands[2] : undefined
  if (created !== undefined) found.push({ file: created, isFolder: false })
  return found
}

const OUTPUT_SUBS = new Set(['archive', 'format-patch', 'bugreport', 'diagnose'])

// A prefix is a folder, or a folder and the start of a name.
function prefixTargets(value: Word): GitOutput[] {
  const end = value.text.lastIndexOf('/')
  const folder = end < 0 ? '.' : value.text.slice(0, end) || '/'
  return [
    { file: value, isFolder: true },
    { file: { ...value, text: folder }, isFolder: true },
  ]
}
