// Data files: databases, dumps and the dot files of tools that are emptied or replaced, and files that a pipeline
// reads and overwrites at the same time.

import { findAccesses } from '../access.ts'
import { type Call, readCall } from '../call.ts'
import { classifyPath, lastPart } from '../path-class.ts'
import type { Facts, Hit, RulePack, TestResult } from '../rule.ts'
import { classifySecretFile } from '../secret-files.ts'
import type { Execution, Redirect, ShellCommand, Word } from '../shell/execution.ts'

export const dataFiles: RulePack = {
  name: 'data-files',
  about: 'Databases, dumps and dot files of tools that are emptied or replaced.',
  rules: [
    {
      id: 'data-files/read-and-overwrite',
      effect: 'destructive',
      tier: 4,
      reason: 'The shell empties the file before the command reads it. The content is lost.',
      alternative: 'Write to another file, then move it: command file > file.new && mv file.new file',
      owasp: 'ASI02',
      when: { whole: findReadAndOverwritten },
      match: [
        'sort data.csv > data.csv',
        'cat users.json | jq . > users.json',
        'tr a b < notes.txt > notes.txt',
        'uniq list.txt | sort > ./list.txt',
        'sed s/a/b/ settings.py | tee /dev/null > settings.py',
        'cat a b > a',
      ],
      pass: [
        'sort a.csv > b.csv',
        'sort data.csv >> data.csv',
        'jq . a.json > a.tmp && mv a.tmp a.json',
        'echo notes.txt > notes.txt',
        'sort -o data.csv data.csv',
        'cat /tmp/x > /tmp/x',
        'grep x a.txt > b.txt; sort b.txt > a.txt',
        'ls list.txt > list.txt',
      ],
    },
    {
      id: 'data-files/empty',
      effect: 'destructive',
      tier: 4,
      reason: 'Empties a database, a dump or the settings of a tool.',
      alternative: 'Copy the file first, or ask the user.',
      owasp: 'ASI02',
      when: { program: '**', test: emptiesDataFile },
      isAlways: true,
      match: [
        '> production.sqlite3',
        ': > app.db',
        'cp /dev/null data.db',
        'cat /dev/null > backup.sql',
        'echo -n | tee dump.rdb',
        'echo "" > ~/.bash_history',
        "printf '' > ~/.kube/config",
        'truncate -s 0 dump.sql',
        'tee data.db < /dev/null',
        'dd if=/dev/zero of=data.sqlite bs=1M count=10',
        'ln -sf /dev/null app.db',
        "sed -i '1,$d' prod.sql",
        "echo '{}' > ~/.aws/credentials",
        '> data.csv',
      ],
      pass: [
        '> output.txt',
        ': > build.log',
        'touch app.db',
        '> /tmp/test.db',
        ': > test.db',
        'pg_dump app > backup.sql',
        'echo "select 1" > query.sql',
        'echo x >> app.db',
        'truncate -s 0 app.log',
      ],
    },
    {
      id: 'data-files/replace',
      effect: 'destructive',
      tier: 4,
      reason: 'Replaces a database file. The old content is lost if the file exists.',
      alternative: 'Copy the old file first, or use the restore command of the database.',
      owasp: 'ASI02',
      when: { program: '**', test: replacesDatabase },
      match: [
        'cp empty.db production.db',
        'mv new.db prod.sqlite3',
        'curl -o app.db https://x.example/y.db',
        'xz -d -c x.xz > prod.db',
        'cp backup.db app.db',
        "sqlite3 app.db '.restore empty.db'",
      ],
      pass: [
        'cp app.db app.db.bak',
        'cp app.db backup.db',
        'cp seed.sqlite dev.sqlite3',
        'cp template.db test.db',
        'cp app.db /tmp/app.db',
        'sqlite3 app.db .dump > dump.sql',
        'sqlite3 app.db "select 1"',
      ],
    },
  ],
}

const DATABASE = /\.(?:db3?|sqlite3?|s3db|duckdb|rdb|mdb|accdb|realm|ldf|mdf|ibd|kdbx|fdb|gdb|nsf)$/i
const DUMP = /\.(?:sql|dump|dmp|bak|backup|bson|archive|pgdump)(?:\.(?:gz|xz|zst|bz2))?$/i
/** Histories and settings of tools in the home folder. */
const DOT_FILE = /^\.(?:\w+_history|zhistory|histfile|gitconfig|npmrc|pypirc|netrc|pgpass|my\.cnf|vault-token)$/
/** Copies and throw-away files: their name says so. */
const THROW_AWAY =
  /(?:^|[^a-z])(?:test|tests|dev|tmp|temp|example|sample|fixture|mock|scratch|demo|empty|cache|old|new|copy)(?:[^a-z]|$)/i
const BACKUP_NAME = /(?:^|[^a-z])(?:bak|backup|copy|save|saved|old|orig|snapshot)(?:[^a-z]|$)/i

const TABLE = /\.(?:csv|tsv|jsonl|ndjson|parquet|feather|arrow|xlsx?|ods|ipynb)$/i

type DataKind = 'database' | 'dump' | 'table' | 'settings'

function classifyDataFile(word: Word, { cwd, location }: ShellCommand, facts: Facts): DataKind | undefined {
  if (!/[.~$]/.test(word.text)) return undefined
  const { path, pathClass } = classifyPath(word, cwd, facts, location)
  if (pathClass === 'temp' || pathClass === 'build') return undefined
  const name = lastPart(path)
  if (DATABASE.test(name)) return THROW_AWAY.test(name) ? undefined : 'database'
  if (TABLE.test(name)) return 'table'
  if (DUMP.test(name)) return THROW_AWAY.test(name) ? undefined : 'dump'
  if (pathClass !== 'in-home') return undefined
  const secret = classifySecretFile(path)
  return DOT_FILE.test(name) || secret === 'credential' || secret === 'key' ? 'settings' : undefined
}

