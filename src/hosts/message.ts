// What people and agents read when ARC steps in: what, why, what instead, and what the user can do. A denial has five
// lines at most; notes about ARC itself follow it.

import { toLine } from '../display/display-text.ts'
import { buildPreview } from '../display/step-preview.ts'
import { clip, MAX_TEXT } from '../engine/errors.ts'
import type { Outcome } from '../engine/outcome.ts'
import { isRecord } from '../engine/plain-data.ts'
import { toolClass } from '../engine/tools.ts'
import { DECISION_RANK, type Decision } from '../engine/verdict.ts'
import type { HostStep, ReplyFacts } from './host.ts'

// Claude cuts a text at 10 000 characters, the others at more or not at all.
const MAX_MESSAGE = 9_000
const MAX_SHOWN_CALL = 2_000
const MAX_COMMAND = 200
const MAX_REASON = 2_000

/** Why an action is stopped. */
export function blockMessage(step: HostStep, outcome: Outcome, facts: ReplyFacts): string {
  return lines([
    `Blocked by ARC: ${showStep(step)}${whereToLook(outcome, facts)}`,
    why(outcome),
    instead(readAlternative(outcome, facts)),
    'Do not try it in another form.',
    howToAllow(outcome, facts),
    ...(facts.notes ?? []),
  ])
}

/** A block or hold that the agent does not carry out here. */
export function unstoppableMessage(step: HostStep, outcome: Outcome, facts: ReplyFacts): string {
  return lines([
    `ARC cannot stop this here: ${showStep(step)}`,
    why(outcome),
    instead(outcome.suggestion),
    details(facts),
    ...(facts.notes ?? []),
  ])
}

/** Why a turn is not over yet, with the texts for the agent's context: the agent goes by them when it continues. */
export function continueMessage(outcome: Outcome, facts: ReplyFacts): string {
  const by = outcome.hook === undefined ? '' : ` (hook ${outcome.hook})`
  return lines([
    `ARC: continue, this is not finished${by}: ${readReason(outcome)}`,
    contextText(outcome),
    instead(outcome.suggestion),
    ...(facts.notes ?? []),
    details(facts),
  ])
}

/** What the host's own prompt asks a person. */
export function askMessage(step: HostStep, outcome: Outcome, facts: ReplyFacts): string {
  return lines([
    `ARC asks for your approval: ${showStep(step)}`,
    why(outcome),
    instead(outcome.suggestion),
    ...(facts.notes ?? []),
    details(facts),
  ])
}

/** A refusal of the host's own reviewer, for the user. */
export function refusalMessage(step: HostStep, { reason }: Pick<Outcome, 'reason'>, facts: ReplyFacts): string {
  const { approvalId } = facts
  return lines([
    `Not by ARC: ${showStep(step)}`,
    why({ reason }),
    approvalId === undefined ? undefined : `You can allow exactly this step: arc approve ${approvalId}`,
    details(facts),
    ...(facts.notes ?? []),
  ])
}

/** A change that the host cannot make: the corrected call, to be made anew. */
export function correctionMessage(what: string, corrected: unknown, outcome: Outcome, facts: ReplyFacts): string {
  const by = outcome.hook === undefined ? '' : ` (hook ${outcome.hook})`
  return lines([
    `ARC changed this ${what}${by}, and this agent cannot apply the change. Use this instead:`,
    typeof corrected === 'string' ? clip(corrected, MAX_SHOWN_CALL) : showCall(corrected),
    outcome.reason,
    details(facts),
  ])
}

/** A call that a hook answered in its stead. */
export function answerMessage(result: unknown, outcome: Outcome, facts: ReplyFacts): string {
  const by = outcome.hook === undefined ? '' : ` (hook ${outcome.hook})`
  return lines([
    `ARC answered this call in its stead${by}; it did not run. Its result:`,
    typeof result === 'string' ? clip(result, MAX_TEXT) : showCall(result),
    details(facts),
  ])
}

/** The notice for the user if nothing is stopped: the strictest advice and the notes; undefined if there is none. */
export function noticeMessage(step: HostStep, outcome: Outcome, facts: ReplyFacts): string | undefined {
  const advice = adviceMessage(step, outcome)
  const notes = facts.notes ?? []
  return advice === undefined && notes.length === 0 ? undefined : lines([...notes, advice, details(facts)])
}

