// Copies the programs of a managed machine to a folder that only root can change: the package, its run-time dependencies,
// and Node unless only root can change it already. Links are not followed, since the owner of the source controls them.

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
/** The parts of the package that the CLI needs; the rest is the library. */
const PARTS = ['package.json', 'LICENSE', 'bin', 'dist/cli', 'dist/dashboard']
/** Dependencies that are not bundled. */
const NATIVE_PACKAGES = ['libsql']

/** The paths of the copy. */
export interface Copied {
  readonly node: string
  readonly arc: string
}

/** The paths below the prefix. */
export function copiedPaths(prefix: string, node: string | undefined): Copied {
  return { node: node ?? join(prefix, 'node/bin/node'), arc: join(prefix, 'package/bin/arc') }
}

/** The folder of the running package. */
export function packageRoot(): string {
  for (let at = dirname(realpathSync(fileURLToPath(import.meta.url))); dirname(at) !== at; at = dirname(at)) {
    if (readManifest(at)?.name === OWN_NAME) return at
  }
  throw new ArcError('ARC_SETUP_FAILED', 'The folder of the installed package was not found; install it with npm.')
}

/** The running Node if only root can change it; undefined if it must be copied. */
export function systemNode(): string | undefined {
  const node = realpathSync(process.execPath)
  return findForeignWriters(node).length === 0 ? node : undefined
}

/** Creates a new copy next to the old one and swaps them. `finish` adds further files. */
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
  /** The source folder of the dependent package. */
  readonly from: string
  /** The copied folder of the dependent package. */
  readonly at: string
  readonly root: string
  /** May be missing: packages for other platforms are. */
  readonly isOptional?: boolean
}

// Placed at the top if the name is free, else below the dependent package, so that each package finds its own version.
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
  for (const next of listDependencies(source)) placePackage({ ...next, from: source, at: target, root }, placed)
}

function findPackage(name: string, from: string): string | undefined {
  for (let at = from; ; at = dirname(at)) {
    const found = join(at, 'node_modules', name)
    if (existsSync(join(found, 'package.json'))) return realpathSync(found)
    if (dirname(at) === at) return undefined
  }
}

function listDependencies(folder: string): Pick<Wanted, 'name' | 'isOptional'>[] {
  const { dependencies, optionalDependencies } = readManifest(folder) ?? {}
  const names = (list: unknown): string[] => (isRecord(list) ? Object.keys(list) : [])
  return [
    ...names(dependencies).map((name) => ({ name })),
    ...names(optionalDependencies).map((name) => ({ name, isOptional: true })),
  ]
}

function readManifest(folder: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const manifest: unknown = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    return isRecord(manifest) ? manifest : undefined
  } catch {
    // Not a package.
    return undefined
  }
}

// Owned by root, readable for all, writable only for root, whatever the source allows.
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
