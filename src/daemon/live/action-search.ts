// Finds actions in a trace of any size, newest first. A filter without passes reads only the steps that it can match, by the
// indexes of the store; every other filter reads the trace page by page.

import { readMainText } from '../../display/step-preview.ts'
import type { Decision } from '../../engine/decision.ts'
import { isShown, joinStep } from '../../protocol/feed.ts'
import type { Action, ActionFilter, FeedStep } from '../../protocol/feed-views.ts'
import type { TraceFilter, TraceStore } from '../../storage/ports.ts'
import type { EvaluationRecord, StepRecord, TraceRecord } from '../../trace/record.ts'
import { readFirstStep } from '../../trace/second-step.ts'
import { wouldStop } from '../../trace/would-be.ts'
import { LaterSteps, readActions } from './action-pages.ts'
import { buildFeedStep, type WholeStep } from './feed-steps.ts'
import { readAfter } from './trace-scan.ts'
import { findNewestSeq } from './trace-tail.ts'

/** Which actions to find. */
export interface ActionQuery extends ActionFilter {
  /** Not older than this wall-clock time in ms. */
  readonly since?: number | undefined
}

const PAGE = 100
const WIDE_PAGE = 400

/** The actions that match, newest first. */
export async function* searchActions(trace: TraceStore, query: ActionQuery): AsyncGenerator<Action> {
  const { text = '', ...filter } = query
  for await (const action of findCandidates(trace, filter)) {
    if (hasText(trace, action, text)) yield action
  }
}

async function* findCandidates(trace: TraceStore, query: ActionQuery): AsyncGenerator<Action> {
  const { since, ...filter } = query
  const rare = readRareDecisions(filter.decision)
  if (rare !== undefined) return yield* searchRare(trace, query, rare)
  for (let before: number | undefined; ; ) {
    const page = await readActions(trace, filter, { before, since, limit: WIDE_PAGE })
    yield* page.actions
    if (page.next === null) return
    before = page.next
  }
}

type RareDecision = Exclude<Decision, 'pass'> | 'would-block'

const RARE: readonly RareDecision[] = ['flag', 'ask', 'block', 'would-block']

// Undefined where most actions could match.
function readRareDecisions(decision = ''): readonly RareDecision[] | undefined {
  const names = decision.split(',').map((name) => name.trim())
  const rare = RARE.filter((name) => names.includes(name))
  return rare.length === names.length ? rare : undefined
}

function* searchRare(trace: TraceStore, query: ActionQuery, decisions: readonly RareDecision[]): Generator<Action> {
  const { since, ...filter } = query
  const later = new LaterSteps()
  const only: TraceFilter = { ...(query.session && { session: query.session }), ...(since !== undefined && { since }) }
  for (const whole of readRareSteps(trace, only, decisions)) {
    const step = buildFeedStep(whole)
    const first = step.action === step.id ? undefined : findFirstStep(trace, step.action)
    // The first step of the action is found too, and joined with this one.
    if (first !== undefined && isCandidate(first, decisions, since)) later.add(step)
    else {
      const action = step.action === step.id ? later.take(step) : joinSteps(first, step)
      if (action !== undefined && isShown(action, filter)) yield action
    }
  }
}

function joinSteps(first: WholeStep | undefined, step: FeedStep): Action {
  return joinStep(first === undefined ? undefined : joinStep(undefined, buildFeedStep(first)), step)
}

/** The newest step that did not pass. */
export function findLastDecision(trace: TraceStore): WholeStep | undefined {
  return readRareSteps(trace, {}, ['flag', 'ask', 'block']).next().value ?? undefined
}

/** New actions, oldest first, and the position to continue from. */
export interface NewActions {
  readonly actions: readonly Action[]
  readonly after: number
  /** There are more. */
  readonly isPart: boolean
}

/**
 * The actions after a position of the trace, for following it. An action is returned once: with its first step that matches
 * the filter.
 */
export function readNewActions(trace: TraceStore, query: ActionFilter, after: number): NewActions {
  const { text = '', ...filter } = query
  const isWanted = (action: Action): boolean => isShown(action, filter) && hasText(trace, action, text)
  const only = query.session ? { session: query.session } : {}
  return readSteps(trace, after, only, (step, first) => {
    if (first !== undefined && isWanted(joinStep(undefined, buildFeedStep(first)))) return []
    const action = joinSteps(first, step)
    return isWanted(action) ? [action] : []
  })
}

/** The actions with steps after a position of the trace: again with each new step, so that a view shows them as they are. */
export function readChangedActions(trace: TraceStore, after: number): NewActions {
  return readSteps(trace, after, {}, (step, first) => [joinSteps(first, step)])
}

type TakeStep = (step: FeedStep, first: WholeStep | undefined) => readonly Action[]

function readSteps(trace: TraceStore, after: number, only: TraceFilter, take: TakeStep): NewActions {
  const { steps, last, isPart } = readAfter(trace, after, only)
  // A database that was replaced starts again.
  if (last === undefined) return { actions: [], after: findNewestSeq(trace) < after ? 0 : after, isPart: false }
  const actions = steps.flatMap((whole) => {
    const step = buildFeedStep(whole)
    return take(step, step.action === step.id ? undefined : findFirstStep(trace, step.action))
  })
  return { actions, after: last, isPart }
}

