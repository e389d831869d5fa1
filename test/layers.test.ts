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

// What lower layers may import of storage: the ports, compare-and-set on the state, and leases in it.
const PORTS = ['storage/ports', 'storage/state', 'storage/lease'] as const
// Entries that could not be recorded: counted by the writer of a store, and noted outside of it.
const GAPS = ['storage/repeated-failure', 'storage/gap-notes', 'storage/gap-tracker'] as const
const STORAGE = ['storage', ...PORTS, ...GAPS, 'storage/memory', 'storage/sqlite'] as const
const HOOKS = ['hooks', 'hooks/handlers', 'hooks/builtin'] as const
const LIBRARY = [
  ...[
    'engine',
    'platform',
    'trace',
    'risk',
    'hosts',
    'hosts/facts',
    'json-text',
    'display',
    'bus/sqlite',
    'bus',
    'tasks',
    'roundtable',
    'guard',
    'config',
    'approvals',
    'exceptions',
  ],
  ...[...STORAGE, ...HOOKS, 'supervisor', 'tasks/service', 'roundtable/driver'],
] as const

// By path below src; a file belongs to the longest path that it begins with.
const LAYERS: Readonly<Record<string, Layer>> = {
  protocol: { imports: [], isSelfContained: true },
  // Plain data of each agent, in `facts.ts` of its folder.
  'hosts/facts': { imports: [], isSelfContained: true },
  engine: { imports: ['hosts/facts'], isSelfContained: true },
  // The engine wired to Node: clock, ids, regular expressions, the home folder.
  platform: { imports: ['engine'] },
  trace: { imports: ['engine', 'storage/ports'] },
  risk: { imports: ['engine', 'hosts/facts'] },
  // Edits of JSON files as text.
  'json-text': { imports: ['engine'] },
  // Text of agents and steps as people may read it.
  display: { imports: ['engine'] },
  hosts: { imports: ['engine', 'hosts/facts', 'json-text', 'display'] },
  bus: { imports: ['engine'] },
  'bus/sqlite': { imports: ['engine', 'trace', 'bus', 'storage/sqlite'] },
  roundtable: { imports: ['engine'] },
  tasks: { imports: ['engine', 'bus', 'storage/ports'] },
  'storage/ports': { imports: ['engine', 'trace', 'tasks'] },
  'storage/state': { imports: ['engine', 'storage/ports'] },
  'storage/lease': { imports: ['engine', 'storage/ports'] },
  'storage/memory': { imports: ['engine', 'trace', 'tasks', ...PORTS] },
  'storage/repeated-failure': { imports: ['engine'] },
  'storage/gap-notes': { imports: ['engine', 'platform'] },
  'storage/gap-tracker': { imports: ['engine', 'platform', 'trace', ...GAPS] },
  'storage/sqlite': { imports: ['engine', 'trace', 'tasks', ...PORTS, ...GAPS, 'storage/memory'] },
  storage: { imports: ['engine', 'platform', 'trace', ...STORAGE] },
  guard: { imports: ['engine', 'risk', 'hosts/facts', ...PORTS] },
  config: { imports: ['engine', 'platform', 'json-text', ...PORTS] },
  approvals: { imports: ['engine', 'platform', ...PORTS] },
  // What the user allowed, for the hooks that ask.
  exceptions: {
    imports: ['engine', 'platform', 'trace', 'risk', 'config', 'approvals', 'hooks/builtin', ...PORTS],
  },
  'hooks/handlers': { imports: ['engine', 'guard'] },
  // A built-in hook may import the one folder it fronts.
  'hooks/builtin': {
    imports: ['engine', 'platform', 'hosts/facts', 'config', 'risk', 'roundtable', ...PORTS, 'storage/memory'],
  },
  hooks: { imports: ['engine', 'platform', 'trace', 'risk', 'guard', 'config', ...STORAGE, ...HOOKS] },
  // The hooks of the shared bus are part of every pipeline.
  supervisor: {
    imports: [
      'compat',
      'engine',
      'platform',
      'trace',
      'guard',
      'config',
      'approvals',
      'exceptions',
      ...STORAGE,
      ...HOOKS,
    ],
  },
  'tasks/service': {
    imports: ['engine', 'platform', 'trace', 'bus', 'bus/sqlite', 'tasks', 'hooks', 'supervisor', ...STORAGE],
  },
  'roundtable/driver': { imports: ['engine', 'platform', 'roundtable', 'supervisor', ...PORTS, ...HOOKS] },
  daemon: { imports: [...LIBRARY, 'protocol'] },
  // `arc serve` starts the daemon; the daemon knows nothing of the command line.
  cli: { imports: [...LIBRARY, 'protocol', 'daemon'] },
  // The APIs of the systems that ARC unifies: thin, over the engine as programs use it.
  compat: { imports: ['engine', 'hooks/handlers', 'platform'] },
  // What third parties test their own parts with.
  testing: { imports: LIBRARY },
  // The files directly in src: what the package exports.
  public: { imports: [...LIBRARY, 'protocol', 'compat', 'testing'] },
  dashboard: { imports: ['protocol'] },
}

