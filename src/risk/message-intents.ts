// Classifies messages by keywords: what a message asks for. The tier stays low, because a message has no effect.
// Negated ("do not deploy"), quoted and merely named things ("press release notes") do not count.

import type { Effect, Span, Tier } from './assessment.ts'

interface Keyword {
  readonly effect: Effect
  readonly tier: Tier
  /** The words, in order; `*` after a word matches its endings (deploy, deployed, deploying). */
  readonly words: string
}

/** Requests in messages, most severe first. */
const KEYWORDS: readonly Keyword[] = [
  ...phrases(
    'destructive',
    4,
    'force push*|push --force|push -f|force-push*|drop table*|drop the table*|drop database|drop the database|drop schema|truncate table*|delete branch*|delete the branch|delete repo*|delete the repo*|format disk|format the disk|fdisk|reset --hard|hard reset|wipe *|delete everything|delete all|destroy *|erase the|purge the',
  ),
  ...phrases('destructive', 3, 'rm -rf|rm -fr|rm -r|delete the *|remove the folder|uninstall *'),
  ...phrases(
    'deploy-affecting',
    4,
    'deploy*|redeploy*|publish*|roll out|ship it|merge to main|merge to master|merge to production|merge into main|merge into master|push to main|push to master|push to production|promote*|release it|release the|release version|release to|cut a release|make a release|go live',
  ),
  ...phrases(
    'build-affecting',
    2,
    'npm install|npm ci|yarn add|yarn install|pnpm add|pnpm install|pip install|tsconfig*|dockerfile|docker build|webpack*|vite config|babel config|eslint config|package.json|upgrade the dependenc*|add a dependency',
  ),
  ...phrases(
    'file-modification',
    2,
    'edit*|fix*|refactor*|create*|write*|update*|modify*|modif*|rename*|move*|delete file*|add file*|change*|implement*|add a *|remove*|replace*',
  ),
]

function phrases(effect: Effect, tier: Tier, written: string): Keyword[] {
  return written.split('|').map((words) => ({ effect, tier, words }))
}

/** A keyword found in a message. */
export interface Mention {
  readonly effect: Effect
  readonly tier: Tier
  readonly span: Span
}

interface MessageWord {
  readonly text: string
  readonly start: number
  readonly end: number
}

const MAX_WORDS = 5_000

/** The requests of the message; empty when it only asks to read. */
export function findMentions(message: string): Mention[] {
  const words = readWords(message)
  const found: Mention[] = []
  for (let index = 0; index < words.length; index++) {
    for (const keyword of COMPILED.get(firstLetters(words[index]?.text ?? '')) ?? []) {
      const length = matchAt(words, index, keyword.parts)
      if (length === 0 || isNegated(words, index) || isOnlyNamed(words, index, length)) continue
      const last = words[index + length - 1] as MessageWord
      found.push({
        effect: keyword.effect,
        tier: keyword.tier,
        span: { start: words[index]?.start ?? 0, end: last.end },
      })
      break
    }
  }
  return found
}

interface CompiledKeyword extends Keyword {
  readonly parts: readonly string[]
}

const COMPILED = new Map<string, CompiledKeyword[]>()
for (const keyword of KEYWORDS) {
  const parts = keyword.words.split(' ')
  const key = firstLetters(parts[0] ?? '')
  const list = COMPILED.get(key) ?? []
  list.push({ ...keyword, parts })
  COMPILED.set(key, list)
}

function firstLetters(word: string): string {
  return word.slice(0, 2)
}

function matchAt(words: readonly MessageWord[], at: number, parts: readonly string[]): number {
  for (let offset = 0; offset < parts.length; offset++) {
    const part = parts[offset] as string
    const word = words[at + offset]?.text
    if (word === undefined) return 0
    if (part === '*') continue
    if (part.endsWith('*') ? !isFormOf(word, part.slice(0, -1)) : word !== part) return 0
  }
  return parts.length
}

const ENDINGS = new Set(['', 's', 'd', 'ed', 'ing', 'es', 'ment', 'ments', 'y', 'ies', 'ied', 'ring', 'ping'])

function isFormOf(word: string, stem: string): boolean {
  if (word.startsWith(stem)) return ENDINGS.has(word.slice(stem.length)) || stem.endsWith('f') || stem.endsWith('c')
  return stem.endsWith('e') && word.startsWith(stem.slice(0, -1)) && word.slice(stem.length - 1) === 'ing'
}

const NEGATIONS = new Set(
  "not don't dont never no without avoid nor cannot can't shouldn't won't mustn't doesn't isn't wasn't haven't stop refuse skip before unless".split(
    ' ',
  ),
)
const ASKING = new Set('explain describe what how why when who which where did does is was were'.split(' '))

// A negation a few words earlier in the same clause cancels the request. A question is not a request.
function isNegated(words: readonly MessageWord[], at: number): boolean {
  for (let index = at - 1; index >= Math.max(0, at - 4); index--) {
    const { text } = words[index] as MessageWord
    if (text === '.' || text === ';' || text === 'but' || text === 'then') return false
    if (NEGATIONS.has(text)) return true
  }
  for (let index = at - 1; index >= Math.max(0, at - 6); index--) {
    const { text } = words[index] as MessageWord
    if (text === '.' || text === ';' || text === 'and' || text === 'then') return false
    if (ASKING.has(text)) return true
  }
  return false
}

const NOUNS_AFTER = new Set(
  'notes note logs log history script scripts guide docs documentation page pages button keyword command commands status pipeline plan plans process branch branches candidate date key keys config configuration'.split(
    ' ',
  ),
)
const ARTICLES = new Set([
  'the',
  'a',
  'an',
  'this',
  'that',
  'our',
  'last',
  'previous',
  'press',
  'latest',
  'failed',
  'in',
  'of',
  'about',
])

// "the deploy script", "press release notes": the word is a noun.
function isOnlyNamed(words: readonly MessageWord[], at: number, length: number): boolean {
  const after = words[at + length]?.text ?? ''
  const before = words[at - 1]?.text ?? ''
  return NOUNS_AFTER.has(after) && (ARTICLES.has(before) || length === 1) && before !== 'and' && before !== 'please'
}

// Quoted text and code are skipped. The end of a sentence is a separate word.
function readWords(message: string): MessageWord[] {
  const words: MessageWord[] = []
  let at = 0
  while (at < message.length && words.length < MAX_WORDS) {
    const code = message.charCodeAt(at)
    if (code === 34 || code === 96 || code === 0x201c) {
      const close = message.indexOf(code === 0x201c ? '\u201d' : (message[at] as string), at + 1)
      at = close < 0 || close - at > 300 ? at + 1 : close + 1
    } else if (isWordCode(code)) {
      const start = at
      while (at < message.length && isWordCode(message.charCodeAt(at))) at++
      let end = at
      while (end > start && message[end - 1] === '.') end--
      words.push({ text: message.slice(start, end).toLowerCase().replace('\u2019', "'"), start, end })
      if (end < at) words.push({ text: '.', start: end, end: at })
    } else {
      if (code === 33 || code === 63 || code === 10 || code === 59)
        words.push({ text: code === 59 ? ';' : '.', start: at, end: at + 1 })
      at++
    }
  }
  return words
}

function isWordCode(code: number): boolean {
  return (
    (code >= 97 && code <= 122) ||
    (code >= 65 && code <= 90) ||
    (code >= 48 && code <= 57) ||
    code === 39 ||
    code === 45 ||
    code === 46 ||
    code === 95 ||
    code === 0x2019 ||
    code > 0x2100 ||
    (code > 127 && code < 0x2000)
  )
}
