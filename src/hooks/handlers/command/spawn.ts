// Runs one command to its end: its own process group, input on stdin, both outputs drained, ended by the clock.
// What it gives back is what happened; what that means is command.ts.

import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import type { Readable, Writable } from 'node:stream'
import { MAX_OUTPUT_BYTES } from '../handler.ts'
import { type CapturedOutput, OutputReader } from './output.ts'
import { terminateGroup } from './terminate.ts'

/** A program and how to start it. */
export interface Invocation {
  readonly file: string
  readonly args: readonly string[]
  readonly cwd?: string | undefined
  readonly env: Readonly<Record<string, string | undefined>>
  readonly input: string
  readonly timeoutMs: number
  /** Between TERM and KILL. */
  readonly graceMs: number
  /** Ends the run early. */
  readonly signal?: AbortSignal | undefined
}

/** How a run ended. */
type Ending =
  | { readonly kind: 'exit'; readonly code: number }
  | { readonly kind: 'signal'; readonly signal: string }
  | { readonly kind: 'timeout' }
  | { readonly kind: 'not-started'; readonly why: string }

/** A finished run. */
export interface Finished {
  readonly ending: Ending
  readonly stdout: CapturedOutput
  readonly stderr: CapturedOutput
}

// A grandchild may hold the pipes open after the child is gone: what it says later is not the child's answer.
const PIPE_GRACE_MS = 100

/** Longer than this, a timer of Node would fire at once. */
export const LONGEST_TIMER_MS = 2_147_483_647

const NOTHING: CapturedOutput = { text: '', droppedBytes: 0 }

/** Runs a command. Never rejects. */
export async function runToEnd(invocation: Invocation): Promise<Finished> {
  const child = start(invocation)
  if (!hasPipes(child)) return { ending: { kind: 'not-started', why: child.why }, stdout: NOTHING, stderr: NOTHING }
  const stdout = new OutputReader(child.stdout, MAX_OUTPUT_BYTES)
  const stderr = new OutputReader(child.stderr, MAX_OUTPUT_BYTES)
  feed(child.stdin, invocation.input)
  const ending = await waitForEnd(child, invocation)
  if (ending.kind === 'timeout' && child.pid !== undefined) await terminateGroup(child.pid, invocation.graceMs)
  const isOpen = !stdout.hasEnded || !stderr.hasEnded
  if (isOpen && ending.kind !== 'not-started') await drained(Promise.all([stdout.ended, stderr.ended]))
  stdout.stop()
  stderr.stop()
  child.stdin.destroy()
  return { ending, stdout: stdout.take(), stderr: stderr.take() }
}

/** A child whose input and outputs are pipes. */
export type ChildWithPipes = ChildProcess & {
  readonly stdin: Writable
  readonly stdout: Readable
  readonly stderr: Readable
}

/** Why a program was not started. */
export interface NotStarted {
  readonly why: string
}

/** Starts a program in its own process group, with pipes. Never throws. */
export function start(how: Pick<Invocation, 'file' | 'args' | 'cwd' | 'env'>): ChildWithPipes | NotStarted {
  const { file, args, cwd, env } = how
  const options: SpawnOptions = { env, detached: true, stdio: 'pipe', windowsHide: true, ...(cwd && { cwd }) }
  try {
    const child = spawn(file, args, options)
    if (child.stdout !== null && child.stdout !== undefined) return child as ChildWithPipes
    // Out of file descriptors: there are no streams at all, and the error comes as an event that somebody must hear.
    child.on('error', () => undefined)
    return { why: 'there are too many open files' }
  } catch (error) {
    return { why: whyNotStarted(error, how) }
  }
}

/** Was it started, or may it still turn out so? */
export function hasPipes(started: ChildWithPipes | NotStarted): started is ChildWithPipes {
  return 'stdout' in started
}

// A child that closes its input early, or never reads it, is in its rights.
function feed(stdin: Writable, input: string): void {
  stdin.on('error', () => undefined)
  stdin.end(input)
}

// The exit, the failure to start, the time limit or an early end from outside: whichever is first decides.
function waitForEnd(child: ChildProcess, invocation: Invocation): Promise<Ending> {
  const { timeoutMs, signal } = invocation
  return new Promise((resolve) => {
    const settle = (ending: Ending): void => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', giveUp)
      resolve(ending)
    }
    const giveUp = (): void => settle({ kind: 'timeout' })
    const timer = setTimeout(giveUp, Math.min(timeoutMs, LONGEST_TIMER_MS))
    child.once('error', (error) => settle({ kind: 'not-started', why: whyNotStarted(error, invocation) }))
    child.once('exit', (code, by) =>
      settle(by === null ? { kind: 'exit', code: code ?? 1 } : { kind: 'signal', signal: by }),
    )
    if (signal?.aborted === true) giveUp()
    else signal?.addEventListener('abort', giveUp, { once: true })
  })
}

/**
 * Waits a moment for the outputs of a child that is gone to end. When the moment is over, one more turn of the event
 * loop reads what is in the pipes already: this process may have been too busy to look, and half an answer is none.
 */
export async function drained(ended: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(() => setImmediate(resolve), PIPE_GRACE_MS)
  })
  await Promise.race([ended, late])
  clearTimeout(timer)
}

/** Why a program could not be started. A missing folder is reported as a missing program: says which it is. */
export function whyNotStarted(error: unknown, { file, cwd }: Pick<Invocation, 'file' | 'cwd'>): string {
  const { code, message } = error as NodeJS.ErrnoException
  if (cwd !== undefined && !existsSync(cwd)) return `the folder ${cwd} does not exist`
  if (code === 'ENOENT') return `${file} was not found`
  if (code === 'EACCES') return `${file} may not be executed`
  return message
}
