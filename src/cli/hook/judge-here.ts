// Judges a call in this process, when no daemon does.

import { ArcError, describe } from '../../core/errors.ts'
import { answerHook, type HookAnswer, type HookCall } from '../../daemon/hook-call.ts'
import { oneJudge } from '../../daemon/judges.ts'
import { findHost } from '../../hosts/list.ts'

const USAGE = 2

/** The answer to one call; what had to be reported stands behind it on stderr. */
export async function judgeHere(call: HookCall, signal: AbortSignal): Promise<HookAnswer> {
  try {
    findHost(call.host)
  } catch (error) {
    if (!(error instanceof ArcError)) throw error
    return { stdout: '', stderr: `arc: ${error.message}\n`, exitCode: USAGE }
  }
  const reports: string[] = []
  const judge = oneJudge((message) => reports.push(`arc: ${message}\n`))
  const answer = await answerHook(call, judge, { signal })
  await judge.close().catch((error) => reports.push(`arc: ${describe(error)}\n`))
  return { ...answer, stderr: answer.stderr + reports.join('') }
}
