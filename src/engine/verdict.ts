// What a hook may answer, in every accepted form, and the one place that reads it.
// Reading never throws and never guesses: what is not a verdict is a Failure. What a failure means is degradation.ts.

import { DECISION_RANK, DECISIONS, type Decision, isStrong, strongest } from './decision.ts'
import { Failure } from './degradation.ts'
import { clip, describe, MAX_TEXT, show } from './errors.ts'
import {
  copyPlain,
  frozenCopy,
  frozenFields,
  isEmptyRecord,
  isRecord,
  isTextList,
  mergePlain,
  TooLarge,
  VERDICT_LIMITS,
} from './plain-data.ts'
import type { AnswerOf, EditOf, PointSpec } from './points.ts'

export { DECISION_RANK, DECISIONS, type Decision } from './decision.ts'

/** The controls of verdict JSON and the decision of each; the point defines the meaning of a block. */
export const CONTROLS = {
  proceed: 'pass',
  continue: 'pass',
  skip: 'block',
  veto: 'block',
  break: 'block',
} as const satisfies Record<string, Decision>

type Control = keyof typeof CONTROLS

/** What a handler may return at a point. Nothing means pass. */
// biome-ignore lint/suspicious/noConfusingVoidType: a handler that returns nothing has the type void
export type HandlerResult<Spec = PointSpec> = Decision | VerdictObject<Spec> | Failure | null | undefined | void

/** A verdict with content: `{ decision }`, `{ abort }`, `{ modify }` or verdict JSON with `control`. */
export type VerdictObject<Spec = PointSpec> = {
  readonly decision?: Decision
  readonly abort?: boolean
  readonly control?: Control | null
  readonly reason?: string
  /** What to do instead; shown to the user, and to the agent in its denial. */
  readonly suggestion?: string
  readonly modify?: EditOf<Spec>
  readonly metadata?: Readonly<Record<string, unknown>>
  readonly additional_context?: readonly string[]
  readonly stop_reason?: string
  readonly is_error?: boolean
} & AnswerField<AnswerOf<Spec>>

// Not an empty object where there is no answer: joined with one, any promise would count as a verdict.
type AnswerField<Field extends string> = [Field] extends [never] ? unknown : { readonly [F in Field]?: unknown }

/** A verdict in the one form that the engine uses. */
export interface Verdict {
  readonly decision: Decision
  readonly reason?: string | undefined
  readonly suggestion?: string | undefined
  /** Only fields that the point lets hooks change. */
  readonly edit?: Readonly<Record<string, unknown>> | undefined
  readonly metadata?: Readonly<Record<string, unknown>> | undefined
  /** Texts for the agent's context. */
  readonly context?: readonly string[] | undefined
  /** The answer to use instead of the action's. */
  readonly answer?: Answer | undefined
  /** `break`: the whole turn is to end, not only this action. */
  readonly endsTurn?: boolean | undefined
  readonly stopReason?: string | undefined
  /** What was given but does not apply here, and why. */
  readonly dropped?: readonly Dropped[] | undefined
}

/** A result given instead of the action's own. */
export interface Answer {
  readonly result: unknown
  readonly isError: boolean
}

/** A part of a verdict that was not used. */
export interface Dropped {
  readonly field: string
  readonly why: string
}

/** The verdict of a hook that has nothing to say. */
const PASS: Verdict = Object.freeze({ decision: 'pass' })

/** Reads what a hook answered. Total: hostile objects, huge ones and nonsense give a Failure, never an exception. */
export function readVerdict(answer: unknown, spec: PointSpec): Verdict | Failure {
  if (answer === undefined || answer === null) return PASS
  if (typeof answer === 'string') return readWord(answer)
  try {
    if (answer instanceof Failure) return answer
    if (answer instanceof VerdictWithFacts) return addFacts(readVerdict(answer.verdict, spec), answer.facts)
    return isRecord(answer) ? new VerdictReader(answer, spec).read() : invalid(`got ${show(answer)}`)
  } catch (error) {
    if (error instanceof Unreadable) return invalid(error.message)
    if (error instanceof TooLarge) return new Failure('output-limit', `the verdict is too large: ${error.message}`)
    return invalid(`reading it threw: ${describe(error)}`)
  }
}

/** A verdict together with the facts that a hook's `inject` found. */
export class VerdictWithFacts {
  readonly verdict: unknown
  readonly facts: unknown

  constructor(verdict: unknown, facts: unknown) {
    this.verdict = verdict
    this.facts = facts
  }
}

