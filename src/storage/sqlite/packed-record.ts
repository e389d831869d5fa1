// The stored form of a record. A column is not repeated in the body, an evaluation does not repeat its step, and a
// default is omitted. The text that was hashed and is exported is restored from the row, and from the row of its step.
// Values of a body are copied as they are there and never parsed.

import { canonicalize } from '../../trace/canonical.ts'
import {
  type EvaluationAction,
  type EvaluationRecord,
  type EventRecord,
  readLevel,
  type StepRecord,
  type TraceRecord,
} from '../../trace/record.ts'
import { type FieldTexts, readFieldTexts } from './field-texts.ts'
import type { TraceRow } from './trace-row.ts'

// A body of an earlier version is the whole text, an object. A packed body is a list:
//   of a step or event    [seq, other fields]
//   of an evaluation      [seq, durationMs, priority], then the mode if it is not the usual one, or the mode and other fields
const USUAL_MODE = 'enforce'
const USUAL_MODE_PART = `,"mode":"${USUAL_MODE}"`
const USUAL_OUTCOME = canonicalize({ blocked: false, control: 'proceed', decision: 'pass' })
const USUAL_OUTCOME_PART = `,"outcome":${USUAL_OUTCOME}`
// The fields with a default. No other field of a column or a step may be in the list: it would hide a changed column.
const DEFAULTED = new Set(['applied', 'cause', 'level', 'outcome'])

/** The columns that a text is restored from. */
export type PackedRow = Pick<
  TraceRow,
  'kind' | 'component' | 'action' | 'decision' | 'step' | 'id' | 'time' | 'session' | 'hook' | 'body'
>

/** The fields of a step that its evaluations share, as texts. */
export type SharedTexts = Readonly<Record<(typeof SHARED)[number], string | undefined>> &
  Pick<PackedRow, 'id' | 'session'>

const SHARED = ['agent', 'host', 'point', 'profile', 'tool', 'turn'] as const

type Fields = Readonly<Record<string, unknown>>

/** The body of a record, without what the columns and its step hold. */
export function packBody(record: TraceRecord): string {
  if (record.kind === 'evaluation') return packEvaluation(record)
  return `[${record.seq},${canonicalize(record.kind === 'step' ? omitFromStep(record) : omitFromEvent(record))}]`
}

function omitFromStep(record: StepRecord): Fields {
  const { seq, kind, component, action, decision, id, time, session, level, outcome, ...fields } = record
  const isUsualLevel = level === readStepLevel(decision)
  if (canonicalize(outcome) === USUAL_OUTCOME) return isUsualLevel ? fields : sortFields({ ...fields, level })
  return sortFields(isUsualLevel ? { ...fields, outcome } : { ...fields, level, outcome })
}

function omitFromEvent({ seq, kind, component, action, id, time, session, hook, ...fields }: EventRecord): Fields {
  return fields
}

function packEvaluation(record: EvaluationRecord): string {
  const { seq, kind, component, action, decision, id, time, hook, level, step, ...notColumns } = record
  const { agent, host, point, profile, session, tool, turn, ...own } = notColumns
  const { applied, at, cause, durationMs, mode, priority, ...others } = own
  // In canonical order; undefined counts as absent.
  const fields: Fields = { applied: applied || undefined, at, cause: cause === 'policy' ? undefined : cause, ...others }
  const numbers = `${seq},${JSON.stringify(durationMs)},${JSON.stringify(priority)}`
  const isUsual = Object.values(fields).every((value) => value === undefined)
  if (!isUsual) return `[${numbers},"${mode}",${canonicalize(fields)}]`
  return mode === USUAL_MODE ? `[${numbers}]` : `[${numbers},"${mode}"]`
}

/** The path of a field of a step in its body, for SQL. */
export function stepPathSql(name: string): string {
  return `iif(substr(body, 1, 1) = '[', '$[1].${name}', '$.${name}')`
}

/** The path of the duration of an evaluation in its body, for SQL. */
export const DURATION_PATH_SQL = "iif(substr(body, 1, 1) = '[', '$[1]', '$.durationMs')"

/** Is it a body that `packBody` wrote? */
export function isPacked(body: string): boolean {
  return body.startsWith('[')
}

/** A packed body of a step or event, in texts. */
export interface PackedList {
  readonly seq: string
  readonly fields: FieldTexts
}

