// Copies what a managed machine runs to a place that only root can change: the package, the packages it needs at run time,
// and Node unless it is such a place already. Links are not followed: whoever owns the source could point them anywhere.

import {
  chmodSync,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ArcError } from '../../../engine/errors.ts'
import { isRecord } from '../../../engine/plain-data.ts'
import { findForeignWriters } from '../../../guard/managed-install.ts'

const OWN_NAME = 'arc-supervisor'
/** What of the package is needed to run it; the rest is the library for programs. */
const PARTS = ['package.json', 'LICENSE', 'bin', 'dist/cli', 'dist/dashboard']
/** Everything else is part of the bundles. */
const NATIVE_PACKAGES = ['libsql']

/** What is put where. */
export interface Copied {
  readonly node: string
  readonly arc: string
}

/** Where the parts are inside the prefix. */
export function copiedPaths(prefix: string, node: string | undefined): Copied {
  return { node: node ?? join(prefix, 'node/bin/node'), arc: join(prefix, 'package/bin/arc') }
}

/** The folder of the package that runs. */
export function packageRoot(): string {
  for (let at = dirname(realpathSync(fileURLToPath(import.meta.url))); dirname(at) !== at; at = dirname(at)) {
    if (manifestOf(at)?.name === OWN_NAME) return at
  }
  throw new ArcError('ARC_SETUP_FAILED', 'The folder of the installed package was not found; install it with npm.')
}

/** The Node in use, where only root can change it; undefined where it has to be copied. */
export function systemNode(): string | undefined {
  const node = realpathSync(process.execPath)
  return findForeignWriters(node).length === 0 ? node : undefined
}

/** Makes a whole new copy beside the old one and swaps them. `finish` adds what else belongs into it. */
export function copyPackage(prefix: string, finish: (draft: string) => void): void {
  const draft = `${prefix}.new-${process.pid}`
  const old = `${prefix}.old-${process.pid}`
  mkdirSync(dirname(prefix), { recursive: true, mode: 0o755 })
  try {
    mkdirSync(draft, { mode: 0o755 })
    chmodSync(draft, 0o755)
    const target = join(draft, 'package')
    const source = packageRoot()
    for (const part of PARTS) if (existsSync(join(source, part))) copyTree(join(source, part), join(target, part))
    const placed = new Map<string, string>()
    for (const name of NATIVE_PACKAGES) placePackage({ name, from: source, at: target, root: target }, placed)
    if (systemNode() === undefined) copyTree(realpathSync(process.execPath), join(draft, 'node/bin/node'))
    finish(draft)
    if (existsSync(prefix)) renameSync(prefix, old)
    renameSync(draft, prefix)
  } finally {
    rmSync(draft, { recursive: true, force: true })
    rmSync(old, { recursive: true, force: true })
  }
}

interface Wanted {
  readonly name: string
  /** The source of the package that needs it. */
  readonly from: string
  /** Where that package was copied to. */
  readonly at: string
  readonly root: string
  /** May be missing: packages for other platforms are. */
  readonly isOptional?: boolean
}

// At the top where the name is free, else below the package that needs it: each finds the version that it was installed with.
function placePackage({ name, from, at, root, isOptional }: Wanted, placed: Map<string, string>): void {
  const source = findPackage(name, from)
  if (source === undefined) {
    if (isOptional === true) return
    throw new ArcError(
      'ARC_SETUP_FAILED',
      `The package ${name} was not found from ${from}; install arc-supervisor again.`,
    )
  }
  const top = join(root, 'node_modules', name)
  const nested = join(at, 'node_modules', name)
  const present = placed.get(nested) ?? placed.get(top)
  if (present === source) return
  const target = present === undefined ? top : nested
  placed.set(target, source)
  copyTree(source, target)
  for (const next of dependenciesOf(source)) placePackage({ ...next, from: source, at: target, root }, placed)
}

function findPackage(name: string, from: string): string | undefined {
  for (let at = from; ; at = dirname(at)) {
    const found = join(at, 'node_modules', name)
    if (existsSync(join(found, 'package.json'))) return realpathSync(found)
    if (dirname(at) === at) return undefined
  }
}

function dependenciesOf(folder: string): Pick<Wanted, 'name' | 'isOptional'>[] {
  const { dependencies, optionalDependencies } = manifestOf(folder) ?? {}
  const names = (list: unknown): string[] => (isRecord(list) ? Object.keys(list) : [])
  return [
    ...names(dependencies).map((name) => ({ name })),
    ...names(optionalDependencies).map((name) => ({ name, isOptional: true })),
  ]
}

function manifestOf(folder: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const manifest: unknown = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    return isRecord(manifest) ? manifest : undefined
  } catch {
    // No package here.
    return undefined
  }
}

// Owned by whoever copies, which is root; readable for everyone, writable for nobody else, whatever the source allows.
function copyTree(source: string, target: string): void {
  const stats = lstatSync(source)
  if (stats.isDirectory()) {
    makeFolder(target)
    for (const name of readdirSync(source)) {
      if (name !== 'node_modules') copyTree(join(source, name), join(target, name))
    }
  } else if (stats.isFile()) {
    makeFolder(dirname(target))
    copyFileSync(source, target)
    chmodSync(target, (stats.mode & 0o111) === 0 ? 0o644 : 0o755)
  }
}

function makeFolder(folder: string): void {
  if (existsSync(folder)) return
  makeFolder(dirname(folder))
  mkdirSync(folder)
  chmodSync(folder, 0o755)
}