/** The strictest advice of the hooks; undefined if there is none. One action has one advice. */
export function adviceMessage(step: HostStep, { metadata }: Pick<Outcome, 'metadata'>): string | undefined {
  const given = Array.isArray(metadata.suggestions) ? metadata.suggestions.filter(isRecord) : []
  const rank = ({ decision }: Readonly<Record<string, unknown>>): number =>
    ADVICE.has(decision) ? DECISION_RANK[decision as Decision] : -1
  const [first, ...others] = given
  if (first === undefined) return undefined
  const { hook, decision, reason, suggestion, cannot } = others.reduce((a, b) => (rank(b) > rank(a) ? b : a), first)
  const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined)
  return lines([
    `ARC ${ADVICE.get(decision) ?? 'advises'}: ${showStep(step)}`,
    why({ hook: text(hook), reason: text(reason) }),
    instead(text(suggestion)),
    text(cannot) === undefined ? undefined : `Flagged: ${text(cannot)}`,
  ])
}

/** The texts for the agent's context, as one. */
export function contextText(outcome: Outcome): string | undefined {
  const given = outcome.metadata.additionalContext
  const texts = Array.isArray(given) ? given.filter((text): text is string => typeof text === 'string') : []
  return texts.length === 0 ? undefined : clip(texts.join('\n'), MAX_MESSAGE)
}

const ADVICE: ReadonlyMap<unknown, string> = new Map([
  ['block', 'would block this'],
  ['ask', 'would ask for approval of this'],
  ['flag', 'flags this'],
])

// The command on one line, or the tool with its path, the message, or the name of the event.
function showStep({ data, event }: HostStep): string {
  const tool = typeof data.tool === 'string' ? toLine(data.tool, MAX_COMMAND) : undefined
  const preview = buildPreview(data, MAX_COMMAND)
  if (tool === undefined) return preview || toLine(event, MAX_COMMAND) || 'this step'
  return toolClass(tool) === 'shell' && preview !== '' ? preview : `${tool} ${preview}`.trim()
}

// The reason as it is on record, so that both can be compared. ARC itself is no hook: its reason says what happened.
function why({ reason, hook }: Pick<Outcome, 'reason' | 'hook'>): string {
  const text = toLine(readReason({ reason }), MAX_REASON)
  if (hook === undefined || hook === ARC) return `Why: ${text}`
  return `Why: ${text} [hook ${hook}]`
}

const ARC = 'arc'

function readReason({ reason }: Pick<Outcome, 'reason'>): string {
  return reason?.trim() || 'no reason was given'
}

function instead(suggestion: string | undefined): string | undefined {
  return suggestion === undefined || suggestion === '' ? undefined : `Instead: ${toLine(suggestion, MAX_REASON)}`
}

// A suggestion that only names the approval repeats the last line.
function readAlternative({ suggestion }: Outcome, { approvalId }: ReplyFacts): string | undefined {
  return approvalId !== undefined && suggestion?.includes(approvalId) ? undefined : suggestion
}

// The hooks whose decisions `arc allow` can change.
const ALLOWABLE_HOOKS: readonly unknown[] = ['risk-detection', 'supervision-gate']

const NEVER_ALLOWED: ReadonlyMap<unknown, string> = new Map([
  ['catastrophe', 'It cannot be allowed: only the user can run it, in their own terminal'],
  ['secrets', 'It cannot be allowed: ask the user for what you need'],
  ['guard', 'It cannot be allowed: only the user can change ARC and its hooks, in their own terminal'],
])

// Some agents show the user only the first line of a denial.
function whereToLook({ hook }: Outcome, { traceId }: ReplyFacts): string {
  return hook === ARC || traceId === undefined ? '' : ` (arc why ${traceId})`
}

// Names only ids that are on record.
function howToAllow({ hook, metadata }: Outcome, { traceId, approvalId }: ReplyFacts): string | undefined {
  if (hook === ARC) return undefined
  if (traceId === undefined)
    return 'It cannot be allowed now, because it is not on record: ask the user to run arc doctor.'
  const more = `(arc why ${traceId})`
  const { approval, neverAllowed } = metadata as { readonly approval?: unknown; readonly neverAllowed?: unknown }
  if (isRecord(approval) && approval.status === 'denied') return `The user denied it: do not ask again ${more}.`
  if (approvalId !== undefined)
    return `The user can allow it: arc approve ${approvalId} (then repeat it; arc why ${traceId})`
  const never = NEVER_ALLOWED.get(neverAllowed)
  if (never !== undefined) return `${never} ${more}.`
  if (hook === undefined || ALLOWABLE_HOOKS.includes(hook)) return `The user can allow it: arc allow ${traceId}`
  return `The user can disable the hook for a while: arc hooks disable ${hook} --for 30m ${more}`
}

function details({ traceId }: ReplyFacts): string | undefined {
  return traceId === undefined ? undefined : `Details: arc why ${traceId}`
}

function showCall(value: unknown): string {
  try {
    return clip(JSON.stringify(value) ?? 'nothing', MAX_SHOWN_CALL)
  } catch {
    return 'a value that cannot be shown'
  }
}

function lines(parts: readonly (string | undefined)[]): string {
  return clip(parts.filter((part) => part !== undefined && part !== '').join('\n'), MAX_MESSAGE)
}
