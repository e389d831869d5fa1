// The stored form of a record. A column is not repeated in the body, an evaluation does not repeat its step, and a
// default is omitted. The text that was hashed and is exported is restored from the row, and from the row of its step.

import { isRecord } from '../../engine/plain-data.ts'
import { canonicalize } from '../../trace/canonical.ts'
import {
  type EvaluationAction,
  type EvaluationRecord,
  type EventRecord,
  readLevel,
  type StepRecord,
  type TraceRecord,
} from '../../trace/record.ts'
import type { TraceRow } from './trace-row.ts'

// A body of an earlier version is the whole text, an object. A packed body is a list:
//   of a step or event    [seq, other fields]
//   of an evaluation      [seq, durationMs, priority], then the mode if it is not the usual one, or the mode and other fields
const USUAL_MODE = 'enforce'
const USUAL_OUTCOME = canonicalize({ blocked: false, control: 'proceed', decision: 'pass' })
const USUAL_OUTCOME_PART = `,"outcome":${USUAL_OUTCOME}`
// The fields with a default. No other field of a column or a step may be in the list: it would hide a changed column.
const DEFAULTED = new Set(['applied', 'cause', 'level', 'outcome'])

/** The columns that a text is restored from. */
export type PackedRow = Pick<
  TraceRow,
  'kind' | 'component' | 'action' | 'decision' | 'step' | 'id' | 'time' | 'session' | 'hook' | 'body'
>

/** The fields of a step that its evaluations share. */
export type SharedFields = Pick<StepRecord, 'agent' | 'host' | 'id' | 'point' | 'profile' | 'session' | 'tool' | 'turn'>

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

/** The other fields of a record. Throws for a value that is no object. */
export function readFields(fields: unknown): Fields {
  if (!isRecord(fields)) throw new TypeError('not a packed record')
  return fields
}

const STEP_PARTS = ['action', 'component', 'decision', 'id', 'kind', 'level', 'outcome', 'seq', 'session', 'time']

/** The text of a step. Throws where there cannot be one. */
export function restoreStep(row: PackedRow, seq: unknown, fields: Fields): string {
  const parts = [
    part('action', row.action),
    part('component', row.component),
    columnPart('decision', row.decision),
    columnPart('id', row.id),
    ',"kind":"step"',
    part('level', readStepLevel(row.decision)),
    USUAL_OUTCOME_PART,
    part('seq', seq),
    columnPart('session', row.session),
    part('time', formatTime(row.time)),
  ]
  return joinParts(STEP_PARTS, parts, fields)
}

const EVENT_PARTS = ['action', 'component', 'hook', 'id', 'kind', 'seq', 'session', 'time']

/** The text of an event. Throws where there cannot be one. */
export function restoreEvent(row: PackedRow, seq: unknown, fields: Fields): string {
  const parts = [
    part('action', row.action),
    part('component', row.component),
    columnPart('hook', row.hook),
    columnPart('id', row.id),
    ',"kind":"event"',
    part('seq', seq),
    columnPart('session', row.session),
    part('time', formatTime(row.time)),
  ]
  return joinParts(EVENT_PARTS, parts, fields)
}

const NUMBER = '-?(?:0|[1-9]\\d*)(?:\\.\\d+)?(?:e[+-]?\\d+)?'
// With the flag `s`: JSON does not escape the line separators U+2028 and U+2029.
const EVALUATION_LIST = new RegExp(`^\\[(\\d+),(${NUMBER}),(${NUMBER})(?:,"([a-z]+)"(?:,(\\{.*\\}))?)?\\]$`, 's')
const EVALUATION_PARTS = [
  ...['action', 'agent', 'applied', 'cause', 'component', 'decision', 'durationMs', 'hook', 'host', 'id', 'kind'],
  ...['level', 'mode', 'point', 'priority', 'profile', 'seq', 'session', 'step', 'time', 'tool', 'turn'],
]

/** What the evaluations of a step share, as parts of their texts. */
export class EvaluationContext {
  readonly session: string | undefined
  readonly #agent: string
  readonly #host: string
  readonly #id: string
  readonly #point: string
  readonly #profile: string
  readonly #session: string
  readonly #tool: string
  readonly #turn: string

  constructor({ agent, host, id, point, profile, session, tool, turn }: SharedFields) {
    this.session = session
    this.#agent = part('agent', agent)
    this.#host = part('host', host)
    // The number of the evaluation follows.
    this.#id = part('id', id).slice(0, -1)
    this.#point = part('point', point)
    this.#profile = part('profile', profile)
    this.#session = part('session', session)
    this.#tool = part('tool', tool)
    this.#turn = part('turn', turn)
  }

  /** The text of an evaluation; undefined if its list was not written by `packBody`. Throws for some values. */
  restore(row: PackedRow): string | undefined {
    // The values are copied as texts: reading and writing the numbers would take longer.
    const values = EVALUATION_LIST.exec(row.body)
    if (values === null) return undefined
    const start = part('action', row.action)
    const component = part('component', row.component)
    const decision = columnPart('decision', row.decision)
    const duration = `,"durationMs":${values[2]}`
    const hook = columnPart('hook', row.hook)
    const id = `${this.#id}.${Number(values[1]) - Number(row.step)}"`
    const level = `,"level":"${readLevel(row.action as EvaluationAction)}"`
    const mode = `,"mode":"${values[4] ?? USUAL_MODE}"`
    const priority = `,"priority":${values[3]}`
    const seq = `,"seq":${values[1]}`
    const step = `,"step":${row.step}`
    const time = `,"time":"${formatTime(row.time)}"`
    const fields = values[5]
    if (fields === undefined) {
      // The same as below, several times faster: most records are of this kind.
      const first = `${start.slice(1)}${this.#agent},"applied":false,"cause":"policy"${component}${decision}`
      const second = `${duration}${hook}${this.#host}${id},"kind":"evaluation"${level}${mode}${this.#point}`
      return `{${first}${second}${priority}${this.#profile}${seq}${this.#session}${step}${time}${this.#tool}${this.#turn}}`
    }
    const parts = [
      ...[start, this.#agent, ',"applied":false', ',"cause":"policy"', component, decision, duration, hook],
      ...[this.#host, id, ',"kind":"evaluation"', level, mode, this.#point, priority, this.#profile],
      ...[seq, this.#session, step, time, this.#tool, this.#turn],
    ]
    return joinParts(EVALUATION_PARTS, parts, readFields(JSON.parse(fields)))
  }
}

// The text of a record: its parts and its fields, both in canonical order.
function joinParts(names: readonly string[], parts: readonly string[], fields: Fields): string {
  let text = ''
  let at = 0
  for (const name in fields) {
    for (; at < names.length && (names[at] as string) < name; at++) text += parts[at]
    if (names[at] === name) {
      if (!DEFAULTED.has(name)) throw new TypeError(`a packed record has no field ${name}`)
      at++
    }
    if (!PLAIN_NAME.test(name)) throw new TypeError('a name must not be able to contain parts of a text')
    text += part(name, fields[name])
  }
  for (; at < names.length; at++) text += parts[at]
  return `{${text.slice(1)}}`
}

const PLAIN_NAME = /^\w+$/

function part(name: string, value: unknown): string {
  return value === undefined ? '' : `,"${name}":${canonicalize(value)}`
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
