// The context of a command: its streams, environment and folder. `arc` runs with those of its process; tests run commands
// in their own process with other ones. Commands call `context()` and never use the globals of the process.

import { AsyncLocalStorage } from 'node:async_hooks'
import { resolve } from 'node:path'

/** An output stream, which may be a terminal. */
export interface OutputStream extends NodeJS.WritableStream {
  readonly isTTY?: boolean
  readonly columns?: number
}

/** The context of a command. */
export interface CommandContext {
  readonly stdin: NodeJS.ReadableStream & { readonly isTTY?: boolean }
  readonly stdout: OutputStream
  readonly stderr: OutputStream
  readonly env: NodeJS.ProcessEnv
  readonly cwd: string
  /** The path of the `arc` program, as called. */
  readonly program: string
}

// Getters: reading process.stdin opens the stream.
const PROCESS_CONTEXT: CommandContext = {
  get stdin() {
    return process.stdin
  },
  get stdout() {
    return process.stdout
  },
  get stderr() {
    return process.stderr
  },
  get env() {
    return process.env
  },
  get cwd() {
    return process.cwd()
  },
  get program() {
    return resolve(process.argv[1] ?? 'arc')
  },
}

const running = new AsyncLocalStorage<CommandContext>()

/** The context of the running command; that of the process outside of `runWithContext`. */
export function context(): CommandContext {
  return running.getStore() ?? PROCESS_CONTEXT
}

/** Runs `work` with a context. That of the process needs no storage, which would make every promise of a daemon slower. */
export function runWithContext<T>(given: CommandContext, work: () => T): T {
  return given === PROCESS_CONTEXT ? work() : running.run(given, work)
}
