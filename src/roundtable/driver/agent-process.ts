// Runs one program for one turn: the prompt on stdin, the answer on stdout, a time limit, and no process left afterwards.
// The answer is limited; the rest is read and dropped, so that the program never blocks on a full pipe.

import { inheriting } from '../../hooks/handlers/command/environment.ts'
import { type CapturedOutput, OutputReader } from '../../hooks/handlers/command/output.ts'
import { endTree, killTree } from '../../hooks/handlers/command/process-tree.ts'
import {
  type ChildWithPipes,
  drained,
  hasPipes,
  LONGEST_TIMER_MS,
  start,
  whyNotStarted,
} from '../../hooks/handlers/command/spawn.ts'
import { isGroupAlive } from '../../hooks/handlers/command/terminate.ts'
import { MAX_OUTPUT_BYTES } from '../../hooks/handlers/handler.ts'

/** A program and how to ask it. */
export interface AgentRun {
  readonly command: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string
  readonly prompt: string
  readonly timeoutMs: number
  /** Between TERM and KILL. */
  readonly graceMs: number
  readonly signal: AbortSignal
}

/** How a program ended, and what it said. */
export interface AgentEnd {
  readonly kind: 'exit' | 'signal' | 'timeout' | 'aborted' | 'not-started'
  /** Of `exit`. */
  readonly code?: number
  /** Of `signal` and `not-started`. */
  readonly why?: string
  readonly stdout: CapturedOutput
  readonly stderr: CapturedOutput
}

type Ending = Pick<AgentEnd, 'kind' | 'code' | 'why'>

const NOTHING: CapturedOutput = { text: '', droppedBytes: 0 }
const running = new Set<number>()

/** Runs a program to its end. Never rejects. */
export async function runAgent(run: AgentRun): Promise<AgentEnd> {
  const { command: file, args, cwd, env, prompt, graceMs, signal } = run
  if (signal.aborted) return { kind: 'aborted', stdout: NOTHING, stderr: NOTHING }
  const child = start({ file, args, cwd, env: inheriting(env) })
  if (!hasPipes(child)) return { kind: 'not-started', why: child.why, stdout: NOTHING, stderr: NOTHING }
  const { pid } = child
  if (pid !== undefined) running.add(pid)
  const stdout = new OutputReader(child.stdout, MAX_OUTPUT_BYTES)
  const stderr = new OutputReader(child.stderr, MAX_OUTPUT_BYTES)
  // One that ends without reading, or never reads, is in its rights.
  child.stdin.on('error', () => undefined)
  child.stdin.end(prompt)
  const ending = await waitForEnd(child, run)
  const isCutShort = ending.kind === 'timeout' || ending.kind === 'aborted'
  if (pid !== undefined && (isCutShort || isGroupAlive(pid))) {
    // What it said is in the pipes already; what it left running says nothing more.
    if (!isCutShort) await drained(Promise.all([stdout.ended, stderr.ended]))
    await endTree(pid, graceMs)
  }
  if (ending.kind !== 'not-started') await drained(Promise.all([stdout.ended, stderr.ended]))
  stdout.stop()
  stderr.stop()
  child.stdin.destroy()
  if (pid !== undefined) running.delete(pid)
  return { ...ending, stdout: stdout.take(), stderr: stderr.take() }
}

/** Ends every program that is being asked, at once: for a process that will not wait. */
export function killAgents(): void {
  for (const pid of running) killTree(pid)
}

// The exit, the failure to start, the time limit or an abort: whichever is first decides.
function waitForEnd(child: ChildWithPipes, { command: file, cwd, timeoutMs, signal }: AgentRun): Promise<Ending> {
  return new Promise((resolve) => {
    const settle = (ending: Ending): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', abort)
      resolve(ending)
    }
    const abort = (): void => settle({ kind: 'aborted' })
    const timer = setTimeout(() => settle({ kind: 'timeout' }), Math.min(timeoutMs, LONGEST_TIMER_MS))
    child.once('error', (error) => settle({ kind: 'not-started', why: whyNotStarted(error, { file, cwd }) }))
    child.once('exit', (code, by) =>
      settle(by === null ? { kind: 'exit', code: code ?? 1 } : { kind: 'signal', why: by }),
    )
    signal.addEventListener('abort', abort, { once: true })
  })
}
