// One hook call: payload → outcome → reply. The same in `arc hook` and in the daemon. Every failure becomes a reply in the
// format of the host, before the host's own time limit.

import type { ApprovalNote, AskLimits } from '../../approvals/approval-gate.ts'
import { describe } from '../../engine/errors.ts'
import type { Outcome } from '../../engine/outcome.ts'
import { isRefusal } from '../../engine/permission.ts'
import { recordAgent } from '../../guard/supervised-agents.ts'
import { isUnattendedAgent } from '../../guard/unattended-agent.ts'
import { deriveSteps, type ModeChange } from '../../hosts/derived-steps.ts'
import { failureOutcome } from '../../hosts/failure.ts'
import { readHonours } from '../../hosts/honours.ts'
import { type HostName, type HostReply, type HostStep, isUnreadable, type ReplyFacts } from '../../hosts/host.ts'
import { HOSTS, readHostPayload } from '../../hosts/list.ts'
import { systemClock } from '../../platform/engine-services.ts'
import type { HookReply } from '../../protocol/hook-wire.ts'
import type { Supervisor } from '../../supervisor/supervisor.ts'
import type { TracedContext, TracedOutcome } from '../../supervisor/traced-engine.ts'
import { recordReusedId, recordUnreadable, recordUnsupervised, recordUnsupported } from './call-events.ts'
import { computeRecordWait, computeReplyDeadline, planApproval, withReplyDeadline } from './deadline.ts'
import { type Claim, claimHookCall } from './dedupe.ts'
import { recordSeenEvent } from './last-seen.ts'
import {
  canReachPerson,
  describeForReviewer,
  describeHostFinding,
  findCallOfRequest,
  readPermission,
} from './permission-call.ts'
import { buildReplyNotes } from './reply-notes.ts'
import { noteMode } from './session-mode.ts'
import type { SupervisorProvider } from './supervisor-provider.ts'
import { applyUnrecorded, waitWhileLocked } from './unrecorded.ts'

/** A payload of a host, and the facts of the process that sent it. */
export interface HookCall {
  readonly host: HostName
  /** The event, for payloads that do not name it. */
  readonly event?: string | undefined
  readonly payload: string
  /** The working folder of the hook process, for payloads that do not name a folder. */
  readonly cwd?: string | undefined
  readonly profile?: string | undefined
  /** The process that started the hook: the agent, or a shell of the agent. As the caller claims; not verified. */
  readonly callerPid?: number | undefined
  /** Default: `hook`, a process for each call. */
  readonly via?: 'hook' | 'daemon-hook' | undefined
  /** False where the host's own prompt must not decide: on a managed machine an approver does. */
  readonly canPrompt?: false | undefined
  /** The home of the caller's account, where the daemon runs as another account. */
  readonly home?: string | undefined
}

/** The time limits of a call. */
export interface CallLimits {
  /** Replaces the time limit of the host. */
  readonly deadlineMs?: number | undefined
  /** Ends the call early: the reply is then that of a call without a decision. */
  readonly signal?: AbortSignal | undefined
}

/** A call with its parsed step. */
interface ParsedCall {
  readonly call: HookCall
  /** With `canPrompt` false once the process of the agent shows that it asks no person. */
  step: HostStep
  /** The payload says that the agent asks no person. */
  readonly isBypassing: boolean
  readonly workspace: string | undefined
  /** Set once the supervisor is found. */
  supervisor?: Supervisor
}

/** Answers a call. Never throws, and never takes longer than the host waits. */
export async function answerHookCall(
  call: HookCall,
  provider: SupervisorProvider,
  limits: CallLimits = {},
): Promise<HookReply> {
  const read = readHostPayload(call.host, call.event, call.payload, {})
  const given = isUnreadable(read) ? read.step : read
  const step = call.canPrompt === false ? { ...given, canPrompt: false } : given
  const workspace = step.context.workspace ?? call.cwd
  const parsed: ParsedCall = { call, step, workspace, isBypassing: !given.canPrompt }
  const limitMs = limits.deadlineMs ?? computeReplyDeadline(step)
  try {
    return await withReplyDeadline(limitMs, limits.signal, async (signal) => {
      const supervisor = await provider.find(parsed.workspace, call.profile)
      const release = provider.hold?.(supervisor)
      try {
        parsed.supervisor = supervisor
        void attempt(() => recordCaller(call, step, supervisor))
        if (!isUnreadable(read)) return await evaluate(parsed, supervisor, signal)
        await attempt(() => recordUnreadable(supervisor, step, read.unreadable))
        return await replyToFailure(parsed, provider, read.unreadable)
      } finally {
        release?.()
      }
    })
  } catch (error) {
    return replyToFailure(parsed, provider, describe(error))
  }
}

