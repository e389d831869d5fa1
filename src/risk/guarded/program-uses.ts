// A table: exempt from the file length limit.
// The uses of paths by known programs. The uses of other programs are unknown.

import { type Call, findOption, optionValue } from '../call.ts'
import { findGitOutputs, findPatchedFiles } from '../patched-files.ts'
import { lastPart } from '../path-class.ts'
import type { Word } from '../shell/execution.ts'
import { findOptionArgument, type PathUse, type PathUseKind, pathsInText, pathsInWord } from './path-use.ts'

type Add = (kind: PathUseKind, file: Word, isDeep?: boolean) => void
type Uses = (call: Call, add: Add) => void

const USES_BY_PROGRAM = new Map<string, Uses>()

/** All uses of paths by a command, including redirects. */
export function findPathUses(call: Call): PathUse[] {
  const uses: PathUse[] = []
  for (const { operator, target } of call.command.redirects) {
    if (operator.includes('>')) uses.push({ kind: 'write', file: target })
    else if (operator.endsWith('<')) uses.push({ kind: 'read', file: target })
  }
  const known = USES_BY_PROGRAM.get(call.name)
  if (known !== undefined) known(call, (kind, file, isDeep) => uses.push({ kind, file, isDeep }))
  else for (const word of call.command.args) for (const file of pathsInWord(word)) uses.push({ kind: 'unknown', file })
  return uses
}

/** Whether the program is in the table. */
export function isKnownProgram(name: string): boolean {
  return USES_BY_PROGRAM.has(name)
}

function define(programs: string, uses: Uses): void {
  for (const program of programs.split(' ')) USES_BY_PROGRAM.set(program, uses)
}

const each =
  (kind: PathUseKind, from = 0): Uses =>
  (call, add) => {
    for (const word of call.operands.slice(from)) add(kind, word)
  }

// Programs without path uses here: their arguments are commands, plain text, or covered by other rules.
define(
  'echo printf true false : eval trap set unset shift export declare typeset local readonly alias unalias read mapfile ' +
    'xargs gxargs parallel fd fdfind watch tmux screen hyperfine entr perf concurrently at batch crontab ' +
    'sh bash zsh dash ash ksh mksh fish csh tcsh mosh arc arc-supervisor kill pkill killall wait sleep exit return',
  () => undefined,
)

define(
  'ls dir vdir tree exa eza lsd stat file du df realpath readlink dirname basename test [ [[ which whereis type cd chdir ' +
    'pushd popd pwd md5sum sha1sum sha224sum sha256sum sha512sum shasum cksum b2sum sum lsof inotifywait lsattr ' +
    'getfacl namei pgrep ps findmnt mountpoint locate history man info id groups jobs ncdu',
  each('list'),
)
define(
  'cat tac head tail less more bat batcat nl od xxd hexdump strings base64 base32 basenc rev fold fmt pr column cut paste ' +
    'json.tool wc diff cmp comm colordiff view most zcat bzcat xzcat zless code open xdg-open tr look expand unexpand join',
  each('read'),
)
// The first operand is the search pattern.
define('grep egrep fgrep rg ag ack zgrep', (call, add) => {
  const isGiven = findOption(call, ['-e', '-f', '--regexp', '--file']) !== undefined
  for (const word of isGiven ? call.operands : call.operands.slice(1)) add('read', word)
})
define('jq gojq awk gawk mawk nawk yq dasel', (call, add) => {
  const isInPlace = findOption(call, ['-i', '--in-place', '--inplace']) !== undefined && call.name !== 'jq'
  for (const word of call.operands.slice(1)) add(isInPlace ? 'write' : 'read', word)
})
define('sed gsed', (call, add) => {
  const isInPlace = call.options.some(({ name }) => name === '-i' || name.startsWith('--in-place') || name === '-I')
  for (const word of call.operands) add(isInPlace ? 'write' : 'read', word)
  // `e command` of a script runs a command.
  for (const { text, span } of call.command.args)
    if (/(?:^|[\d$/;}\s])e\s/.test(text)) for (const path of pathsInText(text, span)) add('unknown', path)
  // `w file` of a script writes.
  for (const { text, span } of call.command.args) {
    const file = /(?:^|[\s;/}])[wW]\s+(\S+)\s*$/m.exec(text)?.[1]
    if (file !== undefined) add('write', { text: file, isKnown: true, isGlob: false, span })
  }
})
define('sort', (call, add) => {
  const target = findOptionArgument(call, ['-o', '--output'])
  if (target !== undefined) add('write', target)
  for (const word of call.operands) add('read', word)
})
define('uniq', (call, add) => {
  for (const [index, word] of call.operands.entries()) add(index === 0 ? 'read' : 'write', word)
})

