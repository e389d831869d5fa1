// For drivers that cannot read every text: libsql ends the whole process on text that is not UTF-8, and libsql and Node 22 cut
// text off at a NUL character. A damaged or changed file may have such text in any column. The driver rewrites each query when
// it is prepared, so that SQLite returns texts as bytes, and decodes the bytes. The stores need not know.

/** A column of a result. */
export interface ResultColumn {
  readonly name: string
  /** The declared type of the table's column; null for an expression. */
  readonly type: string | null
}

const QUERY = /^\s*(?:SELECT|WITH|VALUES)\b/i
const RETURNING = /\bRETURNING\b/i
const NUMERIC = new Set(['INTEGER', 'REAL'])

/** The same query with bytes instead of texts. Other statements stay as they are; `readColumns` prepares the SQL. */
export function selectBytes(sql: string, readColumns: () => readonly ResultColumn[]): string {
  if (QUERY.test(sql)) return castTexts(sql, readColumns())
  if (RETURNING.test(sql)) checkReturned(sql, readColumns())
  return sql
}

// No function and no CASE where the declared type is known: with them SQLite runs the query as a separate co-routine.
function castTexts(sql: string, columns: readonly ResultColumn[]): string {
  const inner = columns.map((_, at) => `c${at}`).join(', ')
  const outer = columns.map(({ name, type }, at) => `${castColumn(`c${at}`, type)} AS "${name.replaceAll('"', '""')}"`)
  return `WITH result(${inner}) AS (${sql}) SELECT ${outer.join(', ')} FROM result`
}

function castColumn(column: string, type: string | null): string {
  if (type === 'TEXT') return `CAST(${column} AS BLOB)`
  // A changed file may have text in a column of numbers: the sum is a number.
  if (NUMERIC.has(type ?? '')) return `${column} + 0`
  return `CASE typeof(${column}) WHEN 'text' THEN CAST(${column} AS BLOB) ELSE ${column} END`
}

// A change cannot be part of a query, so its result cannot be rewritten.
function checkReturned(sql: string, columns: readonly ResultColumn[]): void {
  const other = columns.find(({ type }) => !NUMERIC.has(type ?? ''))
  if (other === undefined) return
  throw new TypeError(
    `RETURNING can return numbers only, not ${other.name}. Read it with a SELECT. The statement: ${sql}`,
  )
}

/** A row with its bytes decoded. No table has other bytes. */
export function decodeRow<Row extends object>(row: Row): Row {
  const values = row as Record<string, unknown>
  for (const name in values) if (typeof values[name] === 'object') values[name] = decodeValue(values[name])
  return row
}

/** The text of bytes; any other value as it is. */
export function decodeValue(value: unknown): unknown {
  if (Buffer.isBuffer(value)) return value.toString('utf8')
  if (value instanceof ArrayBuffer) return Buffer.from(value).toString('utf8')
  return value instanceof Uint8Array
    ? Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('utf8')
    : value
}
