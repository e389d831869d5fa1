// The entry of `arc`, as CommonJS: a start without ES modules takes half the time. Answers --version without loading
// anything else. The hook and the commands are a bundle each, which is loaded with its code cache.

import { fileURLToPath } from 'node:url'
import { exitOnClosedPipe } from './closed-pipe.ts'
import { loadCached } from './hook/cached-code.ts'
import { VERSION } from './version.ts'

const FAILED = 1

exitOnClosedPipe()
start(process.argv.slice(2))

function start(args: readonly string[]): void {
  const [command] = args
  if (args.length === 1 && (command === '--version' || command === '-V')) process.stdout.write(`${VERSION}\n`)
  else if (!(command === 'hook' && startHook(args.slice(1)))) startCommand(args)
}

// An agent waits for the hook, so it starts without the command tree. False with an option and without a bundle of the hook.
function startHook(args: readonly string[]): boolean {
  if (args.some((arg) => arg.startsWith('-'))) return false
  const hook = loadCached(fileURLToPath(new URL('./hook.cjs', import.meta.url)))
  if (hook === undefined) return false
  const { runHook } = hook as typeof import('./hook/main.ts')
  void runHook(args).then((code) => process.exit(code))
  return true
}

function startCommand(args: readonly string[]): void {
  const file = fileURLToPath(new URL('./commands.cjs', import.meta.url))
  // A daemon changes options of V8, and no other process accepts a cache that was made with them.
  const commands = loadCached(file, { writes: args[0] !== 'serve' })
  if (commands === undefined) {
    process.stderr.write(`arc: ${file} is missing or damaged; install ARC again\n`)
    process.exitCode = FAILED
    return
  }
  const { runCommand } = commands as typeof import('./commands.ts')
  void runCommand(args).then((code) => {
    process.exitCode = code
  })
}
