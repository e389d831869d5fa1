// What every kind of handler must do, as cases that run under any test runner. An implementation brings a maker of
// handlers that behave in a given way; each case sends steps through a real engine and looks at what came out.

import assert from 'node:assert/strict'
import type { Clock } from '../engine/clock.ts'
import { type Cause, DEGRADATION, type FailureKind, ON_ERROR } from '../engine/degradation.ts'
import { CoreEngine } from '../engine/engine.ts'
import { clip } from '../engine/errors.ts'
import type { Handler, HookOptions } from '../engine/hook.ts'
import type { Evaluation, Fault, Outcome } from '../engine/outcome.ts'
import type { ToolCallData } from '../engine/points.ts'
import type { StepContext } from '../engine/step.ts'
import type { VerdictObject } from '../engine/verdict.ts'

/** Builds handlers of one kind that behave in a given way. Each is registered at `pre:tool`. */
export interface HandlerMaker {
  /** Abilities that handlers of this kind lack; their cases are skipped. */
  readonly cannot?: readonly Ability[]
  /** Gives this verdict, which JSON can carry; nothing to say when undefined. */
  answering(verdict: VerdictObject | undefined): Handler
  /**
   * Passes, with the metadata `{ tool, args, session }` it received. A kind that cannot give metadata flags instead,
   * with the same object as JSON in its reason.
   */
  echoing(): Handler
  /** Fails in the way of its kind: throws, exits with 1, answers 500. */
  crashing(): Handler
  /** Never answers. */
  hanging(): Handler
  /** Answers what is not a verdict. */
  nonsense(): Handler
  /** Cannot be started or reached at all. */
  unreachable?(): Handler
  /** Answers more than is ever kept. */
  tooLarge?(): Handler
  /** Called after each case: lets go of what its handlers hold. */
  dispose?(): void | Promise<void>
}

/** What a kind of handler may be unable to do. A maker without `unreachable` or `tooLarge` cannot do that. */
export type Ability = 'edit' | 'metadata' | 'unreachable' | 'tooLarge'

/** One case of the contract. */
export interface ContractCase {
  readonly title: string
  /** What it is about, where not every kind of handler can do it. */
  readonly needs?: Ability
  /** Rejects when a handler breaks the contract. */
  run(make: HandlerMaker): Promise<void>
}

/**
 * The contract, for a kind of handler that can do everything.
 * @example
 * for (const { title, run } of handlerContract) it(title, () => run(make))
 */
export const handlerContract: readonly ContractCase[] = [
  contractCase('passes when it has nothing to say', passesInSilence),
  ...(['flag', 'ask', 'block'] as const).map((decision) =>
    contractCase(`gives the verdict ${decision} with its reason and suggestion`, (make) => decides(make, decision)),
  ),
  contractCase('edits what later hooks and the caller see', editsChain, 'edit'),
  contractCase('receives a nested step in any script whole', receivesNested),
  contractCase('receives a large step whole', receivesLarge, 'metadata'),
  contractCase('answers many steps at once without mixing them up', keepsStepsApart),
  contractCase("leaves the caller's data alone", leavesDataAlone),
  contractCase('fails visibly when it crashes, and never consents by it', (make) =>
    failsVisibly(() => make.crashing(), 'crash'),
  ),
  contractCase('fails visibly on an answer that is not a verdict', (make) =>
    failsVisibly(() => make.nonsense(), 'invalid-output'),
  ),
  contractCase('fails visibly when it cannot be started', failsToStart, 'unreachable'),
  contractCase('fails visibly when it answers more than the limit', failsOnLimit, 'tooLarge'),
  contractCase('is given up at its time limit and leaves nothing behind', endsInTime),
  contractCase('does not disturb others after it was given up', disturbsNobody),
]

/**
 * The cases that apply to a maker: those about what it cannot do are not in the list.
 * @example
 * for (const { title, run } of handlerContractFor(make)) it(title, () => run(make))
 */
export function handlerContractFor(make: HandlerMaker): readonly ContractCase[] {
  return handlerContract.filter(({ needs }) => canDo(make, needs))
}

function contractCase(title: string, check: (make: HandlerMaker) => Promise<void>, needs?: Ability): ContractCase {
  const run = async (make: HandlerMaker): Promise<void> => {
    assert.ok(canDo(make, needs), `the maker says that it cannot do this (${needs}): use handlerContractFor(make)`)
    try {
      await check(make)
    } finally {
      await make.dispose?.()
    }
  }
  return needs === undefined ? { title, run } : { title, needs, run }
}