/** Takes a packed body of a step or event apart. Throws for others. */
export function readList(body: string): PackedList {
  const comma = body.indexOf(',')
  const seq = body.slice(1, comma)
  if (!/^\d+$/.test(seq) || !body.endsWith(']')) throw new TypeError('not a packed record')
  return { seq, fields: readFieldTexts(body.slice(comma + 1, -1)) }
}

/** What the evaluations of a packed step share. */
export function readShared({ id, session }: PackedRow, { names, values }: FieldTexts): SharedTexts {
  const find = (name: string): string | undefined => {
    const at = names.indexOf(name)
    return at < 0 ? undefined : values[at]
  }
  const [agent, host, point, profile, tool, turn] = SHARED.map(find)
  return { id, session, agent, host, point, profile, tool, turn }
}

/** The same of a step that is stored with its whole text. */
export function writeShared(step: StepRecord): SharedTexts {
  const write = (name: (typeof SHARED)[number]): string | undefined =>
    step[name] === undefined ? undefined : canonicalize(step[name])
  const [agent, host, point, profile, tool, turn] = SHARED.map(write)
  return { id: step.id, session: step.session ?? null, agent, host, point, profile, tool, turn }
}

const STEP_PARTS = ['action', 'component', 'decision', 'id', 'kind', 'level', 'outcome', 'seq', 'session', 'time']

/** The text of a step. Throws where there cannot be one. */
export function restoreStep(row: PackedRow, { seq, fields }: PackedList): string {
  const parts = [
    part('action', row.action),
    part('component', row.component),
    columnPart('decision', row.decision),
    columnPart('id', row.id),
    ',"kind":"step"',
    part('level', readStepLevel(row.decision)),
    USUAL_OUTCOME_PART,
    `,"seq":${seq}`,
    columnPart('session', row.session),
    part('time', formatTime(row.time)),
  ]
  return joinParts(STEP_PARTS, parts, fields)
}

const EVENT_PARTS = ['action', 'component', 'hook', 'id', 'kind', 'seq', 'session', 'time']

/** The text of an event. Throws where there cannot be one. */
export function restoreEvent(row: PackedRow, { seq, fields }: PackedList): string {
  const parts = [
    part('action', row.action),
    part('component', row.component),
    columnPart('hook', row.hook),
    columnPart('id', row.id),
    ',"kind":"event"',
    `,"seq":${seq}`,
    columnPart('session', row.session),
    part('time', formatTime(row.time)),
  ]
  return joinParts(EVENT_PARTS, parts, fields)
}

const NUMBER = '-?(?:0|[1-9]\\d*)(?:\\.\\d+)?(?:e[+-]?\\d+)?'
// With the flag `s`: JSON does not escape the line separators U+2028 and U+2029.
const EVALUATION_LIST = new RegExp(`^\\[(\\d+),(${NUMBER}),(${NUMBER})(?:,"([a-z]+)"(?:,(\\{.*\\}))?)?\\]$`, 's')
const EVALUATION_PARTS = [
  ...['action', 'agent', 'applied', 'cause', 'component', 'decision', 'durationMs', 'hook', 'host', 'id'],
  ...['level', 'mode', 'point', 'priority', 'profile', 'seq', 'session', 'step', 'time', 'tool', 'turn'],
]

/** What differs between the evaluations of a step, beside the words. */
export type EvaluationRow = Pick<PackedRow, 'body' | 'step' | 'time'>

/** The columns of an evaluation that few values are in, as parts of its text. */
export interface EvaluationWords {
  readonly action: string
  readonly component: string
  readonly decision: string
  readonly hook: string
  /** With the kind before it: no field is between them. */
  readonly level: string
  /** Of an evaluation that passed: from `applied` to `durationMs`. */
  readonly passed: string
}

/** The words of an evaluation. Throws for some values. */
export function writeWords(row: Pick<PackedRow, 'action' | 'component' | 'decision' | 'hook'>): EvaluationWords {
  const { action, component, decision, hook } = row
  const parts = { component: part('component', component), decision: columnPart('decision', decision) }
  return {
    ...parts,
    action: part('action', action),
    hook: columnPart('hook', hook),
    level: `,"kind":"evaluation","level":"${readLevel(action as EvaluationAction)}"`,
    passed: `,"applied":false,"cause":"policy"${parts.component}${parts.decision},"durationMs":`,
  }
}

