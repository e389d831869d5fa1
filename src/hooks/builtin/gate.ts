// The supervision gate: rules that allow or block by pattern, and a reviewer for substantive output. At the end of a turn
// a block makes the agent continue, at most `maxContinues` times per turn.
// The rules are deterministic, so the hook is critical. The reviewer can fail, so the gate itself checks the breaker:
// while it is open, the verdict of the reviewer is only recorded.

import { createHash } from 'node:crypto'
import type { Decision } from '../../engine/decision.ts'
import { Failure } from '../../engine/degradation.ts'
import { ArcError, rejectUnknownOptions, show } from '../../engine/errors.ts'
import type { TextTest } from '../../engine/glob.ts'
import { crash, isThenable, type RunContext } from '../../engine/hook.ts'
import type { RegexCompiler } from '../../engine/matcher.ts'
import { lowerMode, type Mode } from '../../engine/mode.ts'
import { isRecord } from '../../engine/plain-data.ts'
import { POINTS } from '../../engine/points.ts'
import { readVerdict, type VerdictObject } from '../../engine/verdict.ts'
import { MemoryStateStore } from '../../storage/memory/state-store.ts'
import type { StateStore } from '../../storage/ports.ts'
import { SESSION_TTL_MS, turnKey, update } from '../../storage/state.ts'
import { type GateSubject, readGateSubject } from './gate-subject.ts'
import { limitContinues } from './turn-limit.ts'

/** The actions of rules, in upper or lower case. */
const ACTIONS = { ALLOW: 'pass', FLAG: 'flag', ASK: 'ask', BLOCK: 'block' } as const

export type GateAction = keyof typeof ACTIONS | Lowercase<keyof typeof ACTIONS>

/** One rule; the first rule with a match decides. */
export interface GateRule {
  /** A regular expression, or a literal text; a text of the form `/…/i` is an expression too. */
  readonly pattern: RegExp | string
  readonly action: GateAction
  readonly reason?: string | undefined
}

/** Reviews an answer: `ALLOW`, `BLOCK: reason`, or a verdict. */
export type Reviewer = (step: unknown, run: RunContext) => unknown

export interface GateOptions {
  readonly rules?: readonly GateRule[]
  readonly reviewer?: Reviewer
  /** Review only answers that report changes; default true. */
  readonly onlySubstantive?: boolean
  /** How often one turn may be made to continue; default 3. */
  readonly maxContinues?: number
  /** Where turns are counted; in memory by default. */
  readonly state?: StateStore
  /** Whether the turn did more than read, by other knowledge than the answer. */
  readonly isSubstantive?: (step: unknown) => boolean
  readonly regex?: RegexCompiler
  /** The maximum mode of the reviewer: from a breaker. Does not apply to the rules. */
  readonly maxMode?: () => Mode
}

const OPTIONS = [
  ...['rules', 'reviewer', 'onlySubstantive', 'maxContinues', 'state', 'isSubstantive', 'regex', 'maxMode'],
] as const

export const GATE_POINTS = [
  ...['pre:message', 'pre:tool', 'pre:agent:spawn', 'pre:launch', 'post:message', 'pre:turn:end'],
] as const

/** The verdict of a gate. */
type GateVerdict = Decision | Pick<VerdictObject, 'decision' | 'reason' | 'metadata'> | Failure | undefined

/** A gate as a hook, for an engine or a bus. */
export interface SupervisionGate {
  readonly name: string
  readonly priority: number
  readonly points: (typeof GATE_POINTS)[number][]
  readonly critical: boolean
  check(step: unknown, run: RunContext): GateVerdict | PromiseLike<GateVerdict>
}

/**
 * Creates a supervision gate; register it on an engine or a bus.
 * @example
 * const gate = createSupervisionGate({ rules: [{ pattern: /npm publish/, action: 'BLOCK' }] })
 * engine.register(gate)
 */
export function createSupervisionGate(options: GateOptions): SupervisionGate {
  rejectUnknownOptions(options, OPTIONS, 'createSupervisionGate')
  const gate = new Gate(options)
  return {
    name: 'supervision-gate',
    priority: 92,
    points: [...GATE_POINTS],
    critical: true,
    check: (step, run) => gate.check(step, run) as GateVerdict,
  }
}

interface CompiledRule {
  readonly test: TextTest
  readonly decision: (typeof ACTIONS)[keyof typeof ACTIONS]
  readonly reason: string
  /** The pattern as it is written. */
  readonly shown: string
}

/** The stored state of a turn. */
interface TurnRecord {
  readonly continues: number
  readonly review?: { readonly of: string; readonly verdict: VerdictObject }
}

/** The gate itself. */
class Gate {
  readonly #rules: readonly CompiledRule[]
  readonly #options: GateOptions
  readonly #state: StateStore
  readonly #maxContinues: number

  constructor(options: GateOptions) {
    const { rules = [], state = new MemoryStateStore(), maxContinues = 3, regex = plainRegex } = options
    if (!Array.isArray(rules)) throw invalid('rules', 'a list of { pattern, action }', rules)
    if (!Number.isInteger(maxContinues) || maxContinues < 0)
      throw invalid('maxContinues', 'a whole number', maxContinues)
    this.#rules = rules.map((rule) => compileRule(rule, regex))
    this.#options = options
    this.#state = state
    this.#maxContinues = maxContinues
  }

