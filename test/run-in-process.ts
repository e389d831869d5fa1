// Runs commands of the CLI in the process of the test, with given streams, environment and folder. Faster than a start of
// Node, and needs no build. Tests of signals, terminals and exit codes of the process start the real program (run-arc.ts).

import { Readable, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { runCommand } from '../src/cli/commands.ts'
import type { Ran, RunOptions } from './run-arc.ts'

const PROGRAM = fileURLToPath(new URL('../bin/arc', import.meta.url))

let last: Promise<unknown> = Promise.resolve()

/** The options of a command in the process of the test. */
export interface InProcessOptions extends Omit<RunOptions, 'uid'> {
  /** The streams are terminals; `input` is what the person types. */
  readonly isTerminal?: boolean
  /** The columns of the terminal. */
  readonly columns?: number
}

/** Runs a command as `runArc` does, without starting a process. Runs one command at a time. */
export function runArcInProcess(args: readonly string[], options: InProcessOptions): Promise<Ran> {
  const ran = last.then(() => run(args, options))
  last = ran.catch(() => undefined)
  return ran
}

async function run(args: readonly string[], options: InProcessOptions): Promise<Ran> {
  const { home, cwd = process.cwd(), input = '', env, isTerminal = false, columns = 80 } = options
  const daemon = process.env.ARC_DAEMON ?? 'off'
  const given = { ...process.env, NO_COLOR: '1', ARC_PROFILE: '', ARC_DAEMON: daemon, ARC_HOME: home, ...env }
  const terminal = isTerminal ? { isTTY: true, columns } : {}
  const [stdout, stderr] = [new Collector(), new Collector()].map((stream) => Object.assign(stream, terminal)) as [
    Collector,
    Collector,
  ]
  const restore = replaceEnvironment(given)
  try {
    const stdin = Object.assign(Readable.from(input === '' ? [] : [input]), terminal)
    const code = await runCommand(args, { stdin, stdout, stderr, env: process.env, cwd, program: PROGRAM })
    return { code, stdout: stdout.text, stderr: stderr.text }
  } finally {
    restore()
  }
}

// Code below the CLI reads variables such as ARC_HOME from the process.
function replaceEnvironment(given: Readonly<Record<string, string | undefined>>): () => void {
  const before = { ...process.env }
  assign(given)
  return () => assign(before)
}

function assign(variables: Readonly<Record<string, string | undefined>>): void {
  for (const name of Object.keys(process.env)) if (variables[name] === undefined) delete process.env[name]
  for (const [name, value] of Object.entries(variables)) if (value !== undefined) process.env[name] = value
}

class Collector extends Writable {
  text = ''

  override _write(chunk: Buffer | string, _encoding: string, done: () => void): void {
    this.text += chunk.toString()
    done()
  }
}
