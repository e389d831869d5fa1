// The start of `arc`. Answers --version without loading anything else; every command's code loads when it is called.

import { fileURLToPath } from 'node:url'
import { endWithReader } from './closed-pipe.ts'
import { loadCached } from './hook/cached-code.ts'
import { VERSION } from './version.ts'

endWithReader()

const args = process.argv.slice(2)

if (args.length === 1 && (args[0] === '--version' || args[0] === '-V')) {
  process.stdout.write(`${VERSION}\n`)
} else if (args[0] === 'hook' && !args.some((arg) => arg.startsWith('-'))) {
  // A host waits for this one: straight to it, without the tree of commands.
  const cached = loadCached(fileURLToPath(new URL('./hook.cjs', import.meta.url)))
  const { runHook } = (cached as typeof import('./hook/main.ts') | undefined) ?? (await import('./hook/main.ts'))
  process.exit(await runHook(args.slice(1)))
} else {
  const { runCli } = await import('./commands.ts')
  process.exitCode = await runCli(args)
}
