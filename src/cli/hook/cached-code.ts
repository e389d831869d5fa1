// Loads a bundle with its V8 code cache: reading the cache is several times faster than compiling the bundle.
// scripts/build.mjs writes the cache. Another version of Node compiles once and writes its own cache next to it.

import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname } from 'node:path'
import { constants, Script } from 'node:vm'
import { describe } from '../../engine/errors.ts'

type Wrapper = (
  exports: object,
  require: NodeJS.Require,
  module: { exports: object },
  file: string,
  dir: string,
) => void

/** Is a cache written at exit where there is none? */
interface CacheOptions {
  readonly writes: boolean
}

/** The exports of the bundle; undefined if the bundle is missing or fails. */
export function loadCached(file: string, options: CacheOptions = { writes: true }): unknown {
  const source = read(file)?.toString('latin1')
  if (source === undefined) return undefined
  try {
    return run(file, source, options)
  } catch (error) {
    process.stderr.write(`arc: ${file} cannot be loaded: ${describe(error)}\n`)
    return undefined
  }
}

function run(file: string, source: string, { writes }: CacheOptions): object {
  const cachedData = read(cachePath(file))
  const importModuleDynamically = constants.USE_MAIN_CONTEXT_DEFAULT_LOADER
  const script = new Script(source, { filename: file, importModuleDynamically, ...(cachedData && { cachedData }) })
  // At exit: the cache then contains the functions that have run.
  const isCached = cachedData !== undefined && script.cachedDataRejected !== true
  if (writes && !isCached) process.once('exit', () => writeCache(file, script))
  const module = { exports: {} }
  const wrapper = script.runInThisContext() as Wrapper
  wrapper(module.exports, createRequire(file), module, file, dirname(file))
  return module.exports
}

/** The path of the code cache for this version of Node. */
export function cachePath(file: string): string {
  return `${file}.${process.versions.v8}-${process.arch}.cache`
}

// In a folder that is not writable the bundle is compiled each time.
function writeCache(file: string, script: Script): void {
  const fresh = `${cachePath(file)}.${process.pid}`
  try {
    writeFileSync(fresh, script.createCachedData())
    renameSync(fresh, cachePath(file))
  } catch {
    rmSync(fresh, { force: true })
  }
}

function read(file: string): Buffer | undefined {
  try {
    return readFileSync(file)
  } catch {
    // Not built: the caller uses the module instead.
    return undefined
  }
}
