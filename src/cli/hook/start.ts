// The start of `arc hook`, as CommonJS: loading even one module of the other kind takes a tenth as long as Node itself,
// and a host waits. False when there is no bundle of the hook: then `main.js` does it.

import { fileURLToPath } from 'node:url'
import { exitOnClosedPipe } from '../closed-pipe.ts'
import { loadCached } from './cached-code.ts'

/** Runs the hook and ends the process; false where it cannot be run from here. */
export function startHook(args: readonly string[]): boolean {
  const hook = loadCached(fileURLToPath(new URL('./hook.cjs', import.meta.url)))
  if (hook === undefined) return false
  exitOnClosedPipe()
  const { runHook } = hook as typeof import('./main.ts')
  void runHook(args).then((code) => process.exit(code))
  return true
}
