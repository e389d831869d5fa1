// The files that a command reads, writes or deletes, for all programs. Tools that write files give the same
// record, so that one rule about a path covers `echo > file`, `tee`, `cp`, `sed -i` and an editor.

import { type Call, findOption, type GivenOption } from './call.ts'
import { findGitOutputs, findPatchedFiles } from './patched-files.ts'
import type { CommandLocation, ShellCommand, Word } from './shell/execution.ts'

/** One file that an action touches. */
export interface Access {
  readonly kind: 'read' | 'write' | 'delete'
  readonly file: Word
  readonly cwd: string | undefined
  readonly location: CommandLocation
  /** The program or tool. */
  readonly by: string
  /** Whether the old content is kept (`>>`) or lost (`>`). */
  readonly isAppend: boolean
  /** The new content, when the tool call contains it. */
  readonly content?: string | undefined
}

type Reader = (call: Call, add: (kind: Access['kind'], file: Word, isAppend?: boolean) => void) => void

const WRITES = new Set(['>', '>|', '&>', '>&', '<>', '>>', '&>>'])

/** The files that the command accesses. */
export function findAccesses(call: Call): Access[] {
  const { command } = call
  const reader = READERS.get(call.name)
  if (reader === undefined && command.redirects.length === 0) return NONE
  const found: Access[] = []
  const add = (kind: Access['kind'], file: Word, isAppend = false): void => {
    found.push({ kind, file, cwd: command.cwd, location: command.location, by: call.name, isAppend })
  }
  addRedirects(command, call.name, add)
  reader?.(call, add)
  return found
}

const NONE: Access[] = []

function addRedirects(
  command: ShellCommand,
  name: string,
  add: (kind: Access['kind'], file: Word, isAppend?: boolean) => void,
): void {
  for (const { operator, target } of command.redirects) {
    const bare = operator.replace(/^(?:\d+|\{\w+\})/, '')
    if (bare === '<' && PRINTERS.has(name)) add('read', target)
    else if (WRITES.has(bare) && !isDescriptor(target.text)) add('write', target, bare.endsWith('>>'))
  }
}

function isDescriptor(text: string): boolean {
  return (
    text === '-' ||
    (text.length < 3 && text >= '0' && text <= '99') ||
    text === '/dev/null' ||
    text === '/dev/stdout' ||
    text === '/dev/stderr' ||
    text === '/dev/tty'
  )
}

const PRINTERS = new Set(
  'cat tac head tail less more bat batcat nl od xxd hexdump strings base64 base32 basenc rev fold fmt pr column cut paste sort view most tee mapfile readarray'.split(
    ' ',
  ),
)

const READERS = new Map<string, Reader>()

function define(programs: string, reader: Reader): void {
  for (const program of programs.split(' ')) READERS.set(program, reader)
}

define([...PRINTERS].filter((name) => name !== 'tee').join(' '), (call, add) => {
  for (const word of call.operands) add('read', word)
})
define('vim vi nvim nano emacs code open xdg-open', (call, add) => {
  for (const word of call.operands) add('read', word)
})
define('diff cmp comm colordiff sdiff', (call, add) => {
  for (const word of call.operands) add('read', word)
})

// The first operand is the search pattern, unless an option gives it.
define('grep egrep fgrep rg ag ack zgrep jq yq awk gawk mawk', (call, add) => {
  if (findOption(call, ['-q', '--quiet', '-l', '--files-with-matches', '-c', '--count', '-L']) !== undefined) return
  const isGiven = findOption(call, ['-e', '-f', '--regexp', '--file', '--from-file']) !== undefined
  for (const word of isGiven ? call.operands : call.operands.slice(1)) add('read', word)
  if (
    findOption(call, ['-i', '--in-place', '--inplace']) !== undefined &&
    (call.name === 'yq' || call.name === 'gawk')
  ) {
    for (const word of call.operands.slice(1)) add('write', word)
  }
})

define('sed gsed perl ruby', (call, add) => {
  const inPlace = call.options.find(({ name }) => name === '-i' || name.startsWith('--in-place'))
  const isGiven =
    findOption(call, ['-e', '-f', '--expression', '--file', '-E']) !== undefined &&
    (call.name !== 'sed' || findOption(call, ['-e', '-f', '--expression', '--file']) !== undefined)
  if (call.name !== 'sed' && call.name !== 'gsed' && inPlace === undefined) return
  for (const word of isGiven ? call.operands : call.operands.slice(1))
    add(inPlace === undefined ? 'read' : 'write', word)
})

define('tee sponge', (call, add) => {
  const isAppend = findOption(call, ['-a', '--append']) !== undefined
  for (const word of call.operands) if (!isDescriptor(word.text)) add('write', word, isAppend)
})

define('cp mv install ln', (call, add) => {
  const target = optionWord(call, ['-t', '--target-directory'])
  const sources = target === undefined ? call.operands.slice(0, -1) : call.operands
  const last = target ?? call.operands.at(-1)
  if (last !== undefined && (sources.length > 0 || target !== undefined)) add('write', last)
  if (call.name === 'mv') for (const word of sources) add('delete', word)
})

define('rm unlink shred srm wipe trash trash-put rimraf', (call, add) => {
  for (const word of call.operands) add('delete', word)
})

define('truncate touch chmod chown chgrp chattr setfacl', (call, add) => {
  // `chmod -x file` gives the mode as an option.
  const isModeOption = call.name === 'chmod' && call.options.some(({ name }) => '-r-w-x-X-s-t'.includes(name))
  const skip = ['chmod', 'chown', 'chgrp', 'chattr'].includes(call.name) && !isModeOption ? 1 : 0
  for (const word of call.operands.slice(skip)) add('write', word, call.name === 'touch')
})

define('patch gpatch apply_patch applypatch git', (call, add) => {
  for (const file of findPatchedFiles(call)) add('write', file)
  if (call.name === 'git') for (const { file, isFolder } of findGitOutputs(call)) if (!isFolder) add('write', file)
})

define('dd', (call, add) => {
  for (const word of call.operands) {
    if (word.text.startsWith('of=')) add('write', { ...word, text: word.text.slice(3) })
    else if (word.text.startsWith('if=')) add('read', { ...word, text: word.text.slice(3) })
  }
})

define('curl wget', (call, add) => {
  const option = call.options.find(
    ({ name }) => name === '-o' || name === '--output' || name === '-O' || name === '--output-document',
  )
  if (option?.value !== undefined && (call.name === 'curl') === (option.name === '-o' || option.name === '--output')) {
    if (option.value !== '-') add('write', { ...option.word, text: option.value })
  }
})

/** The value of an option as a word, with the span of the option. */
function optionWord(call: Call, names: readonly string[]): Word | undefined {
  const option: GivenOption | undefined = findOption(call, names)
  return option?.value === undefined ? undefined : { ...option.word, text: option.value }
}
