// One call of a host's hook, from the payload to the reply: the same in `arc hook` and in the daemon. Whatever goes wrong
// here, the host gets an answer in its own dialect before it stops waiting.

import { clip, describe, show } from '../../engine/errors.ts'
import type { Hook } from '../../engine/hook.ts'
import type { Mode } from '../../engine/mode.ts'
import type { Outcome } from '../../engine/outcome.ts'
import type { CompleteContext } from '../../engine/step.ts'
import type { HandlerTable } from '../../engine/table.ts'
import { noteAgent } from '../../guard/agents.ts'
import { failureOutcome } from '../../hosts/failure.ts'
import { type HostName, type HostReply, type HostStep, isUnreadable, type ReplyFacts } from '../../hosts/host.ts'
import { HOSTS, readHostPayload } from '../../hosts/list.ts'
import { systemClock } from '../../platform/engine-services.ts'
import { newId } from '../../platform/ids.ts'
import { nameOf } from '../../supervisor/config-source.ts'
import type { Supervisor } from '../../supervisor/supervisor.ts'
import type { TracedContext } from '../../supervisor/traced-engine.ts'
import type { StepOrigin } from '../../trace/record.ts'
import { type Claim, claimCall } from './dedupe.ts'
import { recordSeenEvent } from './last-seen.ts'

/** What a host sent, and from where. */
export interface HookCall {
  readonly host: HostName
  /** The event, where the payload does not name it. */
  readonly event?: string | undefined
  readonly payload: string
  /** Where the hook process ran: for payloads that name no folder. */
  readonly cwd?: string | undefined
  readonly profile?: string | undefined
  /** The process that started the hook: the agent, or a shell of the agent. As the caller says; not verified. */
  readonly callerPid?: number | undefined
  /** How it came in: `hook` by default, a process of its own. */
  readonly via?: 'hook' | 'daemon-hook' | undefined
  /** False where the host's own prompt must not decide: on a managed machine an approver does. */
  readonly canPrompt?: false | undefined
  /** The home of the account that calls, where the daemon runs as another. */
  readonly home?: string | undefined
}

/** Exactly what the hook process is to give back. */
export interface HookReply {
  readonly stdout: string
  readonly stderr: string
  readonly exitCode: number
}

/** Where supervisors come from. */
export interface SupervisorProvider {
  /** The supervisor of the project around a folder. */
  find(workspace: string | undefined, profile: string | undefined): Supervisor | Promise<Supervisor>
  /** The mode in force there when there is no supervisor. Never fails. */
  readMode(workspace: string | undefined, profile: string | undefined): Promise<Mode>
}

/** How long a call may take, in place of what its host allows. */
export interface CallLimits {
  readonly deadlineMs?: number | undefined
  /** Ends the call early: it is then answered as one that could not be judged. */
  readonly signal?: AbortSignal | undefined
}

// A person is waited for so long where the host shows no prompt of its own.
const ASK_MS = 55_000

/** Answers a call. Never throws, never takes longer than the host waits. */
export async function answerHookCall(
  call: HookCall,
  judges: SupervisorProvider,
  limits: CallLimits = {},
): Promise<HookReply> {
  const read = readHostPayload(call.host, call.event, call.payload, {})
  const own = isUnreadable(read) ? read.step : read
  const step = call.canPrompt === false ? { ...own, canPrompt: false } : own
  const judged: Judged = { step, supervisor: undefined }
  const judging = isUnreadable(read)
    ? refuse(judged, call, judges, read.unreadable)
    : judge(judged, call, judges, limits)
  try {
    return await inTime(judging, limits.deadlineMs ?? deadlineOf(step), limits.signal)
  } catch (error) {
    return await failSafe(judged, call, judges, describe(error))
  }
}

// What the answer is when nothing could be judged, by the mode that is in force.
async function failSafe(judged: Judged, call: HookCall, judges: SupervisorProvider, why: string): Promise<HookReply> {
  const { step, supervisor } = judged
  const mode = supervisor?.engine.mode ?? (await judges.readMode(step.context.workspace ?? call.cwd, call.profile))
  const outcome = failureOutcome(step, why, mode)
  const reply = replyTo(step, outcome, {})
  // Hosts show little of a call that passes: here at least it stands.
  const loud = outcome.blocked ? '' : `arc: ${outcome.reason}\n`
  return { stdout: reply.stdout, stderr: reply.stderr + loud, exitCode: reply.exitCode }
}

/** A call on its way. */
interface Judged {
  readonly step: HostStep
  supervisor: Supervisor | undefined
}