function addFacts(verdict: Verdict | Failure, facts: unknown): Verdict | Failure {
  if (verdict instanceof Failure || facts === undefined || facts === null) return verdict
  try {
    if (facts instanceof Failure) throw facts
    if (!isRecord(facts)) throw new Unreadable(`inject gave ${show(facts)}`)
    const copied = frozenFields(facts, VERDICT_LIMITS)
    const metadata = verdict.metadata === undefined ? copied : Object.freeze(mergePlain(verdict.metadata, copied))
    return { ...verdict, metadata }
  } catch (error) {
    if (isStrong(verdict.decision)) return { ...verdict, dropped: [...(verdict.dropped ?? []), withoutFacts(error)] }
    if (error instanceof Failure) return error
    throw error
  }
}

function withoutFacts(error: unknown): Dropped {
  return { field: 'inject', why: error instanceof Failure ? error.message : describe(error) }
}

const MAX_DROPPED = 20
const WORDS: Readonly<Record<string, Verdict>> = Object.fromEntries(
  DECISIONS.map((decision) => [decision, Object.freeze({ decision })]),
)

class Unreadable extends Error {}

function readWord(word: string): Verdict | Failure {
  const verdict = Object.hasOwn(WORDS, word) ? WORDS[word] : undefined
  return verdict ?? invalid(`got the text ${show(word)}`)
}

function invalid(what: string): Failure {
  return new Failure('invalid-output', `not a verdict: ${what}; expected ${DECISIONS.join(', ')} or a verdict object`)
}

// The keys of every form; the point adds its own fields.
const KNOWN = new Set(
  'decision abort control reason suggestion modify metadata additional_context stop_reason is_error'.split(' '),
)

// Reads one verdict object, the decision first: a clear hold or block is never lost because something beside it
// is malformed; that is dropped and recorded.
class VerdictReader {
  readonly #source: Readonly<Record<string, unknown>>
  readonly #spec: PointSpec
  readonly #dropped: Dropped[] = []
  #decision: Decision = 'pass'
  #isKnown = false

  constructor(source: Readonly<Record<string, unknown>>, spec: PointSpec) {
    this.#source = source
    this.#spec = spec
  }

  read(): Verdict {
    const endsTurn = this.#settleDecision() === 'break' ? true : undefined
    try {
      return this.#readRest(endsTurn)
    } catch (error) {
      if (!isStrong(this.#decision)) throw error
      this.#drop('the rest', describe(error))
      const reason = orNothing(() => this.#readText('reason'))
      const suggestion = orNothing(() => this.#readText('suggestion'))
      return { decision: this.#decision, reason, suggestion, endsTurn, dropped: this.#dropped }
    }
  }

  // The strongest of what the forms say, so that { decision: 'flag', abort: true } is a block.
  #settleDecision(): Control | undefined {
    try {
      const control = this.#readControl()
      this.#decision = strongest(this.#decisionOf(control), this.#readDecisionWord(), this.#readAbort())
      return control
    } catch (error) {
      return this.#salvageDecision(error)
    }
  }

  // One of the forms is malformed: what another clearly says still holds.
  #salvageDecision(error: unknown): Control | undefined {
    const control = orNothing(() => this.#readControl())
    const word = orNothing(() => this.#readDecisionWord()) ?? 'pass'
    this.#decision = strongest(this.#decisionOf(control), word, orNothing(() => this.#readAbort()) ?? 'pass')
    if (!isStrong(this.#decision)) throw error
    this.#drop('decision', describe(error))
    return control
  }

  #readRest(endsTurn: true | undefined): Verdict {
    const edit = this.#readEdit()
    const context = this.#readContext()
    const verdict: Verdict = {
      decision: this.#decision,
      reason: this.#readText('reason') ?? this.#reasonIn(context),
      suggestion: this.#readText('suggestion'),
      edit,
      metadata: this.#readMetadata(),
      context,
      answer: this.#readAnswer(),
      endsTurn,
      stopReason: this.#readText('stop_reason'),
      dropped: this.#dropped.length > 0 ? this.#dropped : undefined,
    }
    if (!this.#isKnown && !isEmptyRecord(this.#source)) {
      throw new Unreadable(`got an object with the fields ${show(Object.keys(this.#source))}`)
    }
    return verdict
  }

  #get(key: string): unknown {
    const value = this.#source[key]
    if (value !== undefined) this.#isKnown = true
    return value
  }

  #readControl(): Control | undefined {
    const control = this.#get('control')
    if (control === null && 'control' in this.#source) this.#isKnown = true
    if (control === undefined || control === null) return undefined
    if (typeof control === 'string' && Object.hasOwn(CONTROLS, control)) return control as Control
    throw new Unreadable(`control must be null, ${Object.keys(CONTROLS).join(', ')}, not ${show(control)}`)
  }

  // At a turn's end `continue` is the intervention: the turn must not end yet.
  #decisionOf(control: Control | undefined): Decision {
    if (control === undefined) return 'pass'
    return control === 'continue' && this.#spec.blockMeans === 'continue' ? 'block' : CONTROLS[control]
  }

  #readDecisionWord(): Decision {
    const decision = this.#get('decision')
    if (decision === undefined || decision === null) return 'pass'
    if (typeof decision === 'string' && Object.hasOwn(DECISION_RANK, decision)) return decision as Decision
    throw new Unreadable(`decision must be ${DECISIONS.join(', ')}, not ${show(decision)}`)
  }

  #readAbort(): Decision {
    const abort = this.#get('abort')
    if (abort === undefined || abort === null || typeof abort === 'boolean') return abort === true ? 'block' : 'pass'
    throw new Unreadable(`abort must be true or false, not ${show(abort)}`)
  }

  #readText(key: string): string | undefined {
    const text = this.#get(key)
    if (text === undefined || text === null) return undefined
    if (typeof text === 'string') return clip(text, MAX_TEXT)
    return this.#malformed(key, `must be a text, not ${show(text)}`)
  }

  #readMetadata(): Readonly<Record<string, unknown>> | undefined {
    const metadata = this.#get('metadata')
    if (metadata === undefined || metadata === null) return undefined
    if (isRecord(metadata)) return frozenFields(metadata, VERDICT_LIMITS)
    return this.#malformed('metadata', `must be an object, not ${show(metadata)}`)
  }

