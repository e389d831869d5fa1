// Python and JavaScript as shell commands with the same effects, so that one set of rules rates both.

import type { SyntaxNode } from '@lezer/common'
import type { CodeCommand, Language } from './evaluate.ts'
import { JAVASCRIPT, moduleName } from './javascript-library.ts'
import { type ParsedLanguage, parseCode } from './parse-code.ts'
import { fillFormat, PYTHON } from './python-library.ts'
import { CodeRun } from './statements.ts'
import { decodeString } from './strings.ts'

const LANGUAGES: Readonly<Record<ParsedLanguage, Language>> = {
  python: { library: PYTHON, imports: readPythonImport, fillFormat },
  javascript: { library: JAVASCRIPT, imports: readJavaScriptImport },
}
const MAX_NESTING = 3

/** The commands; undefined if the code could not be parsed. */
export function translateCode(language: string, code: string, nesting = 0): readonly CodeCommand[] | undefined {
  if (language !== 'python' && language !== 'javascript') return undefined
  const top = parseCode(language, code)
  if (top === undefined) return undefined
  const evaluation = new CodeRun(code, LANGUAGES[language])
  evaluation.run(top)
  const inner = nesting >= MAX_NESTING ? [] : evaluation.inner
  return [...evaluation.commands, ...inner.flatMap((text) => runInner(language, text, code.length, nesting))]
}

// Code in a text has no position of its own: it is at the whole code.
function runInner(language: string, code: string, length: number, nesting: number): readonly CodeCommand[] {
  const commands = translateCode(language, code, nesting + 1) ?? []
  return commands.map(({ text }) => ({ text, start: 0, end: length }))
}

type Source = (node: SyntaxNode) => string
type Import = readonly [local: string, path: string]

// `import a.b as c, d` and `from a.b import c as d`
function readPythonImport(node: SyntaxNode, source: Source): readonly Import[] {
  const written = source(node)
    .replace(/[()\\\n]/g, ' ')
    .trim()
  const from = /^from\s+(\S+)\s+import\s+(.*)$/s.exec(written)
  const names = (from?.[2] ?? written.replace(/^import\s+/, '')).split(',')
  return names.flatMap((name): readonly Import[] => {
    const [path = '', , local] = name.trim().split(/\s+/)
    if (from?.[1] !== undefined) return [[local ?? path, `${from[1]}.${path}`]]
    return local === undefined ? [[path.split('.')[0] ?? path, path.split('.')[0] ?? path]] : [[local, path]]
  })
}

// `import a, { b as c } from 'm'` and `import * as a from 'm'`
function readJavaScriptImport(node: SyntaxNode, source: Source): readonly Import[] {
  const literal = node.getChild('String')
  if (literal === null) return []
  const module = moduleName(decodeString(source(literal)))
  const found: Import[] = node.getChildren('VariableDefinition').map((name): Import => [source(name), module])
  const group = node.getChild('ImportGroup')
  let imported = ''
  for (let child = group?.firstChild ?? null; child !== null; child = child.nextSibling) {
    if (child.name === 'VariableName') imported = source(child)
    else if (child.name === 'VariableDefinition') found.push([source(child), `${module}.${imported || source(child)}`])
    else if (child.name === ',') imported = ''
  }
  return found
}