  check(step: unknown, run: RunContext): unknown {
    const subject = readGateSubject(step)
    // Where the host has no turn ids, a message starts a new turn.
    if (subject.point === 'pre:message' && subject.turn === undefined) this.#resetTurn(subject)
    const rule = this.#rules.find(({ test }) => test(subject.text))
    if (rule !== undefined) return this.#applyLimit(subject, toVerdict(rule))
    if (!this.#mustReview(subject, step)) return this.#canReview(subject) ? NOT_REVIEWED : undefined
    const isLowered = this.#isLowered(run)
    const finish = (verdict: unknown): unknown =>
      this.#applyLimit(subject, isLowered ? lower(verdict as VerdictObject | Failure) : verdict)
    const reviewed = this.#review(subject, step, run)
    return isThenable(reviewed) ? Promise.resolve(reviewed).then(finish) : finish(reviewed)
  }

  // A breaker that fails lowers nothing.
  #isLowered({ mode }: RunContext): boolean {
    const { maxMode } = this.#options
    try {
      return maxMode !== undefined && lowerMode(mode, maxMode()) !== mode
    } catch {
      return false
    }
  }

  #canReview({ output }: GateSubject): boolean {
    return this.#options.reviewer !== undefined && output !== undefined
  }

  #mustReview(subject: GateSubject, step: unknown): boolean {
    if (!this.#canReview(subject)) return false
    const { onlySubstantive = true, isSubstantive } = this.#options
    const { output = '', hasToolCalls } = subject
    return !onlySubstantive || hasToolCalls || SUBSTANTIVE.test(output) || isSubstantive?.(step) === true
  }

  // Some hosts report an answer and the end of its turn with the same text: it is reviewed once.
  #review(subject: GateSubject, step: unknown, run: RunContext): unknown {
    const of = createHash('sha256')
      .update(subject.output ?? '')
      .digest('base64url')
    const earlier = this.#readTurn(subject)?.review
    if (earlier?.of === of) return earlier.verdict
    const answer = this.#callReviewer(step, run)
    const store = (given: unknown): VerdictObject | Failure => {
      const verdict = readReview(given)
      if (!(verdict instanceof Failure)) this.#updateTurn(subject, (turn) => ({ ...turn, review: { of, verdict } }))
      return verdict
    }
    return isThenable(answer) ? Promise.resolve(answer).then(store, (error) => store(crash(error))) : store(answer)
  }

  // Errors of the reviewer are caught here and not by the engine, because they count towards the limit.
  #callReviewer(step: unknown, run: RunContext): unknown {
    try {
      return this.#options.reviewer?.(step, run)
    } catch (error) {
      return crash(error)
    }
  }

  // A failing reviewer counts towards the limit too: it must not keep a turn open forever.
  #applyLimit(subject: GateSubject, verdict: unknown): unknown {
    const isStopping = verdict instanceof Failure || (isRecord(verdict) && STOPPING.has(String(verdict.decision)))
    if (subject.point !== 'pre:turn:end' || !isStopping) return verdict
    const why = verdict instanceof Failure ? verdict.message : String((verdict as VerdictObject).reason)
    const { continues } = subject
    const turn = { state: this.#state, key: buildTurnKey(subject), initial: {}, continues, max: this.#maxContinues }
    const released = limitContinues(turn, why)
    if (released === undefined) return verdict
    return { ...released, metadata: { ...buildGateMetadata('BLOCK', why), ...released.metadata } }
  }

  #readTurn(subject: GateSubject): TurnRecord | undefined {
    const key = buildTurnKey(subject)
    return key === undefined ? undefined : (this.#state.get(key)?.value as TurnRecord | undefined)
  }

  #updateTurn(subject: GateSubject, change: (turn: TurnRecord) => TurnRecord): void {
    const key = buildTurnKey(subject)
    if (key === undefined) return
    update<TurnRecord>(this.#state, key, (turn) => change(turn ?? { continues: 0 }), SESSION_TTL_MS)
  }

  #resetTurn(subject: GateSubject): void {
    if (this.#readTurn(subject) !== undefined) this.#updateTurn(subject, () => ({ continues: 0 }))
  }
}

const STOPPING: ReadonlySet<string> = new Set(['ask', 'block'])
// Set where the reviewer was not asked: the breaker must not count that as a success.
const NOT_REVIEWED: VerdictObject = { decision: 'pass', metadata: { gateReviewed: false } }

// The verdict of a reviewer while the breaker is open: as in `log`, recorded and not applied.
function lower(verdict: VerdictObject | Failure): VerdictObject {
  const because = 'recorded only, because the breaker is open'
  if (verdict instanceof Failure) {
    const metadata = { gateReviewed: false, gateLowered: true }
    return { decision: 'flag', reason: `the reviewer failed (${verdict.message}); ${because}`, metadata }
  }
  if (!STOPPING.has(String(verdict.decision))) return verdict
  const metadata = { ...verdict.metadata, gateLowered: true }
  return { ...verdict, decision: 'flag', reason: `${verdict.reason ?? 'the reviewer objects'}; ${because}`, metadata }
}

