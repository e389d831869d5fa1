// Keeps the layers one-way: reads every import of every source file and fails on each that the table does not allow.
// The table is the design; a new folder under src must be entered here before anything can live in it.

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, posix, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const OWN_PACKAGE = 'arc-supervisor'

interface Layer {
  /** The other layers it may import. */
  imports: readonly string[]
  /** Imports no package and no module of Node. */
  isSelfContained?: true
}

const MIDDLE = ['handlers', 'supervision', 'risk', 'guard', 'collaboration', 'trace', 'config', 'hosts'] as const
const UP_TO_STORE = ['core', ...MIDDLE, 'store'] as const

const LAYERS: Readonly<Record<string, Layer>> = {
  protocol: { imports: [], isSelfContained: true },
  core: { imports: [], isSelfContained: true },
  // They meet in runtime, never in each other.
  ...Object.fromEntries(MIDDLE.map((name) => [name, { imports: ['core'] }])),
  store: { imports: ['core', ...MIDDLE] },
  runtime: { imports: UP_TO_STORE },
  daemon: { imports: [...UP_TO_STORE, 'runtime', 'protocol'] },
  // `arc serve` starts the daemon; the daemon knows nothing of the command line.
  cli: { imports: [...UP_TO_STORE, 'runtime', 'protocol', 'daemon'] },
  // The APIs of the systems that ARC unifies: thin, over the engine as programs use it.
  faces: { imports: ['core', 'handlers', 'runtime'] },
  // What third parties test their own parts with.
  testing: { imports: UP_TO_STORE },
  // The files directly in src: what the package exports.
  public: { imports: [...UP_TO_STORE, 'runtime', 'protocol', 'faces', 'testing'] },
  dashboard: { imports: ['protocol'] },
}

// A built-in hook may import the one folder it fronts.
const EXCEPTIONS = [
  { from: 'src/supervision/hooks/', to: 'src/risk/' },
  { from: 'src/supervision/hooks/', to: 'src/collaboration/roundtable/' },
]

describe('the layers', () => {
  it('are imported in one direction only', () => {
    expect(findForbiddenImports(readSources())).toEqual([])
  })
})

describe('the layer check', () => {
  it.each([
    ['src/core/a.ts', '../handlers/b.ts', 'core must not import handlers'],
    ['src/core/a.ts', 'picomatch', 'core must not import packages'],
    ['src/core/a.ts', 'node:fs', 'core must not import packages'],
    ['src/core/a.ts', 'fs', 'core must not import packages'],
    ['src/core/a.ts', '../index.ts', 'core must not import public'],
    ['src/core/a.ts', '../../package.json', 'core must not import files outside src'],
    ['src/protocol/a.ts', '../core/b.ts', 'protocol must not import core'],
    ['src/risk/a.ts', '../supervision/b.ts', 'risk must not import supervision'],
    ['src/supervision/a.ts', '../risk/b.ts', 'supervision must not import risk'],
    ['src/supervision/hooks/a.ts', '../../collaboration/tasks/b.ts', 'supervision must not import collaboration'],
    ['src/trace/a.ts', '../store/b.ts', 'trace must not import store'],
    ['src/store/a.ts', '../runtime/b.ts', 'store must not import runtime'],
    ['src/runtime/a.ts', '../cli/b.ts', 'runtime must not import cli'],
    ['src/daemon/a.ts', '../cli/b.ts', 'daemon must not import cli'],
    ['src/index.ts', './cli/main.ts', 'public must not import cli'],
    ['src/index.ts', './daemon/server.ts', 'public must not import daemon'],
    ['src/handlers/a.ts', 'arc-supervisor', 'handlers must not import public'],
    ['src/cli/a.ts', '../../test/b.ts', 'cli must not import files outside src'],
    ['src/cli/a.ts', '../../dashboard/b.ts', 'cli must not import dashboard'],
    ['src/cli/a.ts', '../odds/b.ts', 'cli must not import odds'],
    ['dashboard/src/a.ts', '../../src/core/b.ts', 'dashboard must not import core'],
  ])('catches %s importing %s', (file, specifier, reason) => {
    const source = `// opening\nimport { b } from '${specifier}'`
    expect(findForbiddenImports({ [file]: source })).toEqual([`${file}:2 imports ${specifier}: ${reason}`])
  })

  it.each([
    ['src/core/a.ts', './b.ts'],
    ['src/handlers/command/a.ts', '../../core/b.ts'],
    ['src/handlers/command/a.ts', '../handler.ts'],
    ['src/handlers/a.ts', 'node:child_process'],
    ['src/supervision/hooks/a.ts', '../../risk/classify.ts'],
    ['src/supervision/hooks/a.ts', '../../collaboration/roundtable/turns.ts'],
    ['src/store/a.ts', '../trace/b.ts'],
    ['src/runtime/a.ts', '../store/b.ts'],
    ['src/cli/a.ts', '../daemon/b.ts'],
    ['src/cli/a.ts', '../../package.json'],
    ['src/index.ts', './runtime/assemble.ts'],
    ['dashboard/src/a.ts', '../../src/protocol/b.ts'],
    ['dashboard/src/a.ts', 'preact'],
  ])('allows %s to import %s', (file, specifier) => {
    expect(findForbiddenImports({ [file]: `import { b } from '${specifier}'` })).toEqual([])
  })

  it.each([
    "import '../cli/b.ts'",
    "import type { B } from '../cli/b.ts'",
    "import * as b from '../cli/b.ts'",
    "export { b } from '../cli/b.ts'",
    "export * from '../cli/b.ts'",
    "export type { B } from '../cli/b.ts'",
    "const b = await import('../cli/b.ts')",
    'const b = await import(`../cli/b.ts`)',
    "type B = import('../cli/b.ts').B",
    "type B = typeof import('../cli/b.ts')",
    "function f() { return import('../cli/b.ts') }",
  ])('sees %s', (source) => {
    expect(findForbiddenImports({ 'src/core/a.ts': source })).toEqual([
      'src/core/a.ts:1 imports ../cli/b.ts: core must not import cli',
    ])
  })

  it('refuses a folder that is not in the table', () => {
    expect(findForbiddenImports({ 'src/odds/a.ts': 'export {}' })).toEqual([
      'src/odds/a.ts: odds is not in the table of layers',
    ])
  })

  it('leaves tests alone', () => {
    expect(findForbiddenImports({ 'src/core/a.test.ts': "import { b } from '../cli/b.ts'" })).toEqual([])
  })
})