// The host must hear from us before its own limit, and the process still has to start and end.
function deadlineOf({ spec }: HostStep): number {
  return Math.max(500, spec.limitMs * 0.9 - 400)
}

async function judge(
  judged: Judged,
  call: HookCall,
  judges: SupervisorProvider,
  limits: CallLimits,
): Promise<HookReply> {
  const { step } = judged
  const workspace = step.context.workspace ?? call.cwd
  const supervisor = await judges.find(workspace, call.profile)
  judged.supervisor = supervisor
  quietly(() => noteCaller(call, step, supervisor))
  const claim = await claimOf(step, supervisor, workspace)
  try {
    const outcome =
      claim.outcome ??
      (await dispatch(step, supervisor, claim, {
        workspace,
        home: call.home,
        signal: limits.signal,
        origin: originOf(call),
      }))
    if (claim.outcome === undefined) quietly(() => claim.complete(outcome))
    quietly(() => recordSeenEvent(step, supervisor))
    const reply = replyTo(step, outcome, factsOf(supervisor, claim.id, outcome))
    recordUnsupported(supervisor, step, reply, claim.id)
    // Nobody is told of what is not on record yet. What cannot be recorded has been reported, and changes no answer.
    await supervisor.recorded()
    return { stdout: reply.stdout, stderr: reply.stderr, exitCode: reply.exitCode }
  } catch (error) {
    quietly(() => claim.complete())
    throw error
  }
}

function noteCaller({ callerPid, host }: HookCall, { context }: HostStep, { state }: Supervisor): void {
  if (callerPid !== undefined) noteAgent(state, { pid: callerPid, host, session: context.session })
}

// Without the state every firing is judged by itself: twice is better than never.
async function claimOf(step: HostStep, supervisor: Supervisor, workspace: string | undefined): Promise<Claim> {
  try {
    const { state } = supervisor
    const claim = await claimCall(step, { state, clock: systemClock, newId, rules: rulesOf(supervisor), workspace })
    if (claim.reusedFrom !== undefined) recordReuse(step, supervisor, claim)
    return claim
  } catch (error) {
    process.stderr.write(`arc: whether this call came twice cannot be told: ${describe(error)}\n`)
    return { id: newId(), complete: () => undefined }
  }
}

// Models number their calls anew each turn, and an agent can choose an id on purpose: judged in full, and on record.
function recordReuse(step: HostStep, supervisor: Supervisor, { id, reusedFrom }: Claim): void {
  const message = `${step.host}: the call id ${show(step.callId)} was used before, for other arguments`
  const data = { tool: step.data.tool, callId: step.callId, step: id, usedBy: reusedFrom }
  record(supervisor, step, { action: 'call:id-reused', message, data })
}

const NAMES = new WeakMap<object, string>()
const SWITCHED_OFF = new WeakMap<HandlerTable, readonly Hook[]>()

// The configuration, and which of its hooks are switched on. Listing all hooks at every call would cost more than a rule.
function rulesOf({ config, engine }: Supervisor): string {
  const name = NAMES.get(config) ?? nameOf(config)
  NAMES.set(config, name)
  const { table, mode } = engine
  const off = SWITCHED_OFF.get(table) ?? table.hooks.filter(({ disabled }) => disabled !== undefined)
  SWITCHED_OFF.set(table, off)
  const now = systemClock.wall()
  const still = off.filter(({ disabled }) => (disabled?.until ?? now + 1) > now)
  return [name, mode, ...still.map((hook) => hook.name)].join(' ')
}

interface DispatchFacts {
  readonly workspace: string | undefined
  readonly origin: StepOrigin
}

function originOf({ via = 'hook', callerPid }: HookCall): StepOrigin {
  return { via, process: { pid: callerPid, recordedBy: process.pid } }
}

function dispatch(
  step: HostStep,
  supervisor: Supervisor,
  claim: Claim,
  { workspace, home, signal, origin }: Pick<CallLimits, 'signal'> & Pick<HookCall, 'home'> & DispatchFacts,
): Outcome | Promise<Outcome> {
  const { context, point, data, spec } = step
  const pair = pairFacts(step, supervisor, claim)
  const metadata = { ...context.metadata, ...pair, ...(home !== undefined && { callerHome: home }) }
  const canHostAsk = spec.ask === 'prompting' || (spec.ask === 'prompt' && step.canPrompt)
  const askMs = canHostAsk ? 0 : Math.min(ASK_MS, spec.limitMs / 2)
  const { session, turn, agent, source, host, profile } = context
  const whole = {
    id: claim.id,
    session,
    turn,
    agent,
    source,
    workspace,
    host,
    profile,
    metadata,
    origin,
  } satisfies CompleteContext & TracedContext
  return supervisor.decide(point, data, whole, { askMs, signal })
}

