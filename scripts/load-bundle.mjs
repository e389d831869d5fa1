// Loads a bundle of dist/cli as src/cli/hook/cached-code.ts does, without a code cache.

import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname } from 'node:path'
import { constants, Script } from 'node:vm'

/** The exports of the bundle, and the script that V8 made of it. */
export function loadBundle(file) {
  const importModuleDynamically = constants.USE_MAIN_CONTEXT_DEFAULT_LOADER
  const script = new Script(readFileSync(file, 'latin1'), { filename: file, importModuleDynamically })
  const module = { exports: {} }
  script.runInThisContext()(module.exports, createRequire(file), module, file, dirname(file))
  return { script, exports: module.exports }
}
