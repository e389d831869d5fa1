// Replaces expressions for the home and temporary folder in code by literals: `os.homedir() + '/x'` becomes `'~/x'`.
// Handles functions, environment variables, simple variables and path joins.

const MAX_CODE = 100_000
const MAX_ROUNDS = 8

// Calls whose text begins with `~`: `os.path.expanduser('~/x')`.
const EXPANDED =
  /(?:\b(?:os\.path\.|posixpath\.)?expanduser|\bFile\.expand_path|\bglob|\bbsd_glob)\s*\(\s*(["'])(~[^"'\n]*)\1\s*\)|\b(?:pathlib\.)?(?:Posix)?Path\(\s*(["'])(~[^"'\n]*)\3\s*\)\s*\.expanduser\(\)/g

const HOME = [
  String.raw`(?:require\(["'](?:node:)?os["']\)|\bos)\.userInfo\(\)\.homedir\b`,
  String.raw`(?:(?:require\(["'](?:node:)?os["']\)|\b\w+)\.)?\bhomedir\(\)`,
  String.raw`\b(?:process|Bun|import\.meta)\.env(?:\.HOME\b|\[["']HOME["']\])`,
  String.raw`\bDeno\.env\.get\(["']HOME["']\)`,
  String.raw`\b(?:pathlib\.)?(?:Posix)?Path\.home\(\)`,
  String.raw`\b(?:os\.)?environ(?:\[["']HOME["']\]|\.get\(["']HOME["'][^()]*\))`,
  String.raw`\b(?:os\.)?getenv\(["']HOME["'][^()]*\)`,
  String.raw`\b(?:pwd\.)?getpw(?:uid|nam)\([^()]*(?:\([^()]*\))?[^()]*\)\.pw_dir\b`,
  String.raw`\bDir\.home\b(?:\(\))?`,
  String.raw`\bENV(?:\[["']HOME["']\]|\.fetch\(["']HOME["'][^()]*\))`,
  String.raw`\bEtc\.getpw\w+(?:\([^()]*\))?\.dir\b`,
  String.raw`\$_(?:SERVER|ENV)\[["']?HOME["']?\]`,
  String.raw`\bFile::HomeDir->my_home\b`,
].join('|')
const TEMP = String.raw`(?:(?:require\(["'](?:node:)?os["']\)|\b\w+)\.)?\b(?:tmpdir\(\)|gettempdir\(\))|\bDir\.tmpdir\b|\bsys_get_temp_dir\(\)`

const IN_TEXT = new RegExp(String.raw`[#$]?\{\s*(?:${HOME})\s*\}`, 'g')
const BARE = new RegExp(HOME, 'g')
const BARE_TEMP = new RegExp(TEMP, 'g')
const PERL = /\$ENV\{["']?HOME["']?\}(?=(["'/]?))/g
const MENTION = /home|expanduser|expand_path|pw_dir|te?mp_?dir|~/i

/** The code with the home and temporary folder as literals. Positions change. */
export function withPlainPaths(code: string): string {
  if (code.length > MAX_CODE || !MENTION.test(code)) return code
  const plain = code
    .replace(EXPANDED, (_, _q, first: string | undefined, _r, second: string | undefined) => `'${first ?? second}'`)
    .replace(IN_TEXT, '~')
    .replace(PERL, (_, next: string) => (next === '' ? "'~'" : '~'))
    .replace(BARE, "'~'")
    .replace(BARE_TEMP, "'/tmp'")
  return plain === code && !plain.includes('~') ? code : joined(withVariables(joined(plain)))
}

// A name begins where no other letter precedes it: a search from each letter of a long word would take its length squared.
const ASSIGNED =
  /(?:\b(?:const|let|var|my|local)\s+)?(\$[A-Za-z_]\w*|(?<!\w)[A-Za-z_]\w*)\s*:?=\s*(["'])((?:~|\/tmp)[^"'\n]*)\2\s*(?=[;\n)]|$)/g

// Replaces variables with such a value, also inside strings: `"$h/x"`, `${h}/x`, `#{h}/x`, `{h}/x`.
function withVariables(code: string): string {
  let text = code
  let rounds = 0
  for (const [whole, name = '', , value = ''] of code.matchAll(ASSIGNED)) {
    if (++rounds > MAX_ROUNDS) break
    const at = text.indexOf(whole)
    if (at < 0) continue
    const end = at + whole.length
    const bare = name.replace('$', String.raw`\$`)
    const inText = new RegExp(String.raw`[#$]?\{${bare}\}|${name.startsWith('$') ? `${bare}(?=[/"])` : '(?!)'}`, 'g')
    const alone = new RegExp(String.raw`(?<![\w$.'"])${bare}(?![\w'"]|\s*=[^=])`, 'g')
    text =
      text.slice(0, end) +
      text
        .slice(end)
        .replace(inText, () => value)
        .replace(alone, () => `'${value}'`)
  }
  return text
}

const ADDED = /(["'])((?:~|\/tmp)[^"'`\n]*)\1\s*(?:\+|\.(?=\s*["'`]))\s*(["'`])/g
const DIVIDED = /(["'])((?:~|\/tmp)[^"'`\n]*)\1\s*\/\s*(["'])/g
const JOINED = /\bjoin(?:path)?\(\s*(["'])((?:~|\/tmp)[^"'`\n]*)\1\s*,\s*(["'])/g
const WRAPPED =
  /(?:\b(?:Path|str|String|Pathname\.new|resolve|path\.resolve|normalize|realpath|abspath|fspath)|(?<![\w)\]]))\(\s*((["'])(?:~|\/tmp)[^"'`\n]*\2)\s*\)/g

// `'~' + "/x"`, `'~' / 'x'`, `join('~', 'x')`: one text.
function joined(code: string): string {
  let text = code
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const next = text
      .replace(ADDED, '$3$2')
      .replace(DIVIDED, '$3$2/')
      .replace(JOINED, 'join($3$2/')
      .replace(/\bjoin(?:path)?\(\s*((["'])(?:~|\/tmp)[^"'`\n]*\2)\s*\)/g, '$1')
      .replace(
        /(?:\b(?:os\.path|path|posixpath|File|posix)|require\(["'](?:node:)?path["']\))\.(?=["'](?:~|\/tmp))/g,
        '',
      )
      .replace(WRAPPED, '$1')
    if (next === text) return text
    text = next
  }
  return text
}