define('tee sponge truncate fallocate script', each('write'))
define('touch', each('write'))
define('mkdir', each('create'))
define(
  'rm rmdir unlink shred srm wipe trash trash-put rimraf del-cli gzip gunzip bzip2 bunzip2 xz unxz zstd lz4',
  each('delete'),
)
define('umount', each('delete'))

define('chmod chown chgrp chattr setfacl', (call, add) => {
  const isModeOption = call.name === 'chmod' && call.options.some(({ name }) => '-r-w-x-X-s-t'.includes(name))
  const skip = call.name === 'setfacl' || isModeOption || findOption(call, ['--reference']) !== undefined ? 0 : 1
  const isDeep =
    findOption(call, ['-R', '--recursive']) !== undefined ||
    call.name !== 'chmod' ||
    isModeOption ||
    locksOut(call.operands[0]?.text ?? '')
  for (const word of call.operands.slice(skip)) add('mode', word, isDeep)
})

// A folder without full permissions for its owner cannot be used.
function locksOut(mode: string): boolean {
  if (/^\d+$/.test(mode)) return !mode.padStart(3, '0').endsWith('7', mode.length < 3 ? 1 : mode.length - 2)
  return /(?:^|,)[ua]*[-=]/.test(mode)
}

define('dd', (call, add) => {
  for (const word of call.operands) {
    const [key, ...rest] = word.text.split('=')
    const file = { ...word, text: rest.join('=') }
    if (key === 'of') add('write', file)
    else if (key === 'if') add('read', file)
  }
})

define('cp mv install ln scp rsync', (call, add) => {
  if (call.name === 'install' && hasFlag(call, /^-[a-zA-Z]*d|^--directory/)) {
    for (const word of call.operands) add('mode', word, true)
    return
  }
  const given = findOptionArgument(call, ['-t', '--target-directory'])
  const target = given ?? (call.operands.length > 1 ? call.operands.at(-1) : undefined)
  const sources = given === undefined && target !== undefined ? call.operands.slice(0, -1) : call.operands
  for (const word of sources) add(sourceKind(call), word, isDeepCopy(call))
  if (target !== undefined && !isElsewhere(target.text)) addTarget(call, sources, target, add)
  for (const { name, value, word } of call.options)
    if (name === '--link-dest' && value !== undefined) add('alias', { ...word, text: value }, true)
  for (const name of ['--backup-dir', '--temp-dir', '--partial-dir', '--log-file', '--files-from']) {
    const word = findOptionArgument(call, [name])
    if (word !== undefined) add('unknown', word)
  }
})

function sourceKind(call: Call): PathUseKind {
  if (call.name === 'mv' || findOption(call, ['--remove-source-files']) !== undefined) return 'delete'
  if (call.name === 'ln') return 'alias'
  if (makesLinks(call)) return 'alias'
  return isDeepCopy(call) ? 'copy' : 'read'
}

// `cp -l` and `cp -s` create links to the sources.
function makesLinks(call: Call): boolean {
  return call.name === 'cp' && hasFlag(call, /^-[a-zA-Z]*[ls]|^--(?:l|sy)/)
}

function isDeepCopy(call: Call): boolean {
  return hasFlag(call, /^-[a-zA-Z]*[rRa]|^--(?:rec|arch)/)
}

// If the target is a folder, the sources keep their names in it.
function addTarget(call: Call, sources: readonly Word[], target: Word, add: Add): void {
  const isDeep = hasFlag(call, /^-[a-zA-Z]*[rRa]|^--(?:rec|arch)/) || call.name === 'mv'
  const isWhole = hasFlag(call, /^-[a-zA-Z]*[Tn]|^--no-(?:target|deref)/)
  add('replace', target, isWhole)
  if (findOption(call, ['--delete', '--del', '--delete-before', '--delete-after']) !== undefined) add('delete', target)
  for (const source of sources) {
    const name = lastPart(source.text)
    const isContents =
      name === '.' || name === '..' || name === '*' || (source.text.endsWith('/') && call.name === 'rsync')
    if (isContents || !source.isKnown || isElsewhere(source.text)) add('fill', target)
    if (isContents) continue
    const inner = {
      ...target,
      text: `${target.text.replace(/\/$/, '')}/${name}`,
      isGlob: target.isGlob || source.isGlob,
    }
    add('write', inner)
    if (isDeep) add('fill', inner)
  }
}

