// Writes the V8 code cache of a bundle of dist/cli next to it: `node scripts/cache-code.mjs FILE`. Calls are played through
// the bundle first, since only functions that have run are in the cache. $HOME and $ARC_HOME are folders for this only.

import { existsSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import v8 from 'node:v8'
import { loadBundle } from './load-bundle.mjs'

// The commands that are called most, and those that show most of what others need.
const COMMANDS = [
  ...[['init'], ['install', 'claude'], ['check', '--', 'git', 'push', '--force'], ['status'], ['mode']],
  ...[['profile', 'list'], ['approvals'], ['logs', '--limit', '1'], ['trace', 'verify'], ['doctor']],
]

const PLAYS = {
  // Its payload comes on stdin.
  'hook.cjs': ({ runHook }) => runHook(['claude']),
  'commands.cjs': playCommands,
}

const [file] = process.argv.slice(2)
const { script, exports } = loadBundle(file)
await PLAYS[basename(file)](exports)
// The name by which src/cli/hook/cached-code.ts looks for it.
writeFileSync(`${file}.${process.versions.v8}-${process.arch}.cache`, script.createCachedData())
// Whatever the call left open.
process.exit(0)

async function playCommands({ runCommand }) {
  // A daemon changes options of V8, and no other process accepts a cache that was made with them.
  v8.setFlagsFromString = () => undefined
  for (const words of COMMANDS) await runCommand(words)
  const served = runCommand(['serve', '--no-open', '--port', '0'])
  while (!existsSync(join(process.env.ARC_HOME, 'run', 'arc.sock'))) await sleep(10)
  await sleep(100)
  process.kill(process.pid, 'SIGTERM')
  await served
}
