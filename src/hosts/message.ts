// What people and agents read when ARC steps in: who, why, what instead, and where to look it up.

import { clip, MAX_TEXT } from '../engine/errors.ts'
import type { Outcome } from '../engine/outcome.ts'
import { isRecord } from '../engine/plain-data.ts'
import type { ReplyFacts } from './host.ts'

// Claude cuts a text at 10 000 characters, the others at more or not at all.
const MAX_MESSAGE = 9_000
const MAX_SHOWN_CALL = 2_000
const MAX_NOTICES = 5

/** Why an action is stopped. */
export function blockMessage(outcome: Outcome, facts: ReplyFacts): string {
  return lines([
    `ARC blocked this${by(outcome)}: ${readReason(outcome)}`,
    instead(outcome.suggestion),
    facts.approvalId === undefined ? undefined : howToApprove(facts),
    ...(facts.notes ?? []),
    trace(facts),
  ])
}

/** Why a turn is not over yet. */
export function continueMessage(outcome: Outcome, facts: ReplyFacts): string {
  return lines([
    `ARC: continue, this is not finished${by(outcome)}: ${readReason(outcome)}`,
    instead(outcome.suggestion),
    ...(facts.notes ?? []),
    trace(facts),
  ])
}

/** What is asked of a person. `isPrompt`: the host asks them itself. */
export function askMessage(outcome: Outcome, facts: ReplyFacts, isPrompt: boolean): string {
  return lines([
    `ARC holds this for a person${by(outcome)}: ${readReason(outcome)}`,
    instead(outcome.suggestion),
    isPrompt ? undefined : howToApprove(facts),
    ...(facts.notes ?? []),
    trace(facts),
  ])
}

/** A change that the host cannot make: the corrected call, to be made anew. */
export function correctionMessage(what: string, corrected: unknown, outcome: Outcome, facts: ReplyFacts): string {
  return lines([
    `ARC changed this ${what}${by(outcome)}, and this agent cannot apply the change. Use this instead:`,
    typeof corrected === 'string' ? clip(corrected, MAX_SHOWN_CALL) : showCall(corrected),
    outcome.reason,
    trace(facts),
  ])
}

/** A call that a hook answered in its stead. */
export function answerMessage(result: unknown, outcome: Outcome, facts: ReplyFacts): string {
  return lines([
    `ARC answered this call in its stead${by(outcome)}; it did not run. Its result:`,
    typeof result === 'string' ? clip(result, MAX_TEXT) : showCall(result),
    trace(facts),
  ])
}

/** The notice for the user if nothing is stopped; empty if there is none. */
export function noticeMessage(outcome: Outcome, facts: ReplyFacts): string | undefined {
  const given = outcome.metadata.suggestions
  const advice = Array.isArray(given) ? given.filter(isRecord).slice(0, MAX_NOTICES).map(adviceLine) : []
  const told = [...(facts.notes ?? []), ...advice]
  return told.length === 0 ? undefined : lines([...told, trace(facts)])
}

/** The texts for the agent's context, as one. */
export function contextText(outcome: Outcome): string | undefined {
  const given = outcome.metadata.additionalContext
  const texts = Array.isArray(given) ? given.filter((text): text is string => typeof text === 'string') : []
  return texts.length === 0 ? undefined : clip(texts.join('\n'), MAX_MESSAGE)
}

const WOULD: Readonly<Record<string, string>> = {
  block: 'would block this',
  ask: 'would ask a person',
  flag: 'flags this',
}

function adviceLine({ hook, decision, reason, suggestion }: Readonly<Record<string, unknown>>): string {
  const verb = WOULD[String(decision)] ?? 'suggests'
  const why = typeof reason === 'string' && reason !== '' ? `: ${clip(reason, MAX_TEXT)}` : ''
  const other = typeof suggestion === 'string' ? ` ${instead(suggestion)}` : ''
  return `ARC: ${String(hook)} ${verb}${why}${other}`
}

function readReason(outcome: Outcome): string {
  return outcome.reason?.trim() || 'no reason was given'
}

function by(outcome: Outcome): string {
  return outcome.hook === undefined ? '' : ` (hook ${outcome.hook})`
}

function instead(suggestion: string | undefined): string | undefined {
  return suggestion === undefined || suggestion === '' ? undefined : `Instead: ${suggestion}`
}

function howToApprove({ approvalId }: ReplyFacts): string {
  if (approvalId === undefined) return 'It did not run. Ask the user to decide, and do not work around it.'
  return `It did not run. A person can allow it with: arc approve ${approvalId} . Then make the same call again; do not work around it.`
}

function trace({ traceId }: ReplyFacts): string | undefined {
  return traceId === undefined ? undefined : `Trace ${traceId} (arc why ${traceId})`
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
