// The start of `arc hook`, as CommonJS: loading a single ES module takes a tenth of the start of Node, and a host waits.
// Returns false without a bundle of the hook: `main.js` then runs the hook.

import { fileURLToPath } from 'node:url'
import { exitOnClosedPipe } from '../closed-pipe.ts'
import { loadCached } from './cached-code.ts'

/** Runs the hook and ends the process; false if there is no bundle. */
export function startHook(args: readonly string[]): boolean {
  const hook = loadCached(fileURLToPath(new URL('./hook.cjs', import.meta.url)))
  if (hook === undefined) return false
  exitOnClosedPipe()
  const { runHook } = hook as typeof import('./main.ts')
  void runHook(args).then((code) => process.exit(code))
  return true
}
