// Code of other languages that contains guarded paths: code that only reads passes, calls that write are blocked, and all
// other code needs approval.

import type { Guard, Guarded, GuardedRoot } from '../../engine/guarded-paths.ts'
import { withPlainPaths } from '../code-paths.ts'
import type { Facts, Hit, TestResult } from '../rule.ts'
import { findCalls, maskCode } from '../scan-code.ts'
import type { Snippet, Word } from '../shell/execution.ts'
import { formatReason } from './classify-use.ts'
import { findGuard } from './default-guard.ts'
import { findGuarded, type GuardedMatch } from './find-guarded.ts'
import { pathsInText } from './path-use.ts'

const MAX_CODE = 100_000
const MAX_TEXTS = 200

/** The use of a guarded path by code. */
export function checkCodeAgainstGuard(snippet: Snippet, facts: Facts): TestResult {
  const { location, code, span } = snippet
  if (location !== 'local' || code.length > MAX_CODE) return undefined
  const guard = findGuard(facts)
  const joined = withPlainPaths(withoutJoins(code))
  const found = findMention(joined, snippet, facts, guard)
  if (found === undefined) return killsDaemon(snippet, guard)
  const { guarded, path } = found
  if (guarded.kind === 'node') return undefined
  const written = findWritten(joined, snippet, facts, guard)
  if (written !== undefined) return { at: span, tier: 5, reason: formatReason('write', written.guarded, written.path) }
  if (onlyReads(joined, snippet.language) && !guarded.isSecret) return undefined
  return { at: span, tier: 4, isUncertain: true, reason: formatReason('unknown', guarded, path) }
}