// A tool that ran without ever having been asked about is what nobody would notice otherwise.
function pairFacts(step: HostStep, supervisor: Supervisor, { before, id }: Claim): Record<string, unknown> {
  if (!step.point.startsWith('post:tool')) return {}
  if (before !== undefined) return { preStep: before.id, sinceMs: Math.max(0, systemClock.wall() - before.at) }
  const message = `${step.host}: ${String(step.data.tool)} ran without a call before it`
  const data = { tool: step.data.tool, step: id }
  record(supervisor, step, { action: 'call:unsupervised', message, data })
  return { unsupervised: true }
}

async function refuse(judged: Judged, call: HookCall, judges: SupervisorProvider, why: string): Promise<HookReply> {
  const { step } = judged
  const supervisor = await judges.find(step.context.workspace ?? call.cwd, call.profile)
  judged.supervisor = supervisor
  quietly(() => noteCaller(call, step, supervisor))
  record(supervisor, step, { action: 'payload:unreadable', message: why, data: { event: step.event } })
  const answer = await failSafe(judged, call, judges, why)
  await supervisor.recorded()
  return answer
}

function replyTo(step: HostStep, outcome: Outcome, facts: ReplyFacts): HostReply {
  return HOSTS[step.host].reply(step, outcome, facts)
}

function factsOf(supervisor: Supervisor, traceId: string, { metadata }: Outcome): ReplyFacts {
  const { approval } = metadata as { readonly approval?: { readonly id: string } }
  return { traceId, approvalId: approval?.id, notes: notesOf(supervisor) }
}

// What must be seen although this call is judged all the same.
function notesOf(supervisor: Supervisor): string[] {
  const notes: string[] = []
  if (breakerOf(supervisor) === 'open') {
    notes.push('ARC: hooks failed too often; those that are not critical only log for now (arc breaker status).')
  }
  const problems = supervisor.problems.filter(({ kind }) => kind !== 'looser')
  const [first] = problems
  if (first !== undefined) {
    const count = `${problems.length} problem${problems.length === 1 ? '' : 's'}`
    const why = (problems.find(({ kind }) => kind === 'held') ?? first).message
    notes.push(
      `ARC: the configuration has ${count} (arc doctor). Mode ${supervisor.engine.mode} is in force. ${clip(why, 300)}`,
    )
  }
  const mismatch = supervisor.stores.takeMismatch()
  if (mismatch !== undefined) notes.push(`ARC: ${mismatch} (arc trace verify)`)
  if (!supervisor.isDurable) notes.push('ARC: nothing is recorded beyond this process (arc doctor).')
  return notes
}

function breakerOf(supervisor: Supervisor): string | undefined {
  try {
    return supervisor.breaker().state
  } catch {
    // The state cannot be read; the engine has told of it.
    return undefined
  }
}

// A context or a notice that does not get through is usual; what was to be stopped or changed is not.
function recordUnsupported(supervisor: Supervisor, step: HostStep, { unsupported }: HostReply, id: string): void {
  const lost = unsupported.filter((part) => part !== 'context' && part !== 'notice')
  if (lost.length === 0) return
  const message = `${step.host} cannot carry out at ${step.event}: ${lost.join(', ')}`
  record(supervisor, step, { action: 'reply:unsupported', message, data: { step: id, event: step.event, lost } })
}

interface HostNote {
  readonly action: string
  readonly message: string
  readonly data: Readonly<Record<string, unknown>>
}

function record(supervisor: Supervisor, step: HostStep, { action, message, data }: HostNote): void {
  const { host, context } = step
  const { profile } = supervisor.config
  const what = { component: 'hosts', action, level: 'warn', reason: message, metadata: data } as const
  const when = { id: newId(), time: systemClock.wall(), profile, host, session: context.session }
  quietly(() => void supervisor.trace.append({ ...what, ...when }))
}

// Bookkeeping beside the answer: told of, but never a reason to answer otherwise.
function quietly(work: () => void): void {
  try {
    work()
  } catch (error) {
    process.stderr.write(`arc: ${describe(error)}\n`)
  }
}

// Gives up on work that takes too long; its late end is nobody's business any more.
function inTime<T>(work: Promise<T>, ms: number, signal: AbortSignal | undefined): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`not judged within ${Math.round(ms)} ms`)), ms)
    const abort = (): void => reject(new Error('ended from outside before it was judged'))
    signal?.addEventListener('abort', abort, { once: true })
    if (signal?.aborted === true) abort()
    const end = (): void => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', abort)
    }
    void work.then(resolve, reject).then(end)
  })
}