// Everything that a call writes is written in one turn, and committed before the reply is sent.
async function evaluate(parsed: ParsedCall, supervisor: Supervisor, signal: AbortSignal): Promise<HookReply> {
  const { step: read, workspace } = parsed
  const recordWaitMs = computeRecordWait(read)
  const waitUntil = performance.now() + recordWaitMs
  await waitWhileLocked(supervisor.stores, recordWaitMs, signal)
  const claim = await claimHookCall(read, supervisor, { workspace, waitUntil })
  if (claim.reusedFrom !== undefined) void attempt(() => recordReusedId(supervisor, read, claim))
  try {
    const { outcome: decided, recorded, yes } = await findOutcome(parsed, supervisor, claim, signal)
    const { step } = parsed
    void attempt(() => recordSeenEvent(step, supervisor))
    const isRecorded = (await recorded) !== false
    const outcome = isRecorded ? decided : applyUnrecorded(step, decided, supervisor)
    const facts = buildReplyFacts(supervisor, isRecorded ? claim.id : undefined, outcome)
    const reviewed = describeForReviewer(step, claim.before?.outcome)
    const reply = formatReply(step, outcome, {
      ...facts,
      before: findLateAdvice(step, claim),
      yes: isRecorded ? yes : undefined,
      reviewed,
    })
    const lost = reply.unsupported.filter((part) => part !== 'context' && part !== 'notice')
    if (lost.length > 0) await attempt(() => recordUnsupported(supervisor, step, lost, claim.id))
    const { stdout, stderr, exitCode } = reply
    return { stdout, stderr, exitCode }
  } catch (error) {
    void attempt(() => claim.complete())
    throw error
  }
}

async function findOutcome(
  parsed: ParsedCall,
  supervisor: Supervisor,
  claim: Claim,
  signal: AbortSignal,
): Promise<TracedOutcome> {
  if (claim.outcome !== undefined) {
    // A duplicate: the call that was evaluated may still wait for its commit.
    return { outcome: claim.outcome, recorded: Promise.resolve(supervisor.stores.flush()) }
  }
  const traced = await decide(parsed, supervisor, claim, signal)
  void attempt(() => claim.complete(traced.outcome))
  return traced
}

// No approval is accepted from the process of an agent or its children.
function recordCaller({ callerPid, host }: HookCall, { context }: HostStep, { state }: Supervisor): void {
  if (callerPid !== undefined) recordAgent(state, { pid: callerPid, host, session: context.session })
}

function decide(
  parsed: ParsedCall,
  supervisor: Supervisor,
  claim: Claim,
  signal: AbortSignal,
): TracedOutcome | Promise<TracedOutcome> {
  const { call, step, workspace } = parsed
  const { via = 'hook', callerPid, home } = call
  const context: TracedContext = {
    ...step.context,
    id: claim.id,
    workspace,
    metadata: {
      ...step.context.metadata,
      ...describePair(step, supervisor, claim),
      ...(home !== undefined && { callerHome: home }),
    },
    honours: readHonours(step),
    derive: buildDerive(step, supervisor),
    partOf: step.spec.partOf,
    origin: { via, process: { pid: callerPid, recordedBy: process.pid } },
    // A call without a claim has waited already, and may be recorded by another process.
    recordWaitMs: claim.isMade === false ? 0 : computeRecordWait(step),
    hostFinding: describeHostFinding(step),
  }
  return supervisor.evaluate(
    step.point,
    step.data,
    context,
    () => planAsk(parsed, supervisor, signal),
    readPermission(step),
  )
}