function canDo(make: HandlerMaker, needs: Ability | undefined): boolean {
  if (needs === undefined) return true
  const isOptional = needs === 'unreachable' || needs === 'tooLarge'
  return make.cannot?.includes(needs) !== true && !(isOptional && make[needs] === undefined)
}

async function passesInSilence(make: HandlerMaker): Promise<void> {
  const { outcome, evaluation } = await send(make.answering(undefined))
  assert.equal(outcome.decision, 'pass')
  assert.equal(outcome.blocked, false)
  assert.deepEqual(decisionAndCause(evaluation), ['pass', 'policy'])
}

async function decides(make: HandlerMaker, decision: 'flag' | 'ask' | 'block'): Promise<void> {
  const reason = `because of “${decision}” – ünd\nmore`
  const suggestion = 'do "this" instead'
  const { outcome, evaluation, faults } = await send(make.answering({ decision, reason, suggestion }))
  assert.equal(outcome.decision, decision)
  assert.equal(outcome.blocked, decision !== 'flag')
  assert.deepEqual([outcome.reason, outcome.suggestion], [reason, suggestion])
  assert.deepEqual(decisionAndCause(evaluation), [decision, 'policy'])
  assert.deepEqual(faults, [])
}

async function editsChain(make: HandlerMaker): Promise<void> {
  const args = { command: 'ls -l', list: [1, { deep: 'ünïcode' }] }
  let seen: unknown
  const later: Handler = (step) => {
    seen = (step.data as ToolCallData).args
  }
  const { outcome } = await send(make.answering({ modify: { args } } as VerdictObject), { later })
  assert.deepEqual(seen, args)
  assert.deepEqual(outcome.data, { tool: CALL.tool, args })
}

async function receivesNested(make: HandlerMaker): Promise<void> {
  const args = {
    text: 'quotes \' " ` $HOME $(id) {{data.tool}} {tool_name}\n\t\\ \u2028 end',
    scripts: ['日本語', 'עברית', '🦊👩‍👩‍👧', '\u0000\u001f'],
    nested: { list: [[], {}, [null, true, -0.5, 1e21]], deep: { a: { b: { c: 'd' } } } },
    '': 'an empty name',
  }
  await echoes(make.echoing(), { tool: 'mcp__ünï__tool', args }, 'sitzung-✓')
}

async function receivesLarge(make: HandlerMaker): Promise<void> {
  const args = { text: 'x'.repeat(400_000), lines: Array.from({ length: 2_000 }, (_, line) => `line ${line}`) }
  await echoes(make.echoing(), { tool: 'write', args }, 's-large')
}

async function keepsStepsApart(make: HandlerMaker): Promise<void> {
  const handler = make.echoing()
  const numbers = Array.from({ length: 16 }, (_, number) => number)
  await Promise.all(
    numbers.map((number) => {
      const text = `${number}`.repeat((number % 4) * 500 + 1)
      return echoes(handler, { tool: `tool-${number}`, args: { number, text } }, `session-${number}`)
    }),
  )
}

async function leavesDataAlone(make: HandlerMaker): Promise<void> {
  const data = { tool: 'shell', args: { command: 'ls', list: [{ a: 1 }] } }
  const before = structuredClone(data)
  await send(make.echoing(), { data })
  assert.deepEqual(data, before)
  if (!canDo(make, 'edit')) return
  const { outcome } = await send(make.answering({ modify: { args: { command: 'rm' } } } as VerdictObject), { data })
  assert.deepEqual(data, before)
  assert.notEqual(outcome.data, data)
}

async function failsToStart(make: HandlerMaker): Promise<void> {
  await failsVisibly(() => make.unreachable?.(), 'start')
}

async function failsOnLimit(make: HandlerMaker): Promise<void> {
  await failsVisibly(() => make.tooLarge?.(), 'output-limit')
}

// A failure means what onError says, names its kind, says why, and is reported.
async function failsVisibly(makeHandler: () => Handler | undefined, kind: FailureKind, timeoutMs?: number) {
  for (const onError of ON_ERROR) {
    const handler = makeHandler()
    assert.ok(handler)
    const options = { onError, ...(timeoutMs !== undefined && { timeoutMs }) }
    const { outcome, evaluation, faults } = await send(handler, { options })
    const expected = DEGRADATION[kind][onError]
    const cause: Cause = `failure:${kind}`
    assert.deepEqual(
      decisionAndCause(evaluation),
      [expected, cause],
      `onError ${onError}: ${clip(evaluation.reason ?? '', 200)}`,
    )
    assert.equal(outcome.decision, expected)
    assert.equal(outcome.blocked, onError === 'abort')
    assert.match(evaluation.reason ?? '', /failed \([a-z-]+\): .*\S/s)
    assert.deepEqual([faults.length, faults[0]?.kind, faults[0]?.hook], [1, 'hook', HOOK])
  }
}

