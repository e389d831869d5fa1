// The entry of `arc`. Answers --version without loading anything else; the code of a command loads when it is called.

import { fileURLToPath } from 'node:url'
import { exitOnClosedPipe } from './closed-pipe.ts'
import { loadCached } from './hook/cached-code.ts'
import { VERSION } from './version.ts'

exitOnClosedPipe()

const args = process.argv.slice(2)

if (args.length === 1 && (args[0] === '--version' || args[0] === '-V')) {
  process.stdout.write(`${VERSION}\n`)
} else if (args[0] === 'hook' && !args.some((arg) => arg.startsWith('-'))) {
  // An agent waits for the hook, so it starts without the command tree.
  const cached = loadCached(fileURLToPath(new URL('./hook.cjs', import.meta.url)))
  const { runHook } = (cached as typeof import('./hook/main.ts') | undefined) ?? (await import('./hook/main.ts'))
  process.exit(await runHook(args.slice(1)))
} else {
  const { runCommand } = await import('./commands.ts')
  process.exitCode = await runCommand(args)
}
