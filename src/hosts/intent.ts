// The reply to a host, before it is put into the host's format. Decides what follows from an outcome if a
// host cannot do all that ARC can: an edit it cannot make becomes a denial, a prompt it would not show becomes one too.

import { isDeepStrictEqual } from 'node:util'
import { UNUSED_EDIT } from '../engine/apply-by-mode.ts'
import type { Outcome } from '../engine/outcome.ts'
import { isRefusal } from '../engine/permission.ts'
import { isRecord } from '../engine/plain-data.ts'
import { POINTS, type PointName, type PointSpec } from '../engine/points.ts'
import { canEdit, isStoppable } from './honours.ts'
import type { EditField, HostReply, HostStep, ReplyFacts } from './host.ts'
import {
  adviceMessage,
  answerMessage,
  askMessage,
  blockMessage,
  contextText,
  continueMessage,
  correctionMessage,
  noticeMessage,
  refusalMessage,
  unstoppableMessage,
} from './message.ts'
import { restoreArgs } from './tool-args.ts'

/** A change of the step's data, in the host's own form. */
interface HostEdit {
  readonly field: EditField
  readonly value: unknown
}

/** What the host is to do and to say. */
export interface Intent {
  readonly kind: 'pass' | 'ask' | 'deny'
  /** Why: for `ask` and `deny`. */
  readonly message: string
  readonly edit?: HostEdit | undefined
  /** Text for the agent's context. */
  readonly context?: string | undefined
  /** Text for the user. */
  readonly notice?: string | undefined
  /** A person answered for exactly this step: the host need not ask. */
  readonly isAllowed?: boolean | undefined
  /** Facts for the reviewer of the host. */
  readonly reviewed?: string | undefined
  /** The whole turn is to end, not only this action. */
  readonly endsTurn: boolean
  readonly unsupported: readonly string[]
}

/** What follows from an outcome for this host and event. */
export function readIntent(step: HostStep, outcome: Outcome, facts: ReplyFacts): Intent {
  const { spec } = step
  if (isRefusal(spec.permission)) return refusalIntent(step, outcome, facts)
  if (outcome.blocked && outcome.decision === 'ask') return askIntent(step, outcome, facts)
  if (outcome.blocked) {
    const unused = outcome.metadata[UNUSED_EDIT]
    if (typeof unused === 'string' && changedFields(step, outcome).length > 0) return correction(step, outcome, facts)
    if (spec.block === 'none')
      return passIntent(step, outcome, facts, ['block'], unstoppableMessage(step, outcome, facts))
    const isContinue = outcome.control === 'continue'
    const message = isContinue ? continueMessage(outcome, facts) : blockMessage(step, outcome, facts)
    return denial(message, outcome.control === 'break')
  }
  if (outcome.answer !== undefined) return instead(step, outcome, facts, 'answer', answerText(outcome, facts))
  return editIntent(step, outcome, facts)
}

// The host has refused the call itself: nothing is left to stop.
function refusalIntent(step: HostStep, outcome: Outcome, facts: ReplyFacts): Intent {
  const isTold = outcome.decision === 'pass' || outcome.metadata.suggestions !== undefined
  const notice = facts.approvalId === undefined || isTold ? undefined : refusalMessage(step, outcome, facts)
  return passIntent(step, outcome, facts, outcome.blocked ? ['block'] : [], notice)
}

function askIntent(step: HostStep, outcome: Outcome, facts: ReplyFacts): Intent {
  const { block, ask } = step.spec
  if (block === 'none' || !isStoppable(step)) {
    return passIntent(step, outcome, facts, ['ask'], unstoppableMessage(step, outcome, facts))
  }
  // The host is about to ask a person anyway.
  if (ask === 'prompting') return passIntent(step, outcome, facts, [], askMessage(step, outcome, facts))
  if (ask === 'prompt' && step.canPrompt) {
    return { kind: 'ask', message: askMessage(step, outcome, facts), endsTurn: false, unsupported: [] }
  }
  return denial(blockMessage(step, outcome, facts), false)
}

function editIntent(step: HostStep, outcome: Outcome, facts: ReplyFacts): Intent {
  const changed = changedFields(step, outcome)
  const [field] = changed
  if (field === undefined) return passIntent(step, outcome, facts, [])
  if (field === 'config') return spawnIntent(step, outcome, facts)
  const { [field]: edited } = outcome.data as Readonly<Record<string, unknown>>
  if (!canEdit(step, field, edited)) return instead(step, outcome, facts, field, correctedText(step, outcome, facts))
  const edit = { field: field as EditField, value: hostForm(step, outcome, field) }
  return { ...passIntent(step, outcome, facts, []), edit }
}

// The engine has stopped an action whose change the host cannot make.
function correction(step: HostStep, outcome: Outcome, facts: ReplyFacts): Intent {
  return denial(correctedText(step, outcome, facts), outcome.control === 'break')
}