// The mode is read once, and only if a hook is registered for phases.
function buildDerive(step: HostStep, { state }: Supervisor): TracedContext['derive'] {
  let change: { readonly found: ModeChange | undefined } | undefined
  const readChange = (): ModeChange | undefined => {
    change ??= { found: noteMode(step, state) }
    return change.found
  }
  return (hasHooks) => deriveSteps(step, hasHooks, readChange)
}

// Only for a step that needs approval: the process table is read for it.
function planAsk(parsed: ParsedCall, supervisor: Supervisor, signal: AbortSignal): Partial<AskLimits> {
  const { call, step, isBypassing } = parsed
  const { config } = supervisor
  const isUnattended = isBypassing || isUnattendedAgent(step.host, call.callerPid)
  if (isUnattended) parsed.step = { ...step, canPrompt: false }
  const { askMs, isPrompt } = planApproval(step, isUnattended, config.approvals)
  const usedAt = step.spec.permission === 'asks' ? 'permission' : 'call'
  const isReached = !isRefusal(step.spec.permission) || canReachPerson(supervisor, isUnattended)
  return { askMs: isReached ? askMs : 0, isPrompt, usedAt, signal, callerPid: call.callerPid }
}

/** Links a finished tool call to the call before it. A tool that ran without a call before it is recorded. */
function describePair(step: HostStep, supervisor: Supervisor, { before, id }: Claim): Record<string, unknown> {
  if (step.spec.permission === 'asks') {
    const asksAbout = findCallOfRequest(step, supervisor.trace)
    return asksAbout === undefined ? {} : { asksAbout }
  }
  if (!step.point.startsWith('post:tool')) return {}
  if (before === undefined && isRefusal(step.spec.permission)) return {}
  if (before !== undefined) return { preStep: before.id, sinceMs: Math.max(0, systemClock.wall() - before.at) }
  void attempt(() => recordUnsupervised(supervisor, step, id))
  return { unsupervised: true }
}

// A step that is not on record has no id to look up, nor an approval to answer. Neither has an answered approval.
function buildReplyFacts(supervisor: Supervisor, traceId: string | undefined, { metadata }: Outcome): ReplyFacts {
  const notes = [...buildReplyNotes(supervisor), ...readUserNotes(metadata)]
  if (traceId === undefined) return { notes }
  const { approval } = metadata as { readonly approval?: ApprovalNote }
  const approvalId = approval?.status === 'pending' ? approval.id : undefined
  return { traceId, approvalId, notes }
}

// What a hook answers to a request of the user. In every mode: it is no decision on the step.
function readUserNotes({ userNotes }: Outcome['metadata']): readonly string[] {
  return Array.isArray(userNotes) ? userNotes.filter((note): note is string => typeof note === 'string') : []
}

// Some hosts take text for the agent only after a tool ran.
function findLateAdvice({ host, point }: HostStep, { before }: Claim): ReplyFacts['before'] {
  if (before?.outcome === undefined || !point.startsWith('post:tool')) return undefined
  const rows = Object.values(HOSTS[host].events)
  const isLate = !rows.some((row) => row.point === 'pre:tool' && row.isInstalled && row.context)
  return isLate ? before.outcome : undefined
}

/** The reply to a call without a decision, by the mode in force. */
async function replyToFailure(
  { call, step, workspace, supervisor }: ParsedCall,
  provider: SupervisorProvider,
  why: string,
): Promise<HookReply> {
  const mode = supervisor?.engine.mode ?? (await provider.readMode(workspace, call.profile))
  const outcome = failureOutcome(step, why, mode)
  const { stdout, stderr, exitCode } = formatReply(step, outcome, {})
  // Hosts show little of a call that passes: the reason is at least on stderr.
  const warning = outcome.blocked ? '' : `arc: ${outcome.reason}\n`
  return { stdout, stderr: stderr + warning, exitCode }
}

function formatReply(step: HostStep, outcome: Outcome, facts: ReplyFacts): HostReply {
  return HOSTS[step.host].reply(step, outcome, facts)
}

/** Does work that must not change the reply: an error goes to stderr. */
async function attempt(work: () => unknown): Promise<void> {
  try {
    await work()
  } catch (error) {
    process.stderr.write(`arc: ${describe(error)}\n`)
  }
}
