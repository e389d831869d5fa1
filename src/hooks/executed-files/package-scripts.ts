// Reads scripts of package.json, and covers programs of node_modules/.bin and packages with their lock file.

import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { readBoundedFile } from '../../config/read-file.ts'
import { isRecord } from '../../engine/plain-data.ts'
import type { CodeLocation, CollectorPort } from './collector-port.ts'

const LOCKS = ['package-lock.json', 'npm-shrinkwrap.json', 'pnpm-lock.yaml', 'yarn.lock', 'bun.lock', 'bun.lockb']
const MAX_MANIFEST_BYTES = 1024 * 1024

/** Reads a script of the nearest package.json with its pre and post scripts. Returns false when there is none. */
export function readPackageScript(collector: CollectorPort, name: string, { cwd, depth }: CodeLocation): boolean {
  const folder = findFolderWith(collector, cwd, 'package.json')
  if (folder === undefined) return false
  coverManifest(collector, folder)
  const scripts = readScripts(join(folder, 'package.json'))
  const texts = [`pre${name}`, name, `post${name}`].map((key) =>
    Object.hasOwn(scripts, key) ? scripts[key] : undefined,
  )
  for (const text of texts) {
    if (typeof text !== 'string') continue
    collector.readShell(text, { cwd: folder, depth: depth + 1 })
    for (const word of new Set(text.match(/[\w@./-]+/g))) coverLocalProgram(collector, word, { cwd: folder })
  }
  return typeof texts[1] === 'string'
}

/** Covers a program of node_modules/.bin. Returns false when there is none. */
export function coverLocalProgram(collector: CollectorPort, name: string, { cwd }: Pick<CodeLocation, 'cwd'>): boolean {
  if (!/^[\w.-]+$/.test(name)) return false
  const folder = findFolderWith(collector, cwd, join('node_modules', '.bin', name))
  if (folder === undefined) return false
  coverManifest(collector, folder)
  // The lock file covers the packages that the program loads.
  collector.coverFile(join(folder, 'node_modules', '.bin', name))
  return true
}

/** Covers an imported package: its manifest and the lock file. */
export function coverPackage(collector: CollectorPort, specifier: string, from: string): void {
  const parts = specifier.split('/')
  const name = specifier.startsWith('@') ? parts.slice(0, 2).join('/') : parts[0]
  if (name === undefined || !/^(?:@[\w.-]+\/)?[\w.-]+$/.test(name)) return
  const folder = findFolderWith(collector, from, join('node_modules', name, 'package.json'))
  if (folder === undefined) return
  collector.coverFile(join(folder, 'node_modules', name, 'package.json'))
  coverManifest(collector, folder)
}

function coverManifest(collector: CollectorPort, folder: string): void {
  collector.coverFile(join(folder, 'package.json'))
  // Missing lock files are covered, too: a lock file that appears changes the content.
  for (const lock of LOCKS) collector.coverFile(join(folder, lock))
}

// The nearest folder with this file, up to the root of the project.
function findFolderWith(collector: CollectorPort, from: string, file: string): string | undefined {
  for (let folder = from; folder === collector.dir || collector.isInProject(folder); folder = dirname(folder)) {
    if (existsSync(join(folder, file))) return folder
  }
  return undefined
}

function readScripts(file: string): Readonly<Record<string, unknown>> {
  try {
    const manifest: unknown = JSON.parse(readBoundedFile(file, MAX_MANIFEST_BYTES).text ?? '{}')
    return isRecord(manifest) && isRecord(manifest.scripts) ? manifest.scripts : {}
  } catch {
    // The package manager would fail as well.
    return {}
  }
}
