// Loads a bundle together with what V8 made of it at build time: reading that is several times faster than compiling.
// Made by scripts/build.mjs. Another version of Node does not take it: it compiles once, and leaves its own beside it.

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

/** What the bundle exports; undefined where there is none that works. */
export function loadCached(file: string): unknown {
  const source = read(file)?.toString('latin1')
  if (source === undefined) return undefined
  try {
    return run(file, source)
  } catch (error) {
    process.stderr.write(`arc: ${file} does not work: ${describe(error)}\n`)
    return undefined
  }
}

function run(file: string, source: string): object {
  const cachedData = read(cachePath(file))
  const importModuleDynamically = constants.USE_MAIN_CONTEXT_DEFAULT_LOADER
  const script = new Script(source, { filename: file, importModuleDynamically, ...(cachedData && { cachedData }) })
  // At the end, when what is needed has run: only that is in it.
  if (cachedData === undefined || script.cachedDataRejected === true) process.once('exit', () => keep(file, script))
  const module = { exports: {} }
  const wrapper = script.runInThisContext() as Wrapper
  wrapper(module.exports, createRequire(file), module, file, dirname(file))
  return module.exports
}

/** Where the compiled form of a bundle lies for this Node. */
export function cachePath(file: string): string {
  return `${file}.${process.versions.v8}-${process.arch}.cache`
}

// Where nothing can be written it is compiled each time.
function keep(file: string, script: Script): void {
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
    // Not built: the code is there in another form too.
    return undefined
  }
}