function hasFlag(call: Call, pattern: RegExp): boolean {
  return call.command.args.some(({ text }) => pattern.test(text))
}

function isElsewhere(text: string): boolean {
  const colon = text.indexOf(':')
  return colon > 0 && !text.slice(0, colon).includes('/')
}

define('mount', (call, add) => {
  for (const word of call.operands) add(word === call.operands.at(-1) ? 'delete' : 'alias', word)
})

define('find gfind bfs', (call, add) => {
  const args = call.command.args
  const end = args.findIndex(({ text }) => /^[-(!]/.test(text) && !/^-(?:[HLP]|O\d|D)$/.test(text))
  const roots = args.slice(0, end < 0 ? undefined : end).filter(({ text }) => !text.startsWith('-'))
  const name = args[args.findIndex(({ text }) => text === '-name' || text === '-iname') + 1]
  const isNamed = name !== undefined && args.some(({ text }) => text === '-name' || text === '-iname')
  const isDeleting = args.some(({ text }) => text === '-delete')
  for (const root of roots) {
    if (!isDeleting) add('list', root)
    else if (!isNamed) add('delete', root)
    else add('delete', { ...root, text: `${root.text.replace(/\/$/, '')}/**/${name.text}`, isGlob: true })
  }
  for (const [index, { text }] of args.entries()) {
    const file = args[index + 1]
    if (file !== undefined && /^-f(?:print0?|printf|ls)$/.test(text)) add('write', file)
  }
})

define('tar bsdtar gtar', (call, add) => {
  const letters = call.operands[0]?.text ?? ''
  const isOldStyle = call.options.length === 0 || !call.options.some(({ name }) => /^-[cxtruA]$/.test(name))
  const has = (letter: string, long: string): boolean =>
    findOption(call, [`-${letter}`, long]) !== undefined ||
    (isOldStyle && /^[a-zA-Z]+$/.test(letters) && letters.includes(letter))
  const folders = call.command.args.flatMap((word, index) => findTargetFolder(word, call.command.args[index + 1]))
  if (has('x', '--extract') || has('x', '--get')) {
    for (const folder of folders.length > 0 ? folders : [runFolder(call)]) add('fill', folder)
    return
  }
  if (has('t', '--list')) return
  for (const word of call.command.args) for (const path of pathsInWord(word)) add('copy', path)
  const archive = findOptionArgument(call, ['-f', '--file']) ?? (isOldStyle ? call.operands[1] : undefined)
  if (archive !== undefined) add('write', archive)
})

function findTargetFolder({ text, span }: Word, next: Word | undefined): Word[] {
  if (text === '-C' || text === '--directory' || text === '--cd') return next === undefined ? [] : [next]
  const attached = /^(?:-C|--directory=|--cd=|--one-top-level=)(.+)$/.exec(text)?.[1]
  return attached === undefined ? [] : [{ text: attached, isKnown: true, isGlob: false, span }]
}

/** The folder that the command runs in. */
function runFolder(call: Call): Word {
  return { text: '.', isKnown: true, isGlob: false, span: call.command.span }
}

define('unzip unrar 7z 7za 7zz cpio ar', (call, add) => {
  const folders = call.command.args.flatMap((word, index) => targetFolder(word, call.command.args[index + 1]))
  for (const word of call.operands) add('read', word)
  for (const folder of folders.length > 0 ? folders : [runFolder(call)]) add('fill', folder)
})

function targetFolder({ text, span }: Word, next: Word | undefined): Word[] {
  if (text === '-d' || text === '-D' || text === '--directory') return next === undefined ? [] : [next]
  const attached = /^(?:-o|-d|-D|--directory=)(.+)$/.exec(text)?.[1]
  return attached === undefined ? [] : [{ text: attached, isKnown: true, isGlob: false, span }]
}

define('zip', (call, add) => {
  const isMoving = findOption(call, ['-m', '--move']) !== undefined
  for (const [index, word] of call.operands.entries()) add(index === 0 ? 'write' : isMoving ? 'delete' : 'copy', word)
})

define('patch gpatch', (call, add) => {
  const folder = findOptionArgument(call, ['-d', '--directory'])
  add('fill', folder ?? runFolder(call))
  const [file] = call.operands
  if (file !== undefined) add('write', file)
  for (const name of ['-o', '--output']) {
    const word = findOptionArgument(call, [name])
    if (word !== undefined) add('write', word)
  }
  addPatched(call, add)
})

// A patch on the input names its files.
function addPatched(call: Call, add: Add): void {
  for (const file of findPatchedFiles(call)) add('write', file)
}

define('apply_patch applypatch', addPatched)

const GIT_READS = new Set(
  (
    'status log diff show blame branch tag remote reflog describe rev-parse rev-list ls-files ls-tree ls-remote shortlog ' +
    'grep cat-file help version whatchanged for-each-ref name-rev merge-base count-objects fsck check-ignore var archive ' +
    'bundle difftool add commit push fetch config notes hash-object'
  ).split(' '),
)

/** What git does with its operands; a subcommand that is not listed only changes the working tree. */
const GIT_USES: Readonly<Record<string, (operands: readonly Word[], call: Call, add: Add) => void>> = {
  clone: (operands, _call, add) => addFolders(operands.slice(1), add),
  init: (operands, _call, add) => addFolders(operands, add),
  worktree: (operands, _call, add) => addFolders(operands, add),
  submodule: (operands, _call, add) => addFolders(operands, add),
  apply: (_operands, call, add) => addPatched(call, add),
  am: (_operands, call, add) => addPatched(call, add),
  rm: (operands, _call, add) => addPaths('delete', operands, add),
  mv: (operands, _call, add) => addPaths('delete', operands, add),
  clean: (operands, _call, add) => addPaths('delete', operands, add),
  restore: (operands, _call, add) => addPaths('write', operands, add),
  'checkout-index': (operands, _call, add) => addPaths('write', operands, add),
  checkout: (operands, call, add) => addPaths('write', operands.filter(isGitPath(call)), add),
  reset: (operands, call, add) => addPaths('write', operands.filter(isGitPath(call)), add),
  stash: (operands, call, add) => addPaths('write', operands.filter(isGitPath(call)), add),
}
/** Subcommands that create their folder. Others write into the folder that git runs in. */
const GIT_CREATES = new Set(['clone', 'init', 'worktree', 'submodule'])
const GIT_FOLDER_OPTIONS = new Set(['-C', '--work-tree', '--git-dir', '--directory', '--separate-git-dir'])

define('git', (call, add) => {
  const [sub, ...operands] = call.operands
  const name = sub?.text ?? 'status'
  const file = name === 'config' ? findOptionArgument(call, ['-f', '--file']) : undefined
  if (file !== undefined) add('unknown', file)
  for (const { file: target, isFolder } of findGitOutputs(call)) add(isFolder ? 'fill' : 'write', target)
  if (GIT_READS.has(name)) {
    for (const word of operands) add('list', word)
    return
  }
  const folders = call.options.flatMap(({ name: option, value, word }) =>
    GIT_FOLDER_OPTIONS.has(option) && value !== undefined ? [{ ...word, text: value }] : [],
  )
  const isCreating = GIT_CREATES.has(name)
  const written = isCreating || folders.length > 0 ? folders : [runFolder(call)]
  const addOperands = () => Object.hasOwn(GIT_USES, name) && GIT_USES[name]?.(operands, call, add)
  if (isCreating) addOperands()
  for (const folder of written) add('fill', folder)
  if (!isCreating) addOperands()
})

function addFolders(words: readonly Word[], add: Add): void {
  for (const word of words) if (!word.text.includes('://')) add('fill', word)
}

function addPaths(kind: PathUseKind, words: readonly Word[], add: Add): void {
  for (const word of words) if (!isCommit(word.text)) add(kind, word)
}

// A word without a folder is a commit or a branch, unless it comes after `--`.
function isGitPath(call: Call): (word: Word) => boolean {
  const paths = new Set(call.operands.slice(Math.max(0, call.beforeDashes)))
  return (word) => word.text.includes('/') || paths.has(word)
}

function isCommit(text: string): boolean {
  return /^(?:HEAD|ORIG_HEAD|FETCH_HEAD|@)(?:[~^@]|$)/.test(text) || /^[0-9a-f]{7,40}$/.test(text)
}

define('curl wget http xh', (call, add) => {
  const targets = new Set([
    '-o',
    '--output',
    '-O',
    '--output-document',
    '-P',
    '--directory-prefix',
    '--output-dir',
    '-D',
    '--dump-header',
    '-c',
    '--cookie-jar',
    '--trace',
    '--trace-ascii',
    '--stderr',
  ])
  for (const { name, value, word } of call.options) {
    if (value === undefined) continue
    const isTarget = targets.has(name)
    if (isTarget && name !== '-P' && name !== '--directory-prefix' && name !== '--output-dir')
      add('write', { ...word, text: value })
    else if (isTarget) add('fill', { ...word, text: value })
  }
  for (const word of call.command.args)
    for (const path of pathsInWord(word)) if (/[/~$]/.test(path.text)) add('unknown', path)
})

// The first operand is the script, which is only read; the uses of other operands are unknown.
define(
  'node nodejs deno bun tsx ts-node python python2 python3 pypy pypy3 perl ruby php lua luajit source . osascript Rscript julia',
  (call, add) => {
    const isInPlace = (call.name === 'perl' || call.name === 'ruby') && call.options.some(({ name }) => name === '-i')
    const hasCode = call.options.some(({ name }) => /^(?:-[ceEprRBn]|--eval|--print)$/.test(name))
    const isViewer = optionValue(call, ['-m']) === 'json.tool' || call.operands[0]?.text === 'json.tool'
    for (const [index, word] of call.operands.entries()) {
      if (isInPlace) add('write', word)
      else add((index === 0 && !hasCode) || (isViewer && index < 2) ? 'read' : 'unknown', word)
    }
    for (const { value, word } of call.options)
      if (value !== undefined && !/\s/.test(value))
        for (const path of pathsInWord({ ...word, text: value })) add('read', path)
  },
)

define('npx bunx pnpx', () => undefined)
// Forwarded sockets and ports. Commands on the other machine do not count.
define('ssh autossh', (call, add) => {
  for (const name of ['-L', '-R', '-S', '-E', '-F']) {
    const word = findOptionArgument(call, [name])
    if (word !== undefined) for (const path of pathsInWord(word)) add('unknown', path)
  }
})
define('npm pnpm yarn', (call, add) => {
  const verb = call.operands[0]?.text ?? ''
  if (['exec', 'x', 'dlx'].includes(verb)) return
  if (!['test', 't', 'run', 'ls', 'list', 'view', 'start'].includes(verb)) add('create', runFolder(call))
  for (const word of call.command.args)
    for (const path of pathsInWord(word)) if (/[/~$]/.test(path.text)) add('unknown', path)
})

// A writable mount gives write access to the folder.
define('docker podman nerdctl', (call, add) => {
  const args = call.command.args
  const target = call.operands.at(-1)
  if (call.operands[0]?.text === 'cp' && target !== undefined && !isElsewhere(target.text)) {
    addTarget(call, call.operands.slice(1, -1), target, add)
    return
  }
  for (const [index, word] of args.entries()) {
    const given = /^(?:-v|--volume|--mount)=?(.*)$/.exec(word.text)
    if (given === null) continue
    const value = given[1] === '' ? args[index + 1] : { ...word, text: given[1] ?? '' }
    if (value === undefined) continue
    const source = /(?:source|src)=([^,]+)/.exec(value.text)?.[1] ?? value.text.split(':')[0] ?? ''
    const isReadOnly = /:ro\b|readonly|,ro\b/.test(value.text)
    add(isReadOnly ? 'copy' : 'fill', { ...value, text: source })
  }
})

define('sqlite3 sqlite', (call, add) => {
  const [database, ...rest] = call.operands
  if (database === undefined) return
  const text = [...rest, ...call.command.args].map((word) => word.text).join(' ') + (call.command.input?.text ?? '')
  add(
    /\b(?:insert|update|delete|drop|alter|create|replace|vacuum|attach|restore|import|reindex)\b/i.test(text)
      ? 'write'
      : 'unknown',
    database,
  )
})

define('fuser', (call, add) => {
  const isKilling = findOption(call, ['-k', '--kill']) !== undefined
  for (const word of call.operands) add(isKilling ? 'delete' : 'list', word)
})
