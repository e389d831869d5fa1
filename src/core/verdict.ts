// What a hook may answer, in every accepted form, and the one place that reads it.
// Reading never throws and never guesses: what is not a verdict is a Failure. What a failure means is degradation.ts.

import { Failure } from './degradation.ts'
import { clip, show } from './errors.ts'
import { copyPlain, frozenCopy, isRecord, MAX_VERDICT_VALUES, mergePlain, TooLarge } from './plain-data.ts'
import type { AnswerOf, EditOf, PointSpec } from './points.ts'

/** The decisions, weakest first. */
export const DECISIONS = ['pass', 'flag', 'ask', 'block'] as const

/** `pass < flag < ask < block`; `ask` holds the action for a human, and unanswered means block. */
export type Decision = (typeof DECISIONS)[number]

/** The strength of a decision, for comparing. */
export const DECISION_RANK: Readonly<Record<Decision, number>> = { pass: 0, flag: 1, ask: 2, block: 3 }

/** The controls of verdict JSON and the decision each stands for; what a block then means is the point's. */
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
} & { readonly [A in AnswerOf<Spec>]?: unknown }

/** A verdict as the engine works with it, whatever form it came in. */
export interface Verdict {
  readonly decision: Decision
  readonly reason?: string | undefined
  readonly suggestion?: string | undefined
  /** Only fields that the point lets hooks change. */
  readonly edit?: Readonly<Record<string, unknown>> | undefined
  readonly metadata?: Readonly<Record<string, unknown>> | undefined
  /** Texts for the agent's context. */
  readonly context?: readonly string[] | undefined
  /** The answer that stands for the action. */
  readonly answer?: Answer | undefined
  /** `break`: the whole turn is to end, not only this action. */
  readonly endsTurn?: boolean | undefined
  readonly stopReason?: string | undefined
  /** What was given but does not apply here, and why. */
  readonly dropped?: readonly Dropped[] | undefined
}

/** A result given in place of the action's own. */
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
export const PASS: Verdict = Object.freeze({ decision: 'pass' })

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
  if (!isRecord(facts)) return invalid(`inject gave ${show(facts)}`)
  const copied = frozenCopy(facts, MAX_VERDICT_VALUES)
  const metadata = verdict.metadata === undefined ? copied : mergePlain(verdict.metadata, copied)
  return { ...verdict, metadata }
}

/** One line about something that was thrown. Never throws itself. */
export function describe(thrown: unknown): string {
  try {
    if (thrown instanceof Error) return clip(`${thrown.name}: ${thrown.message}`, MAX_TEXT)
    return clip(String(thrown), MAX_TEXT)
  } catch {
    return 'something that cannot be shown'
  }
}

const MAX_TEXT = 4_000
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
    const control = this.#readControl()
    this.#decision = this.#readDecision(control)
    const endsTurn = control === 'break' ? true : undefined
    try {
      return this.#readRest(endsTurn)
    } catch (error) {
      if (!this.#isStrong()) throw error
      return { decision: this.#decision, endsTurn, dropped: [{ field: 'the rest', why: describe(error) }] }
    }
  }

  #readRest(endsTurn: true | undefined): Verdict {
    const edit = this.#readEdit()
    const verdict: Verdict = {
      decision: this.#decision,
      reason: this.#readText('reason'),
      suggestion: this.#readText('suggestion'),
      edit,
      metadata: this.#readMetadata(),
      context: this.#readContext(),
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

  // The strongest of what the forms say, so that { decision: 'flag', abort: true } is a block.
  #readDecision(control: Control | undefined): Decision {
    const said: Decision[] = [this.#readDecisionWord(), this.#readAbort() ? 'block' : 'pass']
    if (control !== undefined) said.push(this.#decisionOf(control))
    return said.reduce((a, b) => (DECISION_RANK[b] > DECISION_RANK[a] ? b : a))
  }

  // At a turn's end `continue` is the intervention: the turn must not end yet.
  #decisionOf(control: Control): Decision {
    return control === 'continue' && this.#spec.blockMeans === 'continue' ? 'block' : CONTROLS[control]
  }

  #readDecisionWord(): Decision {
    const decision = this.#get('decision')
    if (decision === undefined || decision === null) return 'pass'
    if (typeof decision === 'string' && Object.hasOwn(DECISION_RANK, decision)) return decision as Decision
    throw new Unreadable(`decision must be ${DECISIONS.join(', ')}, not ${show(decision)}`)
  }

  #readAbort(): boolean {
    const abort = this.#get('abort')
    if (abort === undefined || abort === null || typeof abort === 'boolean') return abort === true
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
    if (isRecord(metadata)) return frozenCopy(metadata, MAX_VERDICT_VALUES)
    return this.#malformed('metadata', `must be an object, not ${show(metadata)}`)
  }

  #readContext(): readonly string[] | undefined {
    const context = this.#get('additional_context')
    if (context === undefined || context === null) return undefined
    const isTexts = Array.isArray(context) && context.every((text) => typeof text === 'string')
    if (isTexts) return frozenCopy(context as string[], MAX_VERDICT_VALUES)
    return this.#malformed('additional_context', `must be a list of texts, not ${show(context)}`)
  }

  #readAnswer(): Answer | undefined {
    const field = this.#spec.answer
    if (field === undefined) return undefined
    const result = this.#get(field)
    const isError = this.#get('is_error') === true
    return result === undefined ? undefined : { result: copyPlain(result, MAX_VERDICT_VALUES), isError }
  }

  // Edits come as { modify: { field } } or, in verdict JSON, as the step's own fields at the top.
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
      this.#collect(edit, key, this.#source[key])
    }
  }

  #collect(edit: Record<string, unknown>, key: string, value: unknown): void {
    if (value === undefined) return
    const field = this.#editable(key)
    if (field !== undefined) edit[field] = copyPlain(value, MAX_VERDICT_VALUES)
    else this.#drop(key, 'cannot be modified at this point')
  }

  #editable(key: string): string | undefined {
    const { fieldAliases, modify } = this.#spec
    const field = fieldAliases !== undefined && Object.hasOwn(fieldAliases, key) ? fieldAliases[key] : key
    return field !== undefined && modify.includes(field) ? field : undefined
  }

  #malformed(field: string, why: string): undefined {
    if (!this.#isStrong()) throw new Unreadable(`${field} ${why}`)
    this.#drop(field, why)
    return undefined
  }

  #isStrong(): boolean {
    return DECISION_RANK[this.#decision] >= DECISION_RANK.ask
  }

  #drop(field: string, why: string): void {
    if (this.#dropped.length < MAX_DROPPED) this.#dropped.push({ field: clip(field, 100), why })
  }
}

// `{}` says nothing and passes; an Error, a Map or a Date that somebody returned is not a verdict.
function isEmptyRecord(value: object): boolean {
  const prototype = Object.getPrototypeOf(value)
  return Object.keys(value).length === 0 && (prototype === Object.prototype || prototype === null)
}
