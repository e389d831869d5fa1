// Evaluates a hook call in this process, when no daemon answers.

import { answerHookCall, type HookCall } from '../../daemon/hook-call/answer.ts'
import { createSingleProvider } from '../../daemon/hook-call/supervisor-provider.ts'
import { announceInBackground } from '../../daemon/notify/background-announcer.ts'
import { runHomeProgram } from '../../daemon/process/home-program.ts'
import { claimStart } from '../../daemon/process/on-demand.ts'
import { findLiveDaemon } from '../../daemon/process/pid-file.ts'
import { ArcError, describe } from '../../engine/errors.ts'
import { findHost } from '../../hosts/list.ts'
import type { HookReply } from '../../protocol/hook-wire.ts'
import type { Supervisor } from '../../supervisor/supervisor.ts'

const USAGE = 2
const RESUME = ['hooks', 'resume-watchdogs']

interface Evaluated {
  readonly reply: HookReply
  /** This process must start a daemon for the next calls. */
  readonly startsDaemon: boolean
}

interface EvaluateOptions {
  readonly home: string
  readonly canStart: boolean
  readonly signal: AbortSignal
}

/** The reply to one call; reports of the supervisor are appended to stderr. */
export async function evaluateInProcess(
  call: HookCall,
  { home, canStart, signal }: EvaluateOptions,
): Promise<Evaluated> {
  try {
    findHost(call.host)
  } catch (error) {
    if (!(error instanceof ArcError)) throw error
    return { reply: { stdout: '', stderr: `arc: ${error.message}\n`, exitCode: USAGE }, startsDaemon: false }
  }
  const reports: string[] = []
  const report = (message: string): void => void reports.push(`arc: ${message}\n`)
  const announcer = { home, program: process.argv[1] ?? '', report }
  const provider = createSingleProvider(report, home, {
    announce: ({ approval }) => announceInBackground(approval, announcer),
    resumeLater: (job) => runHomeProgram({ home, program: announcer.program, args: RESUME, input: job }),
  })
  const reply = await answerHookCall(call, provider, { signal })
  const startsDaemon = canStart && !signal.aborted && claimDaemonStart(provider.created(), home, report)
  await provider.close().catch((error) => report(describe(error)))
  return { reply: { ...reply, stderr: reply.stderr + reports.join('') }, startsDaemon }
}

/** Refuses a call that cannot be evaluated, in the format of the host. */
export async function refuseCall(call: HookCall, why: string): Promise<Evaluated> {
  const find = () => Promise.reject(new Error(why))
  const reply = await answerHookCall(call, { find, readMode: async () => 'enforce' })
  return { reply, startsDaemon: false }
}

// Without a durable state no daemon is started: failed starts could not be counted.
function claimDaemonStart(
  supervisor: Supervisor | undefined,
  home: string,
  report: (message: string) => void,
): boolean {
  if (supervisor?.isDurable !== true || !supervisor.config.daemon.onDemand) return false
  try {
    return findLiveDaemon(home) === undefined && claimStart(supervisor.state, Date.now())
  } catch (error) {
    report(`no daemon was started: ${describe(error)}`)
    return false
  }
}
