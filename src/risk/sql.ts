// Finds SQL statements that lose data, by tokens: comments, strings and quoted names do not count.

import type { Tier } from './assessment.ts'

/** The loss of a statement. */
export interface SqlLoss {
  readonly tier: Tier
  readonly what: string
  /** Positions in the code. */
  readonly start: number
  readonly end: number
}

interface Token {
  /** In upper case; a string is `'`. */
  readonly text: string
  readonly start: number
  readonly end: number
}

const MAX_TOKENS = 20_000

/** The most severe loss in SQL code. */
export function findSqlLoss(code: string): SqlLoss | undefined {
  const tokens = readTokens(code)
  let gravest: SqlLoss | undefined
  let from = 0
  for (let index = 0; index <= tokens.length; index++) {
    if (index < tokens.length && tokens[index]?.text !== ';') continue
    const loss = findStatementLoss(tokens.slice(from, index))
    if (loss !== undefined && loss.tier > (gravest?.tier ?? 0)) gravest = loss
    from = index + 1
  }
  return gravest
}

const DROPPED: Readonly<Record<string, Tier>> = {
  DATABASE: 5,
  SCHEMA: 5,
  TABLE: 4,
  KEYSPACE: 5,
  COLLECTION: 4,
  TABLESPACE: 4,
  USER: 4,
  ROLE: 4,
  OWNED: 4,
  COLUMN: 4,
  PARTITION: 4,
  SEQUENCE: 3,
  INDEX: 3,
  VIEW: 3,
  FUNCTION: 3,
  TRIGGER: 3,
  CONSTRAINT: 3,
  POLICY: 4,
  EXTENSION: 3,
  TYPE: 3,
  MATERIALIZED: 3,
  PROCEDURE: 3,
  FOREIGN: 4,
  PUBLICATION: 4,
  SUBSCRIPTION: 4,
  SERVER: 4,
  DOMAIN: 3,
  STREAM: 4,
  WAREHOUSE: 4,
  BUCKET: 4,
}

function findStatementLoss(tokens: readonly Token[]): SqlLoss | undefined {
  if (tokens[0]?.text === 'EXPLAIN' && !tokens.some(({ text }) => text === 'ANALYZE')) return undefined
  for (let index = 0; index < tokens.length; index++) {
    if (!isStatementStart(tokens, index)) continue
    const loss = readLoss(tokens, index)
    if (loss !== undefined) return loss
  }
  return undefined
}

// A statement begins at the start, after a parenthesis, BEGIN or similar words; elsewhere a word is a name.
const BEFORE_STATEMENT = new Set(['(', 'BEGIN', 'AS', 'THEN', 'DO', 'ANALYZE', '{', 'ELSE', 'TRANSACTION', ';'])

function isStatementStart(tokens: readonly Token[], index: number): boolean {
  return index === 0 || BEFORE_STATEMENT.has(tokens[index - 1]?.text ?? '')
}

interface Statement {
  readonly tokens: readonly Token[]
  /** Where the statement begins in the tokens. */
  readonly index: number
  /** The second word. */
  readonly object: string
}

type Loss = readonly [tier: Tier, what: string]

/** The loss by the first word of a statement. */
const LOSSES: Readonly<Record<string, (statement: Statement) => Loss | undefined>> = {
  DROP: ({ object }) => {
    const tier = DROPPED[object]
    return tier === undefined ? undefined : [tier, `DROP ${object}`]
  },
  TRUNCATE: ({ object }) => (object === '(' || object === '' ? undefined : [4, 'TRUNCATE']),
  DELETE: ({ tokens, index, object }) =>
    object === 'FROM' && !isFiltered(tokens, index) ? [4, 'DELETE without WHERE'] : undefined,
  UPDATE: ({ tokens, index }) =>
    tokens.slice(index, index + 6).some(({ text }) => text === 'SET') && !isFiltered(tokens, index)
      ? [4, 'UPDATE without WHERE']
      : undefined,
  ALTER: readAlterLoss,
  REVOKE: () => [3, 'REVOKE'],
  GRANT: () => [3, 'GRANT'],
  SHUTDOWN: () => [4, 'SHUTDOWN'],
}

function readLoss(tokens: readonly Token[], index: number): SqlLoss | undefined {
  const first = tokens[index] as Token
  const read = Object.hasOwn(LOSSES, first.text) ? LOSSES[first.text] : undefined
  const loss = read?.({ tokens, index, object: tokens[index + 1]?.text ?? '' })
  if (loss === undefined) return undefined
  const [tier, what] = loss
  return { tier, what, start: first.start, end: (tokens[index + 2] ?? tokens.at(-1) ?? first).end }
}

function readAlterLoss({ tokens, index }: Statement): Loss | undefined {
  const drop = tokens.slice(index).findIndex(({ text }) => text === 'DROP')
  if (drop < 0) return undefined
  const what = tokens[index + drop + 1]?.text ?? ''
  return what === 'COLUMN' || what === 'PARTITION' ? [4, `ALTER … DROP ${what}`] : [3, 'ALTER … DROP']
}

// WHERE 1=1 and WHERE true filter nothing; LIMIT does.
function isFiltered(tokens: readonly Token[], from: number): boolean {
  const where = tokens.findIndex(
    ({ text }, index) => index > from && (text === 'WHERE' || text === 'LIMIT' || text === 'USING'),
  )
  if (where < 0) return false
  const rest = tokens.slice(where + 1).map(({ text }) => text)
  if (rest[0] === 'TRUE' || (rest[0] === '1' && (rest.length === 1 || (rest[1] === '=' && rest[2] === '1'))))
    return false
  return !(rest[0] === "'" && rest[1] === '=' && rest[2] === "'" && rest.length === 3)
}

function readTokens(code: string): Token[] {
  const tokens: Token[] = []
  let at = 0
  while (at < code.length && tokens.length < MAX_TOKENS) {
    const end = skipBlanksAndComments(code, at)
    if (end > at) {
      at = end
      continue
    }
    const token = readToken(code, at)
    tokens.push(token)
    at = token.end
  }
  return tokens
}

// Blanks and comments.
function skipBlanksAndComments(code: string, at: number): number {
  const char = code[at] as string
  if (char === ' ' || char === '\n' || char === '\t' || char === '\r') return at + 1
  if (code.startsWith('--', at) || char === '#') {
    const end = code.indexOf('\n', at)
    return end < 0 ? code.length : end + 1
  }
  // MySQL executes comments that begin with an exclamation mark.
  if (code.startsWith('/*!', at)) return at + 3
  if (code.startsWith('*/', at)) return at + 2
  if (!code.startsWith('/*', at)) return at
  const end = code.indexOf('*/', at + 2)
  return end < 0 ? code.length : end + 2
}

function readToken(code: string, at: number): Token {
  const char = code[at] as string
  if (char === "'" || char === '"' || char === '`') {
    const close = code.indexOf(char, at + 1)
    const end = close < 0 ? code.length : close + 1
    return { text: char === "'" ? "'" : '"', start: at, end }
  }
  let end = at
  while (end < code.length && isWordCharacter(code.charCodeAt(end))) end++
  if (end === at) end = at + 1
  return { text: code.slice(at, end).toUpperCase(), start: at, end }
}

function isWordCharacter(code: number): boolean {
  return (
    (code >= 48 && code <= 57) ||
    (code >= 65 && code <= 90) ||
    (code >= 97 && code <= 122) ||
    code === 95 ||
    code === 46 ||
    code > 127
  )
}
