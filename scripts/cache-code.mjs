// Writes down what V8 makes of the bundle of `arc hook`, beside it: `node scripts/cache-code.mjs FILE`. A call is played
// through it first, since only what has run is in the result. Its payload comes on stdin, its home is $ARC_HOME.

import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname } from 'node:path'
import { constants, Script } from 'node:vm'

const [file] = process.argv.slice(2)
const source = readFileSync(file, 'latin1')
const importModuleDynamically = constants.USE_MAIN_CONTEXT_DEFAULT_LOADER
const script = new Script(source, { filename: file, importModuleDynamically })
const module = { exports: {} }
script.runInThisContext()(module.exports, createRequire(file), module, file, dirname(file))
await module.exports.runHook(['claude'])
// The name by which src/cli/hook/cached-code.ts looks for it.
writeFileSync(`${file}.${process.versions.v8}-${process.arch}.cache`, script.createCachedData())
// Whatever the call left open.
process.exit(0)
