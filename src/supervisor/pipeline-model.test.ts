// The real engine with the real breaker against a model of a few lines: modes × breaker × onError × floor, in any order
// of steps at two points, failures, clock moves and changes of the mode.

import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { atOnce, CALL } from '../../test/engine-fixture.ts'
import type { OnError } from '../engine/degradation.ts'
import { CoreEngine } from '../engine/engine.ts'
import type { Mode } from '../engine/mode.ts'
import type { Evaluation } from '../engine/outcome.ts'
import { MemoryStateStore } from '../storage/memory/state-store.ts'
import { FakeClock } from '../testing/fake-clock.ts'
import { breakerFeed, DurableBreaker } from './breaker/breaker.ts'

type Answer = 'pass' | 'flag' | 'block' | 'fail'

/** What the model knows. */
interface Model {
  mode: Mode
  failures: number
  openSince: number | undefined
  isHalfOpen: boolean
  now: number
  /** How often in a row each hook failed. */
  rows: Record<'guard' | 'flaky' | 'other', number>
}

class Real {
  readonly clock = new FakeClock()
  readonly state = new MemoryStateStore()
  readonly evaluations: Evaluation[] = []
  guard: Answer | 'catastrophe' = 'pass'
  flaky: Answer = 'pass'
  other: Answer = 'pass'
  readonly engine: CoreEngine
  readonly #onError: OnError

