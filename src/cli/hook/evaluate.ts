// Judges a call in this process, when no daemon does.

import { answerHookCall, type HookCall, type HookReply } from '../../daemon/hook-call/answer.ts'
import { createSingleProvider } from '../../daemon/hook-call/supervisor-provider.ts'
import { claimStart } from '../../daemon/process/on-demand.ts'
import { findLiveDaemon } from '../../daemon/process/pid-file.ts'
import { ArcError, describe } from '../../engine/errors.ts'
import { findHost } from '../../hosts/list.ts'
import type { Supervisor } from '../../supervisor/supervisor.ts'

const USAGE = 2

/** How a call was judged here. */
interface Evaluated {
  readonly answer: HookReply
  /** A daemon is wanted for the next calls, and it is up to this process to start it. */
  readonly startsDaemon: boolean
}

/** How a call is to be judged. */
interface EvaluateOptions {
  readonly home: string
  readonly canStart: boolean
  readonly signal: AbortSignal
}

/** The answer to one call; what had to be reported stands behind it on stderr. */
export async function evaluateHere(call: HookCall, { home, canStart, signal }: EvaluateOptions): Promise<Evaluated> {
  try {
    findHost(call.host)
  } catch (error) {
    if (!(error instanceof ArcError)) throw error
    return { answer: { stdout: '', stderr: `arc: ${error.message}\n`, exitCode: USAGE }, startsDaemon: false }
  }
  const reports: string[] = []
  const report = (message: string): void => void reports.push(`arc: ${message}\n`)
  const judge = createSingleProvider(report, home)
  const answer = await answerHookCall(call, judge, { signal })
  const startsDaemon = canStart && !signal.aborted && isStartOurs(judge.made(), home, report)
  await judge.close().catch((error) => report(describe(error)))
  return { answer: { ...answer, stderr: answer.stderr + reports.join('') }, startsDaemon }
}

/** Refuses a call that nobody could judge, as the host understands it. */
export async function refuseCall(call: HookCall, why: string): Promise<Evaluated> {
  const find = () => Promise.reject(new Error(why))
  const answer = await answerHookCall(call, { find, readMode: async () => 'enforce' })
  return { answer, startsDaemon: false }
}

// Where nothing lasts, a daemon would not either, and nobody could tell how often it was tried.
function isStartOurs(supervisor: Supervisor | undefined, home: string, report: (message: string) => void): boolean {
  if (supervisor?.isDurable !== true || !supervisor.config.daemon.onDemand) return false
  try {
    return findLiveDaemon(home) === undefined && claimStart(supervisor.state, Date.now())
  } catch (error) {
    report(`no daemon was started: ${describe(error)}`)
    return false
  }
}