// `'.cla' + 'ude'`, `'.cla' . 'ude'` and `'.cla' 'ude'` are one text.
function withoutJoins(code: string): string {
  return code.replace(/(["'`])\s*(?:\+|\.\.?|)\s*\1(?!\1)/g, (whole, quote: string) =>
    whole === quote + quote ? whole : '',
  )
}

function findMention(code: string, snippet: Snippet, facts: Facts, guard: Guard): GuardedMatch | undefined {
  for (const text of collectStrings(code)) {
    for (const word of [makeWord(text, snippet), ...pathsInText(text, snippet.span)]) {
      const found = findGuarded(word, snippet.cwd, facts, guard)
      if (found !== undefined && (found.guarded.isInside || found.guarded.isNear)) return found
    }
  }
  for (const word of pathsInText(code, snippet.span)) {
    const found = findGuarded(word, snippet.cwd, facts, guard)
    if (found?.guarded.isInside === true) return found
  }
  return findMentionInParts(code, guard) ?? findMentionByVariable(code, guard)
}

// `process.env.CLAUDE_CONFIG_DIR + '/settings.json'`
function findMentionByVariable(code: string, guard: Guard): GuardedMatch | undefined {
  for (const [name, path] of guard.variables) {
    if (name === 'XDG_CONFIG_HOME' || !code.includes(name)) continue
    const guarded = guard.guards(path)
    if (guarded !== undefined) return { guarded, path, isGuess: true }
  }
  return undefined
}

function makeWord(text: string, { span }: Snippet): Word {
  return { text: text.trim(), isKnown: !text.includes('$'), isGlob: /[*?[]/.test(text), span }
}

// Paths that are joined from parts: `join(home, '.claude', 'settings.json')`.
function findMentionInParts(code: string, guard: Guard): GuardedMatch | undefined {
  const parts = new Set(collectStrings(code).flatMap((text) => text.split(/[\s/]+/)))
  const isRemoving = REMOVES.test(code)
  const root = guard.roots.find((one) => hasParts(parts, one, isRemoving))
  if (root === undefined) return undefined
  const guarded: Guarded = {
    kind: root.kind,
    root: root.path,
    path: root.path,
    isInside: true,
    isNear: false,
    isSecret: root.kind === 'home',
  }
  return { guarded, path: root.path, isGuess: true }
}

const REMOVES =
  /\b(?:rm|rmSync|rmdir\w*|rmtree|rename\w*|move|remove\w*|chmod\w*|chown\w*|symlink\w*|unlink\w*|replace|rm_rf?|delete\w*|copytree|extractall)\b/

function hasParts(parts: ReadonlySet<string>, { kind, path, folder }: GuardedRoot, isRemoving: boolean): boolean {
  const own = path.split('/')
  const name = own.at(-1) ?? ''
  if (kind === 'home') return (name.startsWith('.') && parts.has(name)) || parts.has('arc.db') || parts.has('arc.sock')
  if (kind !== 'host-settings' || folder === undefined) return false
  const tail = own.slice(folder.split('/').length - 1)
  const holder = folder.split('/').at(-1) ?? ''
  if (isRemoving && holder.startsWith('.') && parts.has(holder)) return true
  return tail.length > 1 && tail.every((part) => parts.has(part))
}

/** The string literals of the code. */
function collectStrings(code: string): string[] {
  const texts: string[] = []
  for (const match of code.matchAll(/(["'`])((?:\\.|(?!\1)[^\\])*)\1/gs)) {
    if (texts.length >= MAX_TEXTS) break
    texts.push((match[2] ?? '').replace(/\\(.)/g, '$1'))
  }
  return texts
}

const WRITERS = new Set(
  (
    'writeFile writeFileSync appendFile appendFileSync createWriteStream write_text write_bytes write unlink unlinkSync ' +
    'rm rmSync rmdir rmdirSync rmtree remove rename renameSync replace move copyFile copyFileSync copy copy2 copyfile cp ' +
    'cpSync symlink symlinkSync link chmod chmodSync chown truncate truncateSync file_put_contents rm_rf rm_r remove_tree ' +
    'mkdir outputFile outputJson writeJson writeJsonSync'
  ).split(' '),
)

// A call that writes or deletes with a guarded path as its first string; `open` with a mode that writes.
function findWritten(code: string, snippet: Snippet, facts: Facts, guard: Guard): GuardedMatch | undefined {
  const hasHash = snippet.language !== 'javascript' && snippet.language !== 'php'
  const masked = maskCode(code, hasHash)
  for (const { name, args, text } of findCalls(code, masked, OPENERS_AND_WRITERS)) {
    if (text === undefined) continue
    const last = name.slice(Math.max(name.lastIndexOf('.'), name.lastIndexOf(':')) + 1)
    if (!WRITERS.has(last) && !/,\s*(?:mode\s*=\s*)?["'][^"']*[wax+>][^"']*["']/.test(args)) continue
    const found = findGuarded(makeWord(text, snippet), snippet.cwd, facts, guard)
    if (found?.guarded.isInside === true) return found
  }
  return undefined
}

const OPENERS_AND_WRITERS = new Set([...WRITERS, 'open', 'openSync', 'fopen', 'new', 'File'])

const READ_CALLS = new Set(
  (
    'print println printf puts p pp console log info error echo open read readline readlines readFile readFileSync require ' +
    'import load loads parse stringify dumps json len str int list dict set sorted keys values items get map filter join ' +
    'expanduser expandvars exists existsSync isfile isdir listdir readdir readdirSync stat statSync lstatSync lstat path ' +
    'Path home homedir read_text read_bytes resolve with_suffix basename dirname abspath realpath realpathSync glob iglob ' +
    'walk scandir toString split strip trim includes startswith startsWith endswith endsWith format if for while enumerate ' +
    'range max min sum any all repr type pprint isinstance file_get_contents json_decode var_dump encode decode slice ' +
    'forEach entries find then catch has match matchAll test getsize getmtime access accessSync cat sprintf'
  ).split(' '),
)

// For languages with calls without parentheses: every word outside of strings must be a reading word.
const READ_WORDS = new Set(
  'File JSON IO ENV HOME STDOUT require json use strict warnings my local var do end each line while if foreach for in and or not n e begin BEGIN END getline NR NF FS path expand_path slurp'.split(
    ' ',
  ),
)

function onlyReadWords(code: string): boolean {
  const bare = code.replace(/(["'`])(?:\\.|(?!\1)[^\\])*\1/gs, ' ').replace(/[$@%][\w{}]+/g, ' ')
  for (const [word] of bare.matchAll(/[A-Za-z_]\w*/g)) if (!READ_WORDS.has(word) && !READ_CALLS.has(word)) return false
  return !/\bopen\b/.test(bare)
}

// Whether every call in the code only reads.
function onlyReads(code: string, language: Snippet['language']): boolean {
  if (language !== 'python' && language !== 'javascript' && !onlyReadWords(code)) return false
  if (/`|\beval\b|\bexec\b|\bsystem\b|[^=<>!-]>{1,2}\s*["']|\bunlink\b|\bsocket\b|%x|qx/.test(code)) return false
  for (const [, name = ''] of code.matchAll(/([A-Za-z_$][\w$]*)\s*[!?]?\s*\(/g)) if (!READ_CALLS.has(name)) return false
  return !/\bopen(?:Sync)?\s*\([^)]*,\s*(?:mode\s*=\s*)?["'][^"']*[wax+][^"']*["']/.test(code)
}

// `os.kill(PID, 9)` of the daemon.
function killsDaemon({ code, span }: Snippet, { process }: Guard): Hit | undefined {
  if (process === undefined || !/kill|terminate/i.test(code)) return undefined
  if (!new RegExp(`\\b${process.pid}\\b`).test(code)) return undefined
  return { at: span, tier: 5, reason: `Kills process ${process.pid}, the daemon of ARC.` }
}