  constructor(onError: OnError) {
    this.#onError = onError
    const services = { clock: this.clock, newId: () => 'id', regex: () => () => false, report: () => undefined }
    const sink = (evaluation: Evaluation) => void this.evaluations.push(evaluation)
    this.engine = new CoreEngine({ sink, maxMode: () => this.breaker().maxMode() }, services)
    const alwaysBlocks = ({ reason }: { reason?: string | undefined }) => reason === 'catastrophe'
    const guard = () =>
      this.guard === 'catastrophe' ? { decision: 'block' as const, reason: 'catastrophe' } : answer(this.guard)
    this.engine.register('pre:tool', guard, {
      name: 'guard',
      priority: 10,
      critical: true,
      onError: 'abort',
      alwaysBlocks,
    })
    this.engine.register('pre:tool', () => answer(this.flaky), { name: 'flaky', priority: 50, onError: this.#onError })
    this.engine.register('pre:launch', () => answer(this.other), { name: 'other', onError: this.#onError })
  }

  // A new one each time, as a new process has it.
  breaker(): DurableBreaker {
    return new DurableBreaker({ profile: 'p' }, { state: this.state, clock: this.clock, record: () => undefined })
  }

  step(point: 'pre:tool' | 'pre:launch'): string {
    this.evaluations.length = 0
    const data = point === 'pre:tool' ? CALL : { command: 'agent', args: [] }
    const { decision } = atOnce(this.engine.dispatch(point as 'pre:tool', data as typeof CALL))
    breakerFeed(this.breaker(), { isCritical: (hook) => hook === 'guard' })(this.evaluations)
    return decision
  }
}

function answer(given: Answer) {
  if (given === 'fail') throw new Error('on purpose')
  return given
}

const MEANS = { log: 'flag', skip: 'pass', abort: 'block' } as const

// What must come of a step, said as plainly as possible.
function expected(model: Model, guard: Real['guard'], flaky: Answer, onError: OnError): string {
  if (model.mode === 'off') return 'pass'
  look(model)
  const isOpen = model.openSince !== undefined && !model.isHalfOpen
  const said = guard === 'catastrophe' || guard === 'fail' ? 'block' : guard
  const isApplied = guard === 'catastrophe' || (said === 'block' && model.mode === 'enforce')
  count(model, isApplied ? { guard } : { guard, flaky })
  if (isApplied) return 'block'
  const other = flaky === 'fail' ? MEANS[onError] : flaky
  if (other === 'block' && model.mode === 'enforce' && !isOpen) return 'block'
  return said === 'pass' && other === 'pass' ? 'pass' : 'flag'
}

// At the other point there is only one hook, which is not critical.
function expectedThere(model: Model, other: Answer, onError: OnError): string {
  if (model.mode === 'off') return 'pass'
  look(model)
  const isOpen = model.openSince !== undefined && !model.isHalfOpen
  count(model, { other })
  const said = other === 'fail' ? MEANS[onError] : other
  if (said !== 'block') return said
  return model.mode === 'enforce' && !isOpen ? 'block' : 'flag'
}

// Every failure counts twice: in the row of all, and in that of its hook.
function count(model: Model, ran: Partial<Record<keyof Model['rows'], Real['guard']>>): void {
  const hooks = Object.keys(ran) as (keyof Model['rows'])[]
  const failed = hooks.filter((hook) => ran[hook] === 'fail')
  for (const hook of hooks) model.rows[hook] = failed.includes(hook) ? model.rows[hook] + 1 : 0
  for (const _hook of failed) fail(model)
  if (failed.length === 0 && hooks.some((hook) => hook !== 'guard')) succeed(model)
  if (model.openSince === undefined && failed.some((hook) => model.rows[hook] >= 3)) {
    Object.assign(model, { openSince: model.now, isHalfOpen: false, failures: 3 })
  }
}

function look(model: Model): void {
  if (model.openSince === undefined || model.isHalfOpen) return
  if (model.now < model.openSince) model.openSince = model.now
  if (model.now - model.openSince >= 60_000) model.isHalfOpen = true
}

function fail(model: Model): void {
  if (model.openSince !== undefined && !model.isHalfOpen) return
  model.failures++
  if (!model.isHalfOpen && model.failures < 3) return
  model.openSince = model.now
  model.isHalfOpen = false
}

function succeed(model: Model): void {
  if (model.openSince !== undefined && !model.isHalfOpen) return
  Object.assign(model, { failures: 0, openSince: undefined, isHalfOpen: false })
}

class StepCommand implements fc.Command<Model, Real> {
  readonly guard: Real['guard']
  readonly flaky: Answer
  readonly onError: OnError
  constructor(guard: Real['guard'], flaky: Answer, onError: OnError) {
    this.guard = guard
    this.flaky = flaky
    this.onError = onError
  }
  check = () => true
  run(model: Model, real: Real): void {
    real.guard = this.guard
    real.flaky = this.flaky
    expect(real.step('pre:tool')).toBe(expected(model, this.guard, this.flaky, this.onError))
    expect(real.breaker().status().state).toBe(statusOf(model))
    if (this.guard === 'catastrophe' && model.mode !== 'off') expect(real.evaluations[0]?.applied).toBe(true)
  }
  toString = () => `step(guard ${this.guard}, flaky ${this.flaky})`
}

class OtherCommand implements fc.Command<Model, Real> {
  readonly other: Answer
  readonly onError: OnError
  constructor(other: Answer, onError: OnError) {
    this.other = other
    this.onError = onError
  }
  check = () => true
  run(model: Model, real: Real): void {
    real.other = this.other
    expect(real.step('pre:launch')).toBe(expectedThere(model, this.other, this.onError))
    expect(real.breaker().status().state).toBe(statusOf(model))
  }
  toString = () => `step(other ${this.other})`
}

function statusOf(model: Model): string {
  look(model)
  if (model.openSince === undefined) return 'closed'
  return model.isHalfOpen ? 'half-open' : 'open'
}

class MoveCommand implements fc.Command<Model, Real> {
  readonly ms: number
  constructor(ms: number) {
    this.ms = ms
  }
  check = () => true
  run(model: Model, real: Real): void {
    model.now += this.ms
    real.clock.setWall(real.clock.wall() + this.ms)
  }
  toString = () => `clock(${this.ms})`
}

class ModeCommand implements fc.Command<Model, Real> {
  readonly mode: Mode
  constructor(mode: Mode) {
    this.mode = mode
  }
  check = () => true
  run(model: Model, real: Real): void {
    model.mode = this.mode
    real.engine.mode = this.mode
  }
  toString = () => `mode(${this.mode})`
}

it.each(['log', 'skip', 'abort'] as const)(
  'M4 the pipeline never disagrees with the model, with onError %s',
  (onError) => {
    const answers = ['pass', 'flag', 'block', 'fail', 'fail'] as const
    const guards = fc.constantFrom<Real['guard']>('pass', 'pass', 'flag', 'block', 'fail', 'catastrophe')
    const step = fc
      .tuple(guards, fc.constantFrom<Answer>(...answers))
      .map(([guard, flaky]) => new StepCommand(guard, flaky, onError))
    const there = fc.constantFrom<Answer>(...answers, 'pass').map((other) => new OtherCommand(other, onError))
    const fails = fc.constant(new StepCommand('pass', 'fail', onError))
    // Often to the brink of the cool-down, on either side, else the breaker would hardly ever be half-open.
    const jumps = [60_000, 60_000, 60_000, 59_999, 1, 30_000, -1, -1, -86_400_000]
    const jump = fc.constantFrom(...jumps).map((ms) => new MoveCommand(ms))
    const modes = ['enforce', 'enforce', 'enforce', 'advise', 'log', 'off'] as const
    const mode = fc.constantFrom<Mode>(...modes).map((name) => new ModeCommand(name))
    const commands = [step, step, there, fails, fails, jump, jump, mode]
    fc.assert(
      fc.property(fc.commands(commands, { size: 'max', maxCommands: 60 }), (all) => {
        const real = new Real(onError)
        real.engine.mode = 'enforce'
        const now = real.clock.wall()
        const rows = { guard: 0, flaky: 0, other: 0 }
        const model: Model = { mode: 'enforce', failures: 0, openSince: undefined, isHalfOpen: false, now, rows }
        fc.modelRun(() => ({ model, real }), all)
      }),
      { numRuns: 300 },
    )
  },
)