const SUBSTANTIVE = /created file|modified|wrote to|deleted/i

/** Reads the answer of a reviewer: ALLOW or BLOCK on the first line, or a verdict. Anything else is a failure, never consent. */
export function readReview(given: unknown): VerdictObject | Failure {
  if (given instanceof Failure) return given
  if (isRecord(given)) return readVerdictObject(given)
  if (given === 'pass') return { decision: 'pass', metadata: buildGateMetadata('ALLOW', undefined) }
  const first = typeof given === 'string' ? (given.trim().split(/\r?\n/, 1)[0] ?? '') : ''
  const read = /^(ALLOW|BLOCK)(?:$|\s*[:—–-]\s*(.*)$|\s+(.*)$)/i.exec(first)
  if (read === null) {
    return new Failure('invalid-output', `the reviewer must answer ALLOW or BLOCK: reason, not ${show(given)}`)
  }
  const word = (read[1] ?? '').toUpperCase() as 'ALLOW' | 'BLOCK'
  const why = (read[2] ?? read[3] ?? '').trim() || undefined
  if (word === 'ALLOW') return { decision: 'pass', metadata: buildGateMetadata(word, why) }
  return {
    decision: 'block',
    reason: `the reviewer objects: ${why ?? 'no reason given'}`,
    metadata: buildGateMetadata(word, why),
  }
}

// A reviewer may return a verdict like any other hook, but it has to hold a decision.
function readVerdictObject(given: Readonly<Record<string, unknown>>): VerdictObject | Failure {
  if (!['decision', 'abort', 'control'].some((key) => given[key] !== undefined)) {
    return new Failure('invalid-output', `the verdict of the reviewer must have a decision, not ${show(given)}`)
  }
  const read = readVerdict(given, POINTS['pre:turn:end'])
  if (read instanceof Failure) return read
  const { decision, reason, metadata } = read
  const facts = { ...metadata, ...buildGateMetadata(STOPPING.has(decision) ? 'BLOCK' : 'ALLOW', reason) }
  return { decision, metadata: facts, ...(reason !== undefined && { reason }) }
}

function toVerdict({ decision, reason, shown }: CompiledRule): VerdictObject {
  const word = decision === 'pass' ? 'ALLOW' : 'BLOCK'
  const gate = buildGateMetadata(decision === 'flag' ? 'ALLOW' : word, reason)
  const metadata = { ...gate, gateReviewed: false, gateRule: shown }
  return decision === 'pass' ? { decision, metadata } : { decision, reason, metadata }
}

function buildGateMetadata(
  gateDecision: 'ALLOW' | 'BLOCK',
  gateReason: string | undefined,
): Readonly<Record<string, unknown>> {
  return { gateDecision, gateReason, gateReviewed: true }
}

function compileRule(rule: GateRule, regex: RegexCompiler): CompiledRule {
  if (!isRecord(rule)) throw invalid('rules', 'a list of { pattern, action }', rule)
  const { pattern, action } = rule
  const name = String(action).toUpperCase()
  if (!Object.hasOwn(ACTIONS, name)) throw invalid('action', Object.keys(ACTIONS).join(', '), action)
  const shown = typeof pattern === 'string' ? JSON.stringify(pattern) : String(pattern)
  const reason = rule.reason ?? `${shown} is ${WORDING[name as keyof typeof ACTIONS]} by a rule of the gate`
  return { test: compilePattern(pattern, regex), decision: ACTIONS[name as keyof typeof ACTIONS], reason, shown }
}

const WORDING = { ALLOW: 'allowed', FLAG: 'flagged', ASK: 'held for approval', BLOCK: 'blocked' } as const

function compilePattern(pattern: unknown, regex: RegexCompiler): TextTest {
  if (pattern instanceof RegExp) return plainRegex(pattern.source, pattern.flags)
  if (typeof pattern !== 'string' || pattern === '') throw invalid('pattern', 'a RegExp or a text', pattern)
  const written = /^\/(.+)\/([a-z]*)$/s.exec(pattern)
  if (written === null) return (text) => text.includes(pattern)
  try {
    return regex(written[1] ?? '', written[2] ?? '')
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new ArcError('ARC_PATTERN_INVALID', `The pattern ${show(pattern)} of a gate's rule cannot be read: ${why}.`)
  }
}

// Without g and y: with them, an expression keeps its position and misses every other match.
const plainRegex: RegexCompiler = (source, flags) => {
  const own = new RegExp(source, flags.replace(/[gy]/g, ''))
  return (text) => own.test(text)
}

function buildTurnKey({ session, turn }: GateSubject): string | undefined {
  return session === undefined ? undefined : turnKey('gate', session, turn)
}

function invalid(option: string, expected: string, given: unknown): ArcError {
  return new ArcError(
    'ARC_OPTION_INVALID',
    `${option} of createSupervisionGate must be ${expected}, not ${show(given)}.`,
  )
}