function findForbiddenImports(sources: Record<string, string>): string[] {
  return Object.entries(sources)
    .filter(([file]) => !/\.test\.tsx?$/.test(file))
    .flatMap(([file, text]) => {
      const layer = LAYERS[layerOf(file)]
      return layer
        ? findForbiddenInFile(file, text, layer)
        : [`${file}: ${layerOf(file)} is not in the table of layers`]
    })
}

function findForbiddenInFile(file: string, text: string, layer: Layer): string[] {
  return readImports(text).flatMap(({ specifier, line }) => {
    const reason = whyForbidden(file, specifier, layer)
    return reason ? [`${file}:${line} imports ${specifier}: ${reason}`] : []
  })
}

function whyForbidden(file: string, specifier: string, layer: Layer): string | undefined {
  const from = layerOf(file)
  const target = resolveTarget(file, specifier)
  if (target === undefined) return layer.isSelfContained ? `${from} must not import packages` : undefined
  if (isManifest(target) && !layer.isSelfContained) return undefined
  const to = layerOf(target)
  if (to === from || layer.imports.includes(to) || isException(file, target)) return undefined
  return `${from} must not import ${to}`
}

/** The file that a specifier means, or undefined for a package. */
function resolveTarget(file: string, specifier: string): string | undefined {
  if (specifier === OWN_PACKAGE || specifier.startsWith(`${OWN_PACKAGE}/`)) return 'src/index.ts'
  if (specifier.startsWith('.')) return posix.join(posix.dirname(file), specifier)
  return undefined
}

function layerOf(file: string): string {
  const [top = '', folder = '', ...rest] = file.split('/')
  if (top === 'dashboard') return 'dashboard'
  if (top !== 'src') return 'files outside src'
  return rest.length > 0 ? folder : 'public'
}

// The version is told from there.
function isManifest(target: string): boolean {
  return target === 'package.json'
}

function isException(file: string, target: string): boolean {
  return EXCEPTIONS.some(({ from, to }) => file.startsWith(from) && target.startsWith(to))
}

function readImports(text: string): { specifier: string; line: number }[] {
  const source = ts.createSourceFile('a.ts', text, ts.ScriptTarget.Latest)
  const found: { specifier: string; line: number }[] = []
  const visit = (node: ts.Node) => {
    const specifier = specifierOf(node)
    if (specifier !== undefined) {
      found.push({ specifier, line: source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1 })
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
  return found
}

function specifierOf(node: ts.Node): string | undefined {
  const literal = specifierNode(node)
  return literal && ts.isStringLiteralLike(literal) ? literal.text : undefined
}

function specifierNode(node: ts.Node): ts.Node | undefined {
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return node.moduleSpecifier
  if (ts.isImportTypeNode(node)) return ts.isLiteralTypeNode(node.argument) ? node.argument.literal : undefined
  if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) return node.arguments[0]
  return undefined
}

function readSources(): Record<string, string> {
  const files = ['src', 'dashboard']
    .filter((folder) => existsSync(join(ROOT, folder)))
    .flatMap((folder) =>
      readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
    )
    .map((file) => file.split(sep).join('/'))
    .filter((file) => /\.tsx?$/.test(file) && !file.includes('node_modules/'))
  return Object.fromEntries(files.map((file) => [file, readFileSync(join(ROOT, file), 'utf8')]))
}
