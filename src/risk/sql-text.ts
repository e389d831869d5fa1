// Detects SQL statements and GraphQL mutations. Searches in plain words begin with the same verbs ("drop table
// lamp"), so the shape of the whole statement decides.

const MAX_TEXT = 100_000

// A name, optionally quoted and with its schema.
const NAME = String.raw`(?:[\w$]+|"[^"]+"|\`[^\`]+\`|\[[^\]]+\])(?:\.(?:[\w$]+|"[^"]+"|\`[^\`]+\`|\[[^\]]+\]|\*))*`
const LIST = String.raw`${NAME}(?:\s*,\s*${NAME})*`
const END = String.raw`\s*(?:;|$)`

const STATEMENTS = [
  String.raw`drop\s+(?:temp(?:orary)?\s+|materialized\s+|foreign\s+)?[a-z]+\s+(?:concurrently\s+)?(?:if\s+exists\s+)?${LIST}(?:\s*\([^)]*\))?(?:\s+on\s+${NAME})?(?:\s+(?:cascade|restrict|purge|force))*${END}`,
  String.raw`truncate\s+(?:table\s+)?(?:only\s+)?${LIST}(?:\s+(?:restart\s+identity|continue\s+identity|cascade|restrict))*${END}`,
  String.raw`delete\s+from\s+(?:only\s+)?${NAME}(?:\s+(?:as\s+)?${NAME})?(?:\s+(?:where|using|returning|limit|order\s+by)\b|${END})`,
  String.raw`update\s+(?:only\s+)?${NAME}(?:\s+(?:as\s+)?${NAME})?\s+set\s+${NAME}\s*=`,
  String.raw`alter\s+(?:table|database|schema|role|user|view|index|sequence|type|system|column)\s+(?:if\s+exists\s+)?(?:only\s+)?${NAME}\s+(?:add|drop|rename|alter|set|modify|change|owner|with|enable|disable|detach|attach)\b`,
  String.raw`(?:grant|revoke)\s+(?:all|select|insert|update|delete|truncate|usage|execute|create|connect|super|admin)\b[^;]{0,300}\s(?:to|from)\s`,
  String.raw`(?:insert|replace|merge)\s+into\s+${NAME}\s*(?:\(|values\b|select\b|default\b|using\b|as\b)`,
  String.raw`create\s+(?:or\s+replace\s+)?(?:unique\s+)?(?:table|view|index|function|trigger|role|user|database|schema|extension|procedure)\s+${NAME}`,
  String.raw`copy\s+(?:${NAME}|\([^)]*\))(?:\s*\([^)]*\))?\s+(?:to|from)\s+(?:program\s+|'|stdin|stdout)`,
  String.raw`(?:begin|start\s+transaction|commit|rollback)(?:\s+(?:transaction|work))?\s*;`,
  String.raw`do\s+(?:language\s+\w+\s+)?\$`,
  String.raw`with\s+(?:recursive\s+)?${NAME}\s*(?:\([^)]*\)\s*)?as\s+(?:not\s+)?(?:materialized\s+)?\(`,
  String.raw`(?:explain|analyze)\s+(?:\([^)]*\)\s*)?(?:analyze\s+|verbose\s+)*(?:select|insert|update|delete|with)\b`,
  String.raw`shutdown(?:\s+with\s+nowait)?${END}`,
  String.raw`select\s+[\s\S]{1,2000}?\bfrom\s+${NAME}`,
  String.raw`(?:exec(?:ute)?|call)\s+${NAME}\s*(?:\(|@|'|;|$)`,
]
const STATEMENT = new RegExp(`^(?:${STATEMENTS.join('|')})`, 'i')

const MAX_STATEMENT = 4_000

/** Whether a statement of the text has the form of SQL. */
export function isSqlStatement(text: string): boolean {
  const bare = withoutComments(text.length > MAX_TEXT ? text.slice(0, MAX_TEXT) : text)
  return bare.split(';').some((part) => STATEMENT.test(`${part.trim().slice(0, MAX_STATEMENT)};`))
}

// MySQL executes comments that begin with an exclamation mark.
function withoutComments(text: string): string {
  if (!text.includes('--') && !text.includes('/*')) return text
  let bare = ''
  let at = 0
  for (const { index } of text.matchAll(/--|\/\*(?!!)/g)) {
    if (index < at) continue
    bare += `${text.slice(at, index)} `
    const close = text.indexOf(text[index] === '-' ? '\n' : '*/', index + 2)
    at = close < 0 ? text.length : close + (text[index] === '-' ? 1 : 2)
  }
  return (bare + text.slice(at)).replace(/\/\*!\d*|\*\//g, ' ')
}

/** Whether the text is a GraphQL mutation. */
export function isGraphMutation(text: string): boolean {
  const start = text.slice(0, MAX_TEXT).replace(/^[ \t]*#.*$/gm, '')
  return /^\s*mutation\b[^{]*\{/.test(start)
}
