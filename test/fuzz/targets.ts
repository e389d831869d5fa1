// Every target of the fuzzing. `npm test` runs each with a fixed seed and few cases, `npm run bench -- --only fuzz` with many.

import { CLI } from './cli.ts'
import { DAEMON } from './daemon.ts'
import { PARSERS } from './parsers.ts'
import { SHELL } from './shell.ts'
import type { FuzzTarget } from './target.ts'

export { runTarget } from './target.ts'

export const TARGETS: readonly FuzzTarget[] = [...PARSERS, ...SHELL, ...DAEMON, ...CLI]