  #readContext(): readonly string[] | undefined {
    const context = this.#get('additional_context')
    if (context === undefined || context === null) return undefined
    if (isTextList(context, VERDICT_LIMITS)) return frozenCopy(context, VERDICT_LIMITS)
    return this.#malformed('additional_context', `must be a list of texts, not ${show(context)}`)
  }

  // Verdict JSON says why in its texts for the agent: `{ control: 'veto', additional_context: ['run the tests'] }`.
  #reasonIn(context: readonly string[] | undefined): string | undefined {
    return context === undefined || this.#decision === 'pass' ? undefined : clip(context.join('\n'), MAX_TEXT)
  }

  #readAnswer(): Answer | undefined {
    const field = this.#spec.answer
    if (field === undefined) return undefined
    const result = this.#get(field)
    const isError = this.#get('is_error') ?? false
    if (typeof isError !== 'boolean') return this.#malformed('is_error', `must be true or false, not ${show(isError)}`)
    if (result === undefined || result === null) return undefined
    return { result: copyPlain(result, VERDICT_LIMITS), isError }
  }

  // Edits come as { modify: { field } } or, in verdict JSON, as the step's own fields at the top. There, null means
  // that the field is not given: programs that write every field of a record write null for those they do not set.
  #readEdit(): Readonly<Record<string, unknown>> | undefined {
    const edit: Record<string, unknown> = {}
    this.#collectTopFields(edit)
    const modify = this.#get('modify')
    if (isRecord(modify)) {
      for (const field of Object.keys(modify)) this.#collect(edit, field, modify[field])
    } else if (modify !== undefined && modify !== null) {
      this.#malformed('modify', `must be an object of fields, not ${show(modify)}`)
    }
    return Object.keys(edit).length > 0 ? edit : undefined
  }

  #collectTopFields(edit: Record<string, unknown>): void {
    for (const key of Object.keys(this.#source)) {
      if (KNOWN.has(key) || key === this.#spec.answer) continue
      if (this.#editable(key) !== undefined) this.#isKnown = true
      this.#collect(edit, key, this.#source[key] ?? undefined)
    }
  }

  #collect(edit: Record<string, unknown>, key: string, value: unknown): void {
    if (value === undefined) return
    const field = this.#editable(key)
    if (field !== undefined) edit[field] = copyPlain(value, VERDICT_LIMITS)
    else this.#drop(key, 'cannot be modified at this point')
  }

  #editable(key: string): string | undefined {
    const { fieldAliases, modify } = this.#spec
    const field = fieldAliases !== undefined && Object.hasOwn(fieldAliases, key) ? fieldAliases[key] : key
    return field !== undefined && modify.includes(field) ? field : undefined
  }

  #malformed(field: string, why: string): undefined {
    if (!isStrong(this.#decision)) throw new Unreadable(`${field} ${why}`)
    this.#drop(field, why)
    return undefined
  }

  #drop(field: string, why: string): void {
    if (this.#dropped.length < MAX_DROPPED) this.#dropped.push({ field: clip(field, 100), why })
  }
}

// For what is known to be malformed in part, after the complaint about it has been kept.
function orNothing<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}
