// Checks the vocabulary of GLOSSARY.md: retired words in exported names and file names, exported names declared twice, and
// retired phrases in pages, messages, comments and test titles.

import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const CHECKED = ['*.md', 'docs', 'examples', 'src', 'dashboard', 'scripts', 'bench', 'test']
// These files contain the retired words on purpose.
const EXEMPT_FILES = new Set(['GLOSSARY.md', 'scripts/check/words.mjs', 'test/words.test.ts'])
// Host folders implement one interface, compat repeats the names of earlier systems, and the managed form of a command
// has the functions of the command.
const MAY_REPEAT_NAMES = /^src\/(?:hosts\/[^/]+\/|compat\/|cli\/commands\/[^/]+\/managed-)/
// Migrations are history: released names stay.
const KEEPS_NAMES = /\/migrations\//
const COMMENT = /(?:^|\s)\/\/ .*|^\s*(?:\/?\*).*/
// The Unix user, as in `chown nobody` and `sudo -u nobody`.
const USER_NAME = /(?:chown(?: -\w+)*|-u) nobody(?::nobody)?/g
const TEST_CALLS = new Set(['it', 'test', 'describe'])

/**
 * Every finding as `{ file, line, message }`.
 * @param {string} glossary the text of GLOSSARY.md
 * @param {Map<string, string>} files path → text
 */
export function findWordProblems(glossary, files) {
  const { names, phrases } = readGlossary(glossary)
  const declared = new Map()
  const problems = []
  for (const [file, text] of files) {
    if (EXEMPT_FILES.has(file)) continue
    if (file.endsWith('.md')) {
      problems.push(...checkLines(file, text.split('\n'), phrases))
    } else if (/\.(?:ts|tsx|mts|mjs)$/.test(file)) {
      problems.push(...checkCode(file, text, { names, phrases, declared }))
    }
  }
  return [...problems, ...checkRepeated(declared)]
}

/** The retired words (word → replacement) and the retired phrases as patterns. */
export function readGlossary(text) {
  const names = new Map()
  const phrases = []
  let section = ''
  for (const line of text.split('\n')) {
    if (line.startsWith('## ')) section = line.slice(3)
    const cells = line.startsWith('| ') ? line.split('|').map((cell) => cell.trim()) : []
    if (section === 'Words') for (const word of quoted(cells[3])) names.set(word, cells[1])
    if (section === 'Retired names') for (const word of quoted(cells[1])) names.set(word, cells[2])
    if (section === 'Retired phrases') {
      for (const phrase of quoted(cells[1])) phrases.push({ phrase, pattern: patternFor(phrase), say: cells[2] })
    }
  }
  return { names, phrases }
}

