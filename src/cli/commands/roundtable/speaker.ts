// Starts an agent of a roundtable for one turn, under supervision as `arc launch` does, with the prompt on stdin. The
// agent's own configuration is not changed.

import { stripVTControlCharacters } from 'node:util'
import { createLaunchMark, LAUNCH_VARIABLE } from '../../../daemon/hook-call/launch-profile.ts'
import type { Outcome } from '../../../engine/outcome.ts'
import { type AgentEnd, runAgent } from '../../../roundtable/driver/agent-process.ts'
import type { Reply, Speaker } from '../../../roundtable/driver/driver-options.ts'
import type { Supervisor } from '../../../supervisor/supervisor.ts'
import { context } from '../../context.ts'
import { installLauncher } from '../../hook/launcher.ts'
import { formatSpan, oneLine } from '../../output.ts'
import { createInjection } from '../launch/injection.ts'
import { isKnownAgent, readLaunch } from '../launch.run.ts'
import type { Seat } from './seats.ts'

/** The options of a speaker. */
export interface SpeakerOptions {
  readonly seat: Seat
  readonly home: string
  readonly cwd: string
  readonly turnMs: number
  /** The supervisor of the agent's own profile. */
  readonly supervisorOf: (profile: string) => Promise<Supervisor>
  /** Reports limits of the agent's supervision. */
  readonly note: (text: string) => void
}

// Agents save their session on SIGTERM.
const GRACE_MS = 3_000
const MAX_STDERR = 300

/** Creates the speaker of a seat. */
export function createSpeaker(options: SpeakerOptions): Speaker {
  return { name: options.seat.name, ask: (prompt, asked) => launchTurn(options, prompt, asked) }
}

async function launchTurn(
  { seat, home, cwd, turnMs, supervisorOf, note }: SpeakerOptions,
  prompt: string,
  { session, signal }: { readonly session: string; readonly signal: AbortSignal },
): Promise<Reply> {
  const { name, command, args, profile } = seat
  const supervisor = await supervisorOf(profile)
  const stepContext = { session, workspace: cwd, source: 'system', host: command, agent: name }
  const before = await supervisor.decide('pre:launch', { command, args }, stepContext, { askMs: 0 })
  if (before.blocked) return refusal(before)
  const wanted = readLaunch(before.data, command, args)
  const arc = context().program
  const launcher = process.platform === 'win32' ? arc : installLauncher({ home, node: process.execPath, arc })
  const injected = createInjection(wanted, { launcher, home, cwd, env: context().env })
  const mark = createLaunchMark(home, profile)
  try {
    if (injected.note !== undefined) note(injected.note)
    if (!injected.isSupervised && supervisor.engine.mode === 'enforce' && isKnownAgent(wanted.command)) {
      return { kind: 'blocked', why: 'in enforce mode an agent is not started unsupervised' }
    }
    const own = { ARC_HOME: home, ARC_PROFILE: profile, [LAUNCH_VARIABLE]: mark.id }
    const env = { NO_COLOR: '1', ...wanted.env, ...injected.env, ...own }
    const run = { command: wanted.command, args: injected.args, env, cwd, prompt }
    const end = await runAgent({ ...run, timeoutMs: turnMs, graceMs: GRACE_MS, signal })
    const ended = { command: wanted.command, args: wanted.args, ...(end.code !== undefined && { exitCode: end.code }) }
    await supervisor.decide('post:launch', ended, stepContext, { askMs: 0 })
    return readReply(end, turnMs)
  } finally {
    mark.remove()
    injected.remove()
  }
}

function refusal({ decision, hook, reason, metadata }: Outcome): Reply {
  const why = `its launch was blocked by ${hook ?? 'a hook'}: ${reason ?? 'no reason given'}`
  const trace = typeof metadata.traceId === 'string' ? { traceId: metadata.traceId } : {}
  return { kind: decision === 'ask' ? 'held' : 'blocked', why, ...trace }
}

function readReply({ kind, code, why, stdout, stderr }: AgentEnd, turnMs: number): Reply {
  if (kind === 'aborted') return { kind }
  if (kind === 'timeout') return { kind, why: `no answer within ${formatSpan(turnMs)}` }
  if (kind === 'not-started') return { kind: 'failed', why: `it could not be started: ${why}` }
  const last = oneLine(stripVTControlCharacters(stderr.text).trim().slice(-2_000), Number.POSITIVE_INFINITY)
  const about = last === '' ? '' : `: ${last.slice(-MAX_STDERR)}`
  if (kind === 'signal') return { kind: 'failed', why: `it was ended by ${why}${about}` }
  if (code !== 0) return { kind: 'failed', why: `it ended with exit code ${code}${about}` }
  const { droppedBytes } = stdout
  const note = droppedBytes > 0 ? `its answer was cut by ${droppedBytes} bytes` : undefined
  return { kind: 'said', text: stdout.text, note }
}