describe('the layers', () => {
  it('are imported in one direction only', () => {
    expect(findForbiddenImports(readSources())).toEqual([])
  })
})

describe('K3 import cycles', () => {
  it('K3 no import cycle in src or dashboard, type imports included', () => {
    expect(findCycles(readSources())).toEqual([])
  })

  it.each([
    ['two files', { a: ['b'], b: ['a'], c: ['a'] }, [['a', 'b']]],
    ['three files', { a: ['b'], b: ['c'], c: ['a'], d: ['a'] }, [['a', 'b', 'c']]],
    ['a file that imports itself', { a: ['a'] }, [['a']]],
    [
      'two separate cycles',
      { a: ['b'], b: ['a', 'c'], c: ['d'], d: ['c'] },
      [
        ['a', 'b'],
        ['c', 'd'],
      ],
    ],
    ['no cycle in a diamond', { a: ['b', 'c'], b: ['d'], c: ['d'], d: [] }, []],
  ] satisfies [string, Record<string, string[]>, string[][]][])('finds %s', (_title, imports, cycles) => {
    const name = (file: string) => `src/engine/${file}.ts`
    const sources = Object.entries(imports).map(([file, targets]) => {
      return [name(file), targets.map((target) => `import type { X } from './${target}.ts'`).join('\n')]
    })
    const expected = cycles.map((cycle) => cycle.map(name))
    expect(findCycles(Object.fromEntries(sources))).toEqual(expected)
  })
})

describe('the layer check', () => {
  it.each([
    ['src/engine/a.ts', '../hooks/b.ts', 'engine must not import hooks'],
    ['src/engine/a.ts', 'picomatch', 'engine must not import packages'],
    ['src/engine/a.ts', 'node:fs', 'engine must not import packages'],
    ['src/engine/a.ts', 'fs', 'engine must not import packages'],
    ['src/engine/a.ts', '../index.ts', 'engine must not import public'],
    ['src/engine/a.ts', '../../package.json', 'engine must not import files outside src'],
    ['src/engine/a.ts', '../hosts/list.ts', 'engine must not import hosts'],
    ['src/hosts/claude/facts.ts', './claude.ts', 'hosts/facts must not import hosts'],
    ['src/hosts/claude/facts.ts', 'node:path', 'hosts/facts must not import packages'],
    ['src/risk/a.ts', '../hosts/claude/claude.ts', 'risk must not import hosts'],
    ['src/protocol/a.ts', '../engine/b.ts', 'protocol must not import engine'],
    ['src/risk/a.ts', '../guard/b.ts', 'risk must not import guard'],
    ['src/hooks/builtin/a.ts', '../../tasks/b.ts', 'hooks/builtin must not import tasks'],
    ['src/hooks/handlers/a.ts', '../b.ts', 'hooks/handlers must not import hooks'],
    ['src/trace/a.ts', '../storage/b.ts', 'trace must not import storage'],
    ['src/config/a.ts', '../storage/sqlite/b.ts', 'config must not import storage/sqlite'],
    ['src/storage/sqlite/a.ts', '../../supervisor/b.ts', 'storage/sqlite must not import supervisor'],
    ['src/tasks/a.ts', './service/b.ts', 'tasks must not import tasks/service'],
    ['src/supervisor/a.ts', '../cli/b.ts', 'supervisor must not import cli'],
    ['src/daemon/http/a.ts', '../../cli/b.ts', 'daemon must not import cli'],
    ['src/index.ts', './cli/main.ts', 'public must not import cli'],
    ['src/index.ts', './daemon/server.ts', 'public must not import daemon'],
    ['src/hooks/a.ts', 'arc-supervisor', 'hooks must not import public'],
    ['src/cli/a.ts', '../../test/b.ts', 'cli must not import files outside src'],
    ['src/cli/a.ts', '../../dashboard/b.ts', 'cli must not import dashboard'],
    ['src/cli/a.ts', '../odds/b.ts', 'cli must not import odds'],
    ['dashboard/src/a.ts', '../../src/engine/b.ts', 'dashboard must not import engine'],
  ])('catches %s importing %s', (file, specifier, reason) => {
    const source = `// opening\nimport { b } from '${specifier}'`
    expect(findForbiddenImports({ [file]: source })).toEqual([`${file}:2 imports ${specifier}: ${reason}`])
  })

  it.each([
    ['src/engine/a.ts', './b.ts'],
    ['src/engine/a.ts', '../hosts/facts/list.ts'],
    ['src/hosts/facts/list.ts', '../claude/facts.ts'],
    ['src/hosts/claude/claude.ts', './facts.ts'],
    ['src/hooks/handlers/command/a.ts', '../../../engine/b.ts'],
    ['src/hooks/handlers/command/a.ts', '../handler.ts'],
    ['src/hooks/handlers/a.ts', 'node:child_process'],
    ['src/hooks/builtin/a.ts', '../../risk/classify.ts'],
    ['src/hooks/builtin/a.ts', '../../roundtable/turns.ts'],
    ['src/storage/sqlite/a.ts', '../../trace/b.ts'],
    ['src/config/a.ts', '../storage/state.ts'],
    ['src/supervisor/a.ts', '../storage/b.ts'],
    ['src/cli/a.ts', '../daemon/http/b.ts'],
    ['src/cli/a.ts', '../../package.json'],
    ['src/index.ts', './supervisor/supervisor.ts'],
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
    expect(findForbiddenImports({ 'src/engine/a.ts': source })).toEqual([
      'src/engine/a.ts:1 imports ../cli/b.ts: engine must not import cli',
    ])
  })

  it('refuses a folder that is not in the table', () => {
    expect(findForbiddenImports({ 'src/odds/a.ts': 'export {}' })).toEqual([
      'src/odds/a.ts: odds is not in the table of layers',
    ])
  })

  it('leaves tests alone', () => {
    const source = "import { b } from '../cli/b.ts'"
    expect(findForbiddenImports({ 'src/engine/a.test.ts': source, 'src/engine/fixtures/a.ts': source })).toEqual([])
  })
})

