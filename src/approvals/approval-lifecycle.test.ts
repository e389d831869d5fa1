// Every order of requests, answers, results and ends: no step runs without its own yes.

import fc from 'fast-check'
import { expect, it } from 'vitest'
import { MemoryStateStore } from '../storage/memory/state-store.ts'
import { FakeClock } from '../testing/fake-clock.ts'
import { canonicalize } from '../trace/canonical.ts'
import type { AppliesTo, WithdrawnBy } from './approval.ts'
import { type Approval, Approvals, type HeldStep, toHeldStep } from './approvals.ts'
import { readStepEnd } from './step-end.ts'

const SESSIONS = ['s1', 's2']
const PROJECTS = ['/a', '/b']
const COMMANDS = ['deploy', 'publish']
const LIFETIME_MS = 600_000

function open() {
  const clock = new FakeClock()
  let ids = 0
  const services = { state: new MemoryStateStore(), clock, newId: () => `id-${++ids}`, canonicalize }
  return { clock, approvals: new Approvals(services, { lifetimeMs: LIFETIME_MS }) }
}

const stepOf = (session: string, workspace: string, command: string): HeldStep =>
  toHeldStep({ point: 'pre:tool', data: { tool: 'Bash', args: { command } }, workspace, session })

const content = ({ workspace, args }: HeldStep): string => `${workspace} ${JSON.stringify(args)}`

const step = fc.record({
  session: fc.constantFrom(...SESSIONS),
  workspace: fc.constantFrom(...PROJECTS),
  command: fc.constantFrom(...COMMANDS),
})
const action = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('request' as const), step, kind: kinds() }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('answer' as const), at: fc.nat(20), isYes: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('wake' as const), at: fc.nat(20) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('refuse' as const), at: fc.nat(20) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('result' as const), step }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('end' as const),
      session: fc.constantFrom(...SESSIONS),
      by: fc.constantFrom<WithdrawnBy>('turn', 'message', 'session'),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('time' as const), ms: fc.constantFrom(1_000, LIFETIME_MS) }) },
)

type Generated<T> = T extends fc.Arbitrary<infer Value> ? Value : never
type Action = Generated<typeof action>
type StepFacts = Generated<typeof step>

function kinds() {
  return fc.constantFrom<AppliesTo>('prompt', 'call', 'next')
}

class Model {
  readonly yes = new Map<string, number>()
  readonly runs = new Map<string, number>()
  readonly ids: string[] = []
  readonly used = new Set<string>()
  readonly #opened = open()

  async do(one: Action): Promise<void> {
    const { clock, approvals } = this.#opened
    if (one.do === 'request') this.#request(one.step, one.kind)
    else if (one.do === 'time') clock.advance(one.ms)
    else if (one.do === 'end') approvals.withdraw({ by: one.by, session: one.session })
    else if (one.do === 'result') this.#result(one.step)
    else await this.#atId(one)
  }

  // As the gate does: an earlier yes is used, otherwise a person is asked.
  #request({ session, workspace, command }: StepFacts, appliesTo: AppliesTo): void {
    const { approvals } = this.#opened
    const held = stepOf(session, workspace, command)
    const used = approvals.consume(held)
    if (used !== undefined) {
      this.#ran(used, held)
      return
    }
    const { id } = approvals.request(held, { appliesTo })
    if (!this.ids.includes(id)) this.ids.push(id)
  }

  #result({ session, workspace, command }: StepFacts): void {
    const data = { tool: 'Bash', args: { command }, result: 'done' }
    const end = readStepEnd({ point: 'post:tool', data, session, workspace })
    if (end !== undefined) this.#opened.approvals.withdraw(end)
  }

  async #atId(one: Extract<Action, { at: number }>): Promise<void> {
    const { approvals } = this.#opened
    const id = this.ids[one.at % Math.max(1, this.ids.length)]
    const approval = id === undefined ? undefined : approvals.get(id)
    if (id === undefined || approval === undefined) return
    if (one.do === 'refuse') approvals.leaveOpen(id)
    else if (one.do === 'wake') {
      const status = await approvals.wait(id, { waitMs: 0 })
      if (status === 'approved') this.#ran(approval, approval.step)
    } else this.#answer(approval, one.isYes)
  }

  #answer(approval: Approval, isYes: boolean): void {
    const { approvals } = this.#opened
    const answer = () => approvals.answer(approval.id, isYes ? 'approve' : 'deny')
    if (approval.status !== 'pending') {
      expect(answer).toThrow('cannot be answered any more')
      expect(approvals.get(approval.id)).toEqual(approval)
    } else {
      answer()
      if (isYes) count(this.yes, content(approval.step))
    }
  }

  #ran({ id, step: own, appliesTo }: Approval, held: HeldStep): void {
    expect(this.used.has(id)).toBe(false)
    this.used.add(id)
    expect(content(own)).toBe(content(held))
    if (appliesTo !== 'next') expect(own.session).toBe(held.session)
    count(this.runs, content(held))
  }
}

function count(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1)
}

it('Q4 in every order no more steps run than were approved, and none with another content or project', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(action, { minLength: 1, maxLength: 40 }), async (actions) => {
      const model = new Model()
      for (const one of actions) await model.do(one)
      for (const [key, runs] of model.runs) expect(runs).toBeLessThanOrEqual(model.yes.get(key) ?? 0)
    }),
    { numRuns: 300 },
  )
})

it('Q4 an approval that was given while the prompt of the agent was open ends with the turn, unused', () => {
  const { approvals } = open()
  const held = stepOf('s1', '/a', 'deploy')
  const { id } = approvals.request(held, { appliesTo: 'prompt' })
  approvals.answer(id, 'approve')
  approvals.withdraw({ by: 'turn', session: 's1' })
  expect(approvals.get(id)?.status).toBe('withdrawn')
  expect(approvals.consume(held)).toBeUndefined()
})

it('Q4 an answer in the same process wakes the waiting call at once, without a pause', async () => {
  const { approvals, clock } = open()
  const held = approvals.hold(stepOf('s1', '/a', 'deploy'), {})
  const [pending] = approvals.pending()
  approvals.answer(pending?.id ?? '', 'approve')
  expect(await held).toMatchObject({ isApproved: true })
  expect(clock.timers).toBe(0)
})

it('Q4 the message of a denial reaches the next identical step once, if the agent did not wait for it', () => {
  const { approvals } = open()
  const held = stepOf('s1', '/a', 'deploy')
  const { id } = approvals.request(held, {})
  approvals.answer(id, 'deny', { message: 'Use the staging system.' })
  expect(approvals.takeDenial(stepOf('s2', '/b', 'deploy'))).toBeUndefined()
  expect(approvals.takeDenial(stepOf('s2', '/a', 'deploy'))?.message).toBe('Use the staging system.')
  expect(approvals.takeDenial(held)).toBeUndefined()
})

it('Q4 a request that is repeated stays open for its whole time', () => {
  const { approvals, clock } = open()
  const { id } = approvals.request(stepOf('s1', '/a', 'deploy'), {})
  clock.advance(LIFETIME_MS - 1_000)
  expect(approvals.request(stepOf('s2', '/a', 'deploy'), {}).id).toBe(id)
  clock.advance(LIFETIME_MS - 1_000)
  expect(approvals.pending().map((one) => one.id)).toEqual([id])
})