async function endsInTime(make: HandlerMaker): Promise<void> {
  const before = resources()
  const startedAt = performance.now()
  await failsVisibly(() => make.hanging(), 'timeout', HANG_LIMIT_MS)
  const tookMs = performance.now() - startedAt
  assert.ok(tookMs >= HANG_LIMIT_MS * ON_ERROR.length - 5, `given up after ${tookMs} ms, before the limit`)
  await leavesNothing(before)
}

async function disturbsNobody(make: HandlerMaker): Promise<void> {
  const hanging = make.hanging()
  const echoing = make.echoing()
  const { evaluation } = await send(hanging, { options: { timeoutMs: HANG_LIMIT_MS } })
  assert.equal(evaluation.cause, 'failure:timeout')
  await echoes(echoing, { tool: 'after', args: { of: 'the hang' } }, 'session')
  const again = await send(hanging, { options: { timeoutMs: HANG_LIMIT_MS } })
  assert.notEqual(again.evaluation.cause, 'policy')
}

// What a case needs that is not about time may take this long, also on a busy machine.
const LONG_MS = 20_000
const HANG_LIMIT_MS = 150
// Connections and processes take a moment to be gone.
const GONE_AFTER_MS = 3_000
const HOOK = 'under contract'
const CALL: ToolCallData = { tool: 'shell', args: { command: 'ls' } }

interface Sent {
  readonly outcome: Outcome
  readonly evaluation: Evaluation
  readonly faults: readonly Fault[]
}

interface Sending {
  readonly data?: ToolCallData
  readonly context?: StepContext
  readonly options?: HookOptions
  readonly later?: Handler
}

// Sends one step through the handler, in enforce.
async function send(handler: Handler, { data = CALL, context, options, later }: Sending = {}): Promise<Sent> {
  const evaluations: Evaluation[] = []
  const faults: Fault[] = []
  let ids = 0
  const engine = new CoreEngine(
    { mode: 'enforce', sink: (evaluation) => void evaluations.push(evaluation) },
    { clock: realClock, newId: () => `step-${++ids}`, regex: noRegex, report: (fault) => void faults.push(fault) },
  )
  engine.register('pre:tool', handler as Handler<never>, { name: HOOK, timeoutMs: LONG_MS, ...options })
  if (later !== undefined) engine.register('pre:tool', later as Handler<never>, { name: 'later' })
  const outcome = await engine.dispatch('pre:tool', data, context)
  const evaluation = evaluations.find(({ hook }) => hook === HOOK)
  assert.ok(evaluation, 'the evaluation was not recorded')
  return { outcome, evaluation, faults }
}

async function echoes(handler: Handler, data: ToolCallData, session: string): Promise<void> {
  const { evaluation } = await send(handler, { data, context: { session } })
  assert.equal(evaluation.cause, 'policy', evaluation.reason)
  const echo: unknown = evaluation.metadata ?? JSON.parse(evaluation.reason ?? 'null')
  assert.deepEqual({ ...(echo as object) }, { tool: data.tool, args: data.args, session })
}

function decisionAndCause({ decision, cause }: Evaluation): [string, string] {
  return [decision, cause]
}

// Unlike the engine's usual clock this one keeps the process alive: a test runner has to wait for the end of a case.
const realClock: Clock = {
  now: () => performance.now(),
  wall: () => Date.now(),
  after(ms, callback) {
    const timer = setTimeout(callback, ms)
    return () => clearTimeout(timer)
  },
  soon: (callback) => void setImmediate(callback),
}

function noRegex(): never {
  throw new Error('the contract uses no patterns')
}

// What keeps the process alive, by kind.
function resources(): Map<string, number> {
  const counts = new Map<string, number>()
  for (const kind of process.getActiveResourcesInfo()) counts.set(kind, (counts.get(kind) ?? 0) + 1)
  return counts
}

async function leavesNothing(before: ReadonlyMap<string, number>): Promise<void> {
  const giveUpAt = performance.now() + GONE_AFTER_MS
  let left: string[] = []
  do {
    await new Promise((resolve) => setTimeout(resolve, 10))
    left = [...resources()].filter(([kind, count]) => count > (before.get(kind) ?? 0)).map(([kind]) => kind)
  } while (left.length > 0 && performance.now() < giveUpAt)
  assert.deepEqual(left, [], 'something outlived the time limit')
}
