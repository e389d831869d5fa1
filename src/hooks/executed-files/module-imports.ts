// Finds the modules and programs that JavaScript and Python files load and start, by literals in their text.

import { existsSync, statSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import type { CodeLocation, CollectorPort } from './collector-port.ts'
import { coverPackage } from './package-scripts.ts'

type InFile = CodeLocation & { readonly file: string }

const SPECIFIER = /(?:\bfrom\s*|\bimport\s*\(?\s*|\brequire\s*(?:\.resolve\s*)?\(\s*)(['"`])([^'"`\n$]+)\1/g
const COMPUTED_MODULE = /\b(?:import|require)\s*\(\s*(?!(['"`])[^'"`\n$]*\1)[^)\s]/
const MADE_CODE = /\beval\s*\(|\bnew\s+Function\s*\(|\bvm\s*\.\s*\w+\s*\(|\brunIn\w*Context\s*\(/
const STARTS = /\b(?:exec|execSync|execFile|execFileSync|spawn|spawnSync|fork)\s*\(\s*(?:(['"`])([^\n]*?)\1)?/g
const ENDINGS = ['', '.js', '.mjs', '.cjs', '.ts', '.mts', '.cts', '.tsx', '.jsx', '.json']
const INDEXES = ['index.js', 'index.mjs', 'index.cjs', 'index.ts', 'package.json']

/** Reads the imports and started programs of JavaScript. */
export function readJavaScript(collector: CollectorPort, text: string, location: InFile): void {
  const { file, cwd, depth } = location
  const name = collector.displayPath(file)
  for (const [, , specifier = ''] of text.matchAll(SPECIFIER)) {
    if (isBuiltin(specifier)) continue
    const isPath = specifier.startsWith('.') || specifier.startsWith('/')
    if (!isPath) coverPackage(collector, specifier, dirname(file))
    for (const target of isPath ? findModuleFiles(resolve(dirname(file), specifier)) : []) {
      collector.addFile(target, { cwd, depth: depth + 1, language: target.endsWith('.json') ? 'none' : 'javascript' })
    }
  }
  if (COMPUTED_MODULE.test(text)) collector.noteUnfollowed(`a module that ${name} loads by a computed name`)
  if (MADE_CODE.test(text)) collector.noteUnfollowed(`code that ${name} makes when it runs`)
  if (/\bchild_process\b|\bexeca\b|\bBun\.(?:spawn|\$)|\bDeno\.Command\b/.test(text))
    readStartedPrograms(collector, text, location)
  readPathLiterals(collector, text, location)
}

function readStartedPrograms(collector: CollectorPort, text: string, { cwd, file, depth }: InFile): void {
  for (const [, , line] of text.matchAll(STARTS)) {
    if (line === undefined || line.includes('${'))
      collector.noteUnfollowed(`a program that ${collector.displayPath(file)} starts`)
    else collector.readShell(line, { cwd, depth: depth + 1 })
  }
}

// The file, and the names that a loader would try. Missing files are covered, too: a file that appears changes the program.
function findModuleFiles(path: string): string[] {
  const stats = statSync(path, { throwIfNoEntry: false })
  if (stats?.isDirectory()) return INDEXES.map((name) => join(path, name))
  const found = ENDINGS.map((ending) => path + ending).filter((candidate) => existsSync(candidate))
  // TypeScript imports name the compiled file.
  const source = path.replace(/\.([mc]?)js$/, '.$1ts')
  return [...new Set([path, ...found, ...(existsSync(source) ? [source] : [])])]
}

// Path literals of scripts, relative to the file's folder and to the working folder.
function readPathLiterals(collector: CollectorPort, text: string, { cwd, file, depth }: InFile): void {
  for (const [, , literal = ''] of text.matchAll(/(['"`])([^'"`\n]{1,300})\1/g)) {
    if (!/^[\w@.+~/-]+\.(?:sh|bash|zsh|[mc]?[jt]s|py|rb|pl|php)$/.test(literal)) continue
    for (const base of new Set([dirname(file), cwd])) {
      const target = resolve(base, literal)
      if (collector.isInProject(target) && existsSync(target)) collector.addFile(target, { cwd, depth: depth + 1 })
    }
  }
}

const IMPORT = /^[ \t]*(?:from[ \t]+(\.*[\w.]*)[ \t]+import[ \t]+([\w, \t*()]+)|import[ \t]+([\w., \t]+))/gm
const PYTHON_MADE = /\b(?:exec|eval|__import__|import_module|run_path|run_module|execfile)\s*\(|\bsys\.path\b/
const PYTHON_STARTS =
  /\b(?:os\.(?:system|popen|exec\w+|spawn\w+)|subprocess\.\w+|Popen)\s*\(\s*(?:(\[?)\s*f?(['"])([^\n]*?)\2)?/g

/** Reads the imports and started programs of Python. */
export function readPython(collector: CollectorPort, text: string, location: InFile): void {
  const { file, cwd, depth } = location
  const name = collector.displayPath(file)
  for (const [, from, names = '', plain] of text.matchAll(IMPORT)) {
    const modules =
      from === undefined ? (plain ?? '').split(',') : [from, ...names.split(',').map((part) => joinModule(from, part))]
    for (const module of modules) readPythonModule(collector, module.trim().split(/\s/)[0] ?? '', location)
  }
  if (PYTHON_MADE.test(text)) collector.noteUnfollowed(`code or modules that ${name} chooses when it runs`)
  for (const [, list, , line] of text.matchAll(PYTHON_STARTS)) {
    if (line === undefined || /\{|%s/.test(line)) collector.noteUnfollowed(`a program that ${name} starts`)
    else if (list !== '[') collector.readShell(line, { cwd, depth: depth + 1 })
  }
  readPathLiterals(collector, text, location)
}

function joinModule(from: string, name: string): string {
  const bare = name.replace(/[()*\s]/g, '')
  return from.endsWith('.') ? from + bare : `${from}.${bare}`
}

function readPythonModule(collector: CollectorPort, module: string, { file, cwd, depth }: InFile): void {
  const dots = /^\.*/.exec(module)?.[0].length ?? 0
  const parts = module.slice(dots).split('.').filter(Boolean)
  const near = dots > 1 ? resolve(dirname(file), '../'.repeat(dots - 1)) : dirname(file)
  for (const base of new Set(dots > 0 ? [near] : [near, cwd])) {
    for (let length = 1; length <= parts.length; length++) {
      const path = join(base, ...parts.slice(0, length))
      for (const target of [`${path}.py`, join(path, '__init__.py'), join(path, '__main__.py')]) {
        if (collector.isInProject(target) && existsSync(target)) {
          collector.addFile(target, { cwd, depth: depth + 1, language: 'python' })
        }
      }
    }
  }
}