function correctedText(step: HostStep, outcome: Outcome, facts: ReplyFacts): string {
  const [field = 'args'] = changedFields(step, outcome)
  const what = field === 'args' ? 'call' : field === 'prompt' ? 'message' : field
  return correctionMessage(what, hostForm(step, outcome, field), outcome, facts)
}

// An agent's prompt is out of reach once it starts: what a hook put into it is given as context, where that arrives.
function spawnIntent(step: HostStep, outcome: Outcome, facts: ReplyFacts): Intent {
  const { config } = outcome.data as { readonly config?: unknown }
  const prompt = isRecord(config) ? config.prompt : undefined
  if (!step.spec.context || typeof prompt !== 'string') return passIntent(step, outcome, facts, ['config'])
  const given = outcome.metadata.additionalContext
  const additionalContext = [...(Array.isArray(given) ? given : []), prompt]
  return passIntent(step, { ...outcome, metadata: { ...outcome.metadata, additionalContext } }, facts, [])
}

// What cannot be done is denied with the message where the action can still be stopped, and told to the user elsewhere.
function instead(step: HostStep, outcome: Outcome, facts: ReplyFacts, what: string, message: string): Intent {
  if (step.spec.block !== 'none' && isStoppable(step)) return denial(message, false)
  return passIntent(step, outcome, facts, [what], message)
}

function answerText(outcome: Outcome, facts: ReplyFacts): string {
  return answerMessage(outcome.answer?.result, outcome, facts)
}

function denial(message: string, endsTurn: boolean): Intent {
  return { kind: 'deny', message, endsTurn, unsupported: [] }
}

// Where text in the agent's context is advice on an action; at a turn's end it could make the agent continue.
const ADVISED: readonly PointName[] = ['pre:tool', 'post:tool', 'post:tool:failure', 'pre:message']

function passIntent(
  step: HostStep,
  outcome: Outcome,
  facts: ReplyFacts,
  unsupported: readonly string[],
  extraNotice?: string,
): Intent {
  const context = contextText(outcome)
  // One notice for one action: the advice of hooks would say the same again.
  const notice = extraNotice ?? noticeMessage(step, outcome, facts)
  const advice = ADVISED.includes(step.point) ? (extraNotice ?? findAdvice(step, outcome, facts)) : undefined
  const missing = [...unsupported]
  if (context !== undefined && !step.spec.context) missing.push('context')
  if (notice !== undefined && !step.spec.notice) missing.push('notice')
  const texts = [context, advice].filter((text) => text !== undefined)
  return {
    kind: 'pass',
    message: '',
    context: step.spec.context && texts.length > 0 ? texts.join('\n') : undefined,
    notice: step.spec.notice ? notice : undefined,
    isAllowed: facts.yes !== undefined && step.spec.permission !== undefined && step.spec.permission !== 'refused',
    reviewed: step.spec.reviewer === true ? facts.reviewed : undefined,
    endsTurn: false,
    unsupported: missing,
  }
}

// The user got the advice before the tool ran.
function findAdvice(step: HostStep, outcome: Outcome, { before }: ReplyFacts): string | undefined {
  return adviceMessage(step, outcome) ?? (before === undefined ? undefined : adviceMessage(step, before))
}

function changedFields(step: HostStep, outcome: Outcome): string[] {
  if (outcome.data === step.data || !isRecord(outcome.data)) return []
  const spec: PointSpec = POINTS[step.point]
  const data: Readonly<Record<string, unknown>> = outcome.data
  // A host may take the answer at a turn's end, which is a field of another point.
  const fields = new Set([...spec.modify, ...step.spec.edits])
  return [...fields].filter((field) => !isSame(data[field], step.data[field]))
}

// Too deep to compare is not the same.
function isSame(a: unknown, b: unknown): boolean {
  if (a === b) return true
  try {
    return isDeepStrictEqual(a, b)
  } catch {
    return false
  }
}

function hostForm(step: HostStep, outcome: Outcome, field: string): unknown {
  const value = (outcome.data as Readonly<Record<string, unknown>>)[field]
  if (field !== 'args' || step.hostArgs === undefined || !isRecord(value)) return value
  return restoreArgs(String(step.data.tool), step.hostArgs, value)
}

/** No reply: the host continues by its own rules. */
export const SILENCE: HostReply = { stdout: '', stderr: '', exitCode: 0, unsupported: [] }

/** A reply with JSON on stdout; nothing there when the object is empty. */
export function jsonReply(json: object, rest: Partial<HostReply> = {}): HostReply {
  const stdout = Object.keys(json).length === 0 ? '' : `${JSON.stringify(json)}\n`
  return { ...SILENCE, stdout, ...rest }
}