function findForbiddenImports(sources: Record<string, string>): string[] {
  return Object.entries(sources)
    .filter(([file]) => !isTestFile(file))
    .flatMap(([file, text]) => {
      const layer = LAYERS[layerOf(file)]
      return layer
        ? findForbiddenInFile(file, text, layer)
        : [`${file}: ${layerOf(file)} is not in the table of layers`]
    })
}

function isTestFile(file: string): boolean {
  return /\.test\.tsx?$/.test(file) || file.includes('/fixtures/')
}

/** The import cycles, each as the sorted list of its files: the strongly connected components of the import graph. */
function findCycles(sources: Record<string, string>): string[][] {
  const files = Object.keys(sources).filter((file) => !isTestFile(file))
  const graph = new Map(files.map((file) => [file, resolveImports(file, sources)]))
  const order = new Map<string, number>()
  const stack: string[] = []
  const cycles: string[][] = []
  const visit = (file: string): number => {
    const number = order.size
    order.set(file, number)
    stack.push(file)
    let low = number
    for (const target of graph.get(file) ?? []) {
      if (!order.has(target)) low = Math.min(low, visit(target))
      else if (stack.includes(target)) low = Math.min(low, order.get(target) ?? low)
    }
    if (low !== number) return low
    const component = stack.splice(stack.indexOf(file))
    if (component.length > 1 || graph.get(file)?.includes(file)) cycles.push(component.sort())
    return low
  }
  for (const file of files) if (!order.has(file)) visit(file)
  return cycles.sort((a, b) => ((a[0] ?? '') < (b[0] ?? '') ? -1 : 1))
}

function resolveImports(file: string, sources: Record<string, string>): string[] {
  const targets = readImports(sources[file] ?? '').map(({ specifier }) => resolveTarget(file, specifier))
  return targets.filter((target) => target !== undefined && Object.hasOwn(sources, target)) as string[]
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
  if (to === from || layer.imports.includes(to)) return undefined
  return `${from} must not import ${to}`
}

/** The file that a specifier means, or undefined for a package. */
function resolveTarget(file: string, specifier: string): string | undefined {
  if (specifier === OWN_PACKAGE || specifier.startsWith(`${OWN_PACKAGE}/`)) return 'src/index.ts'
  if (specifier.startsWith('.')) return posix.join(posix.dirname(file), specifier)
  return undefined
}

function layerOf(file: string): string {
  const [top = '', ...path] = file.split('/')
  if (top === 'dashboard') return 'dashboard'
  if (top !== 'src') return 'files outside src'
  if (path.length === 1) return 'public'
  const below = path.join('/').replace(/\.ts$/, '')
  if (/^hosts\/[^/]+\/facts$/.test(below)) return 'hosts/facts'
  const known = Object.keys(LAYERS).filter((name) => below === name || below.startsWith(`${name}/`))
  return known.sort((a, b) => b.length - a.length)[0] ?? path[0] ?? ''
}

// The version is read from there.
function isManifest(target: string): boolean {
  return target === 'package.json'
}

interface Import {
  readonly specifier: string
  readonly line: number
}

// Parsed once: both the layers and the cycles ask for them.
const parsed = new Map<string, readonly Import[]>()

function readImports(text: string): readonly Import[] {
  const known = parsed.get(text) ?? parseImports(text)
  parsed.set(text, known)
  return known
}

function parseImports(text: string): readonly Import[] {
  const source = ts.createSourceFile('a.ts', text, ts.ScriptTarget.Latest)
  const found: Import[] = []
  // Other imports than those of whole statements are written as calls.
  const isNested = text.includes('import(')
  const visit = (node: ts.Node) => {
    const specifier = specifierOf(node)
    if (specifier !== undefined) {
      found.push({ specifier, line: source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1 })
    }
    if (isNested || node === source) ts.forEachChild(node, visit)
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
