// The guard of a home, with the package, Node, user and environment of this process.

import { existsSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Guard } from '../engine/guarded-paths.ts'
import { listHostConfigPaths, resolveConfigVariables } from '../risk/guarded/host-config-paths.ts'
import { TEXT_COMPARISON } from '../risk/guarded/path-relation.ts'
import { GuardedSet } from './guarded-set.ts'

const sets = new Map<string, Guard>()

/** The guard of a home. One instance per process. */
export function openHomeGuard(home: string): Guard {
  const user = homedir()
  const key = `${home}\0${user}`
  const known = sets.get(key)
  if (known !== undefined) return known
  const set = new GuardedSet({
    home,
    hostSettings: (isThere) => listHostConfigPaths(user, process.env, isThere),
    variables: resolveConfigVariables(user, resolve(home), process.env),
    comparison: TEXT_COMPARISON,
    packageDir: packageDir(),
    node: process.execPath,
  })
  sets.set(key, set)
  return set
}

let folder: { readonly path: string | undefined } | undefined

// The folder of this package: the nearest folder above this file with its package.json.
function packageDir(): string | undefined {
  folder ??= { path: findPackage(dirname(fileURLToPath(import.meta.url))) }
  return folder.path
}

function findPackage(start: string): string | undefined {
  for (let at = start; ; at = dirname(at)) {
    if (isPackage(join(at, 'package.json'))) return at
    if (dirname(at) === at) return undefined
  }
}

function isPackage(file: string): boolean {
  try {
    return existsSync(file) && /"name":\s*"arc-supervisor"/.test(readFileSync(file, 'utf8'))
  } catch {
    // Unreadable, so it is not the running package.
    return false
  }
}