// Before anything else, since every command is tested: only commands that can write are looked at.
function findWrites(call: Call): readonly Word[] {
  if (call.command.redirects.length === 0 && !WRITERS.has(call.name)) return NONE
  return findAccesses(call)
    .filter(({ kind, isAppend }) => kind === 'write' && !isAppend)
    .map(({ file }) => file)
}

const NONE: readonly Word[] = []
const WRITERS = new Set('cp mv install ln tee sponge truncate dd curl wget sed gsed'.split(' '))

function emptiesDataFile(call: Call, facts: Facts): TestResult {
  const file = findWrites(call).find((word) => classifyDataFile(word, call.command, facts) !== undefined)
  if (file === undefined || !writesNothing(call)) return undefined
  // Tables of results are often begun anew.
  return classifyDataFile(file, call.command, facts) === 'table' ? { at: file.span, tier: 3 } : file
}

type EmptyTest = (call: Call) => boolean

const readsNull: EmptyTest = ({ command, operands }) =>
  operands.some(({ text }) => text === '/dev/null') || isNullInput(command)

const EMPTY_WRITERS: ReadonlyMap<string, EmptyTest> = new Map(
  Object.entries<EmptyTest>({
    ':': () => true,
    true: () => true,
    echo: (call) => printedText(call).trim() === '' || printedText(call) === '{}',
    printf: (call) => printedText(call).trim() === '',
    cat: (call) => readsNull(call) && call.operands.length <= 1,
    cp: readsNull,
    ln: readsNull,
    install: readsNull,
    tee: ({ command }) => isNullInput(command) || command.input?.text?.trim() === '',
    sponge: ({ command }) => isNullInput(command) || command.input?.text?.trim() === '',
    truncate: ({ options }) =>
      options.some(({ name, value }) => /^(?:-s|--size)$/.test(name) && /^[-<]?0/.test(value ?? '')),
    dd: ({ operands }) => operands.some(({ text }) => /^if=\/dev\/(?:zero|null|u?random)$/.test(text)),
    sed: deletesEveryLine,
    gsed: deletesEveryLine,
  }),
)

function writesNothing(call: Call): boolean {
  return EMPTY_WRITERS.get(call.name)?.(call) === true
}

function printedText({ operands }: Call): string {
  return operands.map(({ text, isKnown }) => (isKnown ? text : '?')).join(' ')
}

function isNullInput({ redirects }: ShellCommand): boolean {
  return redirects.some(({ operator, target }) => operator === '<' && target.text === '/dev/null')
}

function deletesEveryLine({ operands, options }: Call): boolean {
  const script = options.find(({ name }) => name === '-e' || name === '--expression')?.value ?? operands[0]?.text
  return script !== undefined && /^(?:1,\$|0~1|\/\^\/)?\s*d$/.test(script.trim())
}

function replacesDatabase(call: Call, facts: Facts): TestResult {
  if (call.name === 'sqlite3') return restoresOver(call, facts)
  if (call.name === 'truncate' || call.name === 'sed' || call.name === 'gsed' || writesNothing(call)) return undefined
  const file = findWrites(call).find((word) => isReplaced(word, call, facts))
  return file === undefined ? undefined : { at: file.span, isUncertain: true }
}

function isReplaced(word: Word, { command }: Call, facts: Facts): boolean {
  if (BACKUP_NAME.test(lastPart(word.text))) return false
  return classifyDataFile(word, command, facts) === 'database'
}

function restoresOver({ operands, command }: Call, facts: Facts): Hit | undefined {
  const [file, script] = operands
  if (file === undefined || !/^\s*\.restore\b/.test(script?.text ?? '')) return undefined
  return classifyDataFile(file, command, facts) === 'database' ? { at: file.span, isUncertain: true } : undefined
}

// Programs that read all their file operands and print.
const FILTERS = new Set(
  (
    'cat tac head tail sort uniq tr cut paste sed gsed awk gawk mawk jq yq xq grep egrep fgrep rg iconv column fold fmt nl rev expand unexpand ' +
    'join comm csvcut csvsort xmllint xsltproc dos2unix base64 gzip gunzip zcat xz python python3 node perl ruby'
  ).split(' '),
)

function findReadAndOverwritten({ commands }: Execution, facts: Facts): TestResult {
  for (const command of commands) {
    if (command.isDormant === true || command.location !== 'local') continue
    const target = command.redirects.find(overwrites)?.target
    if (target?.isKnown !== true) continue
    const { path, pathClass } = classifyPath(target, command.cwd, facts)
    if (pathClass === 'temp' || pathClass === 'build' || pathClass === 'device') continue
    const pipe = [command, ...(command.input?.from ?? [])]
    if (pipe.some((part) => readsFile(part, path, facts))) return target
  }
  return undefined
}

function overwrites({ operator, target }: Redirect): boolean {
  return (
    (operator === '>' || operator === '1>' || operator === '>|' || operator === '&>') &&
    !target.text.startsWith('/dev/')
  )
}

function readsFile(command: ShellCommand, path: string, facts: Facts): boolean {
  const isSame = (word: Word): boolean => word.isKnown && classifyPath(word, command.cwd, facts).path === path
  if (command.redirects.some(({ operator, target }) => operator === '<' && isSame(target))) return true
  if (command.name === undefined || !FILTERS.has(command.name)) return false
  return readCall(command).operands.some(isSame)
}