function findFirstStep(trace: TraceStore, id: string): WholeStep | undefined {
  const found = trace.get(id)
  return found.found === 'step' && found.record.id === id ? found : undefined
}

function isCandidate(whole: WholeStep, decisions: readonly RareDecision[], since = 0): boolean {
  const { record, evaluations } = whole
  if (Date.parse(record.time) < since) return false
  return decisions.some((one) => (one === 'would-block' ? evaluations.some(wouldStop) : one === record.decision))
}

// The steps with one of the decisions, newest first, each once.
function* readRareSteps(
  trace: TraceStore,
  only: TraceFilter,
  decisions: readonly RareDecision[],
): Generator<WholeStep> {
  const sources = decisions.flatMap((decision) =>
    decision === 'would-block'
      ? [readStopping(trace, only, 'ask'), readStopping(trace, only, 'block')]
      : [readDecided(trace, only, decision)],
  )
  const next = sources.map((source) => takeNext(source))
  for (;;) {
    const seq = Math.max(...next.map((one) => one?.seq ?? 0))
    if (seq <= 0) return
    const record = next.find((one) => one?.seq === seq && one.record !== undefined)?.record
    for (const [at, source] of sources.entries()) while (next[at]?.seq === seq) next[at] = takeNext(source)
    const whole = readWholeStep(trace, seq, record)
    if (whole !== undefined) yield whole
  }
}

interface FoundStep {
  readonly seq: number
  /** Undefined where only an evaluation of the step was read. */
  readonly record?: StepRecord
}

function takeNext(source: Iterator<FoundStep>): FoundStep | undefined {
  const { done, value } = source.next()
  return done === true ? undefined : value
}

function* readDecided(trace: TraceStore, only: TraceFilter, decision: Decision): Generator<FoundStep> {
  for (const record of readPages(trace, { ...only, action: `step:${decision}`, steps: true })) {
    if (record.kind === 'step') yield { seq: record.seq, record }
  }
}

// The steps of evaluations that enforce would have applied.
function* readStopping(trace: TraceStore, only: TraceFilter, decision: Decision): Generator<FoundStep> {
  for (const record of readPages(trace, { ...only, decision })) {
    if (record.kind === 'evaluation' && wouldStop(record)) yield { seq: record.step }
  }
}

function* readPages(trace: TraceStore, filter: TraceFilter): Generator<TraceRecord> {
  for (let beforeSeq = Number.MAX_SAFE_INTEGER; ; ) {
    const records = trace.records({ ...filter, beforeSeq, limit: PAGE })
    yield* records.toReversed()
    const first = records[0]
    if (first === undefined || records.length < PAGE) return
    beforeSeq = first.seq
  }
}

function readStepRecord(trace: TraceStore, seq: number): StepRecord | undefined {
  const [record] = trace.records({ afterSeq: seq - 1, limit: 1, steps: true })
  return record?.kind === 'step' && record.seq === seq ? record : undefined
}

function readWholeStep(trace: TraceStore, seq: number, record = readStepRecord(trace, seq)): WholeStep | undefined {
  if (record === undefined) return undefined
  const following = record.evaluations > 0 ? trace.records({ afterSeq: seq, limit: record.evaluations }) : []
  const evaluations = following.filter((one): one is EvaluationRecord => one.kind === 'evaluation' && one.step === seq)
  return { record, evaluations }
}

/** The whole command, path or message of an action; its `preview` is one line, and clipped. */
export function readCommand(trace: TraceStore, { steps, preview }: Action): string {
  const main = steps.find(({ phase }) => phase !== 'after') ?? steps[0]
  const record = main === undefined ? undefined : readStepRecord(trace, main.seq)
  return (record && readMainText(record.data)) ?? preview
}

// The preview is clipped, so a text that is not in it may still be in the command.
function hasText(trace: TraceStore, action: Action, text: string): boolean {
  const wanted = text.trim().toLowerCase()
  if (wanted === '' || isShown(action, { text: wanted })) return true
  return action.preview.endsWith('…') && readCommand(trace, action).toLowerCase().includes(wanted)
}

// How many of the following steps of a session are searched for the result of a call.
const MAX_FOLLOWING = 60

/** The action with the step after its tool call, if there is one. */
export function joinResult(trace: TraceStore, action: Action): Action {
  const isOpen = action.point === 'pre:tool' && action.steps.every(({ phase }) => phase === 'before')
  if (!isOpen || action.decision === 'block') return action
  const session = action.session === undefined ? {} : { session: action.session }
  for (const decision of ['pass', 'flag'] as const) {
    const filter = { ...session, action: `step:${decision}`, steps: true, afterSeq: action.seq, limit: MAX_FOLLOWING }
    const after = trace.records(filter).find((record) => record.kind === 'step' && isResultOf(record, action.id))
    const whole = after === undefined ? undefined : readWholeStep(trace, after.seq)
    if (whole !== undefined) return joinStep(action, buildFeedStep(whole))
  }
  return action
}

function isResultOf(record: StepRecord, id: string): boolean {
  return record.point.startsWith('post:tool') && readFirstStep(record) === id
}