/** What the evaluations of a step share, as parts of their texts. */
export class EvaluationContext {
  readonly session: string | null
  readonly #agent: string
  readonly #host: string
  readonly #id: string
  readonly #point: string
  readonly #profile: string
  readonly #session: string
  readonly #tool: string
  readonly #turn: string

  constructor({ agent, host, id, point, profile, session, tool, turn }: SharedTexts) {
    this.session = session
    this.#agent = textPart('agent', agent)
    this.#host = textPart('host', host)
    // The number of the evaluation follows.
    this.#id = part('id', id ?? '').slice(0, -1)
    this.#point = textPart('point', point)
    this.#profile = textPart('profile', profile)
    this.#session = columnPart('session', session)
    this.#tool = textPart('tool', tool)
    this.#turn = textPart('turn', turn)
  }

  /** The text of an evaluation; undefined if its list was not written by `packBody`. Throws for some values. */
  restore(row: EvaluationRow, words: EvaluationWords): string | undefined {
    const { body, step, time } = row
    const first = body.indexOf(',')
    const second = body.indexOf(',', first + 1)
    if (second < 0 || body.indexOf(',', second + 1) >= 0) return this.#restoreUnusual(row, words)
    // Most records are of this kind. What is not a number there gives a text that does not fit the hash.
    const seq = body.slice(1, first)
    const start = `{${words.action.slice(1)}${this.#agent}${words.passed}${body.slice(first + 1, second)}${words.hook}`
    const what = `${this.#host}${this.#id}.${Number(seq) - Number(step)}"${words.level}${USUAL_MODE_PART}${this.#point}`
    const end = `${this.#profile},"seq":${seq}${this.#session},"step":${step},"time":"${formatTime(time)}"`
    return `${start}${what},"priority":${body.slice(second + 1, -1)}${end}${this.#tool}${this.#turn}}`
  }

  #restoreUnusual({ body, step, time }: EvaluationRow, words: EvaluationWords): string | undefined {
    const values = EVALUATION_LIST.exec(body)
    if (values === null) return undefined
    const [, seq, duration, priority, mode = USUAL_MODE, fields = '{}'] = values
    const parts = [
      ...[words.action, this.#agent, ',"applied":false', ',"cause":"policy"', words.component, words.decision],
      ...[`,"durationMs":${duration}`, words.hook, this.#host, `${this.#id}.${Number(seq) - Number(step)}"`],
      ...[words.level, `,"mode":"${mode}"`, this.#point, `,"priority":${priority}`, this.#profile],
      ...[`,"seq":${seq}`, this.#session, `,"step":${step}`, part('time', formatTime(time)), this.#tool, this.#turn],
    ]
    return joinParts(EVALUATION_PARTS, parts, readFieldTexts(fields))
  }
}

// The text of a record: its parts and its fields, both in canonical order.
function joinParts(names: readonly string[], parts: readonly string[], fields: FieldTexts): string {
  let text = ''
  let at = 0
  for (const [of, name] of fields.names.entries()) {
    for (; at < names.length && (names[at] as string) < name; at++) text += parts[at]
    if (names[at] === name) {
      if (!DEFAULTED.has(name)) throw new TypeError(`a packed record has no field ${name}`)
      at++
    }
    if (!PLAIN_NAME.test(name)) throw new TypeError('a name must not be able to contain parts of a text')
    text += textPart(name, fields.values[of])
  }
  for (; at < names.length; at++) text += parts[at]
  return `{${text.slice(1)}}`
}

const PLAIN_NAME = /^\w+$/

function part(name: string, value: unknown): string {
  return value === undefined ? '' : `,"${name}":${canonicalize(value)}`
}

function textPart(name: string, text: string | undefined): string {
  return text === undefined ? '' : `,"${name}":${text}`
}

function columnPart(name: string, value: string | number | null): string {
  return value === null ? '' : part(name, value)
}

function sortFields(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).sort(([a], [b]) => (a < b ? -1 : 1)))
}

function readStepLevel(decision: string | null): 'info' | 'warn' {
  return decision === 'pass' ? 'info' : 'warn'
}

let formattedTime = Number.NaN
let formattedText = ''

// The records of a step all have its time, so the last one is remembered.
function formatTime(time: number): string {
  if (time !== formattedTime) {
    formattedText = new Date(time).toISOString()
    formattedTime = time
  }
  return formattedText
}