function quoted(cell = '') {
  return [...cell.matchAll(/`([^`]+)`/g)].map((match) => match[1])
}

// "instead of its own X" is no "X of its own".
function patternFor(phrase) {
  return new RegExp(`(?<![\\w-]|instead )${phrase.replaceAll(' ', '\\s+')}(?![\\w-])`, 'i')
}

function checkLines(file, lines, phrases, firstLine = 1) {
  return lines.flatMap((line, index) => {
    const checked = line === '' ? '' : line.replaceAll(USER_NAME, '')
    if (!hasPhrase(checked, phrases)) return []
    return phrases
      .filter(({ pattern }) => pattern.test(checked))
      .map(({ phrase, say }) => ({ file, line: firstLine + index, message: `"${phrase}": write ${say}` }))
  })
}

// One pattern for all phrases: nearly every line has none.
const anyPhrase = new WeakMap()

function hasPhrase(line, phrases) {
  if (line === '' || phrases.length === 0) return false
  if (!anyPhrase.has(phrases))
    anyPhrase.set(phrases, patternFor(`(?:${phrases.map(({ phrase }) => phrase).join('|')})`))
  return anyPhrase.get(phrases).test(line)
}

function checkCode(file, text, { names, phrases, declared }) {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true, scriptKind(file))
  const comments = text.split('\n').map((line) => COMMENT.exec(line)?.[0] ?? '')
  const problems = [...checkLines(file, comments, phrases), ...checkTexts(source, file, phrases)]
  if (!/^(?:src|dashboard)\//.test(file)) return problems
  if (KEEPS_NAMES.test(file)) return problems
  problems.push(...checkFileName(file, names))
  if (isTest(file)) return problems
  for (const exported of findExports(source)) {
    problems.push(...checkName(exported, file, names))
    if (MAY_REPEAT_NAMES.test(file)) continue
    const files = declared.get(exported.name) ?? new Map()
    if (!files.has(file)) declared.set(exported.name, files.set(file, exported.line))
  }
  return problems
}

function scriptKind(file) {
  return file.endsWith('.tsx') ? ts.ScriptKind.TSX : file.endsWith('.mjs') ? ts.ScriptKind.JS : ts.ScriptKind.TS
}

function isTest(file) {
  return /\.test\.tsx?$/.test(file) || file.startsWith('test/')
}

/** Texts that people read: every string of the product, the titles of tests. */
function checkTexts(source, file, phrases) {
  const problems = []
  const visit = (node) => {
    const text = isTest(file) ? titleText(node) : visibleText(node)
    if (text) problems.push(...checkLines(file, text.split('\n'), phrases, findLine(source, node)))
    ts.forEachChild(node, visit)
  }
  visit(source)
  return problems
}

function visibleText(node) {
  if (ts.isStringLiteralLike(node) || ts.isJsxText(node)) return node.text
  return ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node) ? node.text : undefined
}

function titleText(node) {
  if (!ts.isCallExpression(node) || !TEST_CALLS.has(calleeName(node.expression))) return undefined
  const [title] = node.arguments
  return title && ts.isStringLiteralLike(title) ? title.text : undefined
}

function calleeName(callee) {
  if (ts.isIdentifier(callee)) return callee.text
  return ts.isPropertyAccessExpression(callee) || ts.isCallExpression(callee) ? calleeName(callee.expression) : ''
}

function checkFileName(file, names) {
  return splitName(file.slice(file.indexOf('/') + 1))
    .filter((part) => names.has(part))
    .map((part) => ({
      file,
      line: 1,
      message: `"${part}" in the path: write ${names.get(part)}`,
    }))
}

function checkName({ name, line, isFunction }, file, names) {
  const problems = splitName(name)
    .filter((part) => names.has(part))
    .map((part) => ({ file, line, message: `"${part}" in ${name}: write ${names.get(part)}` }))
  if (isFunction && /[a-z]Of$/.test(name)) {
    problems.push({
      key: `name ${name}`,
      file,
      line,
      message: `${name} ends in Of: start with a verb, as in readOptions`,
    })
  }
  return problems
}

/** `claimFiring` → claim, firing · `SESSION_KEPT_MS` → session, kept, ms · `left-out.ts` → left, out, ts, leftout. */
function splitName(name) {
  const parts = name
    .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z\d]+/)
    .filter(Boolean)
  return [...parts, ...parts.slice(1).map((part, index) => `${parts[index]}${part}`)]
}

function findExports(source) {
  return source.statements.filter(isExported).flatMap((statement) => {
    const declarations = ts.isVariableStatement(statement) ? statement.declarationList.declarations : [statement]
    return declarations
      .filter((declaration) => declaration.name && ts.isIdentifier(declaration.name))
      .map((declaration) => ({
        name: declaration.name.text,
        line: findLine(source, declaration),
        isFunction: ts.isFunctionDeclaration(declaration) || isArrow(declaration),
      }))
  })
}

function isExported(statement) {
  return statement.modifiers?.some((modifier) => modifier.kind === ts.SyntaxKind.ExportKeyword) ?? false
}

function isArrow(declaration) {
  return (
    ts.isVariableDeclaration(declaration) && !!declaration.initializer && ts.isArrowFunction(declaration.initializer)
  )
}

function findLine(source, node) {
  return source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1
}

function checkRepeated(declared) {
  return [...declared].flatMap(([name, files]) =>
    [...files].slice(1).map(([file, line]) => ({
      file,
      line,
      message: `${name} is exported by ${[...files.keys()][0]} too: an exported name occurs once`,
    })),
  )
}

function readTree() {
  const args = ['ls-files', '--cached', '--others', '--exclude-standard', ...CHECKED]
  const { stdout } = spawnSync('git', args, { cwd: ROOT, encoding: 'utf8', maxBuffer: 1 << 26 })
  const files = stdout
    .split('\n')
    .filter((file) => /\.(?:md|ts|tsx|mts|mjs)$/.test(file) && !file.includes('/fixtures/'))
  return new Map(
    [...new Set(files)]
      .filter((file) => existsSync(join(ROOT, file)))
      .map((file) => [file, readFileSync(join(ROOT, file), 'utf8')]),
  )
}

function main() {
  const problems = findWordProblems(readFileSync(join(ROOT, 'GLOSSARY.md'), 'utf8'), readTree())
  for (const { file, line, message } of problems) console.log(`${file}:${line}: ${message}`)
  if (problems.length > 0) process.exitCode = 1
}

if (process.argv[1] && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) main()
