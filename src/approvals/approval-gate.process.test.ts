// A step that needs approval, from the hook's `ask` to the answer in another process.

import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { askNobody, makeHome, PROFILE, type SupervisedHome } from '../../test/supervised-home.ts'
import { createSupervisor } from '../supervisor/create-supervisor.ts'
import type { Supervisor } from '../supervisor/supervisor.ts'
import type { SupervisorOptions } from '../supervisor/supervisor-options.ts'

const ARC = fileURLToPath(new URL('../../bin/arc', import.meta.url))
const run = promisify(execFile)

let place: SupervisedHome
let open: Supervisor[] = []

beforeEach(() => {
  place = makeHome()
  askNobody(place.home)
  place.write(PROFILE, { enforcement: 'enforce' })
})
afterEach(async () => {
  for (const supervisor of open) await supervisor.close()
  open = []
  place.remove()
})

async function supervise(options: SupervisorOptions = {}): Promise<Supervisor> {
  const supervisor = await createSupervisor({ home: place.home, builtIns: [], notify: () => undefined, ...options })
  supervisor.engine.register('pre:tool', () => ({ decision: 'ask', reason: 'It writes to production.' }), {
    name: 'careful',
  })
  open.push(supervisor)
  return supervisor
}

const call = (supervisor: Supervisor, command = 'make migrate', askMs?: number) =>
  supervisor.decide(
    'pre:tool',
    { tool: 'shell', args: { command } },
    { session: 's1' },
    askMs === undefined ? {} : { askMs },
  )

async function arc(...args: string[]): Promise<string> {
  const env = { ...process.env, ARC_HOME: place.home }
  return (await run(process.execPath, [ARC, ...args], { env })).stdout
}

/** Waits until something is held, and gives its id. */
async function heldId(supervisor: Supervisor): Promise<string> {
  for (;;) {
    const [first] = supervisor.approvals.list().filter(({ status }) => status === 'pending')
    if (first !== undefined) return first.id
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

describe('a held step', () => {
  it('goes ahead when a person approves it in another process, and the log says who', async () => {
    const supervisor = await supervise()
    const pending = call(supervisor)
    const id = await heldId(supervisor)
    expect(JSON.parse(await arc('approvals', 'list', '--json'))).toMatchObject([
      { id, reason: 'It writes to production.', step: { tool: 'shell', args: { command: 'make migrate' } } },
    ])
    await arc('approvals', 'approve', id)
    expect(await pending).toMatchObject({
      decision: 'pass',
      blocked: false,
      control: 'proceed',
      metadata: { approval: { id, status: 'approved' } },
    })
    expect((await pending).metadata.suggestions).toBeUndefined()
    expect(supervisor.trace.query({ action: 'approval:approved' })).toHaveLength(1)
  })

  it('is blocked when a person says no', async () => {
    const supervisor = await supervise()
    const pending = call(supervisor)
    await arc('approvals', 'deny', await heldId(supervisor))
    expect(await pending).toMatchObject({
      decision: 'block',
      blocked: true,
      metadata: { approval: { status: 'denied' } },
    })
    expect((await pending).reason).toMatch(/^Denied by .*\. It writes to production\.$/)
  })

  it('is blocked without an answer, and says how to approve it', async () => {
    const supervisor = await supervise({ askMs: 30 })
    const outcome = await call(supervisor)
    expect(outcome).toMatchObject({ decision: 'block', blocked: true, hook: 'careful' })
    expect(outcome.reason).toMatch(/^No answer within/)
    expect(outcome.suggestion).toMatch(/arc approve \w+/)
  })

  it('that is not waited for can be approved later, for exactly this step and once', async () => {
    const supervisor = await supervise()
    const first = await call(supervisor, 'make migrate', 0)
    expect(first).toMatchObject({ decision: 'ask', blocked: true, metadata: { approval: { status: 'pending' } } })
    const { id } = (first.metadata as { approval: { id: string } }).approval
    await arc('approvals', 'approve', id)
    // An edited one is another step.
    expect(await call(supervisor, 'make migrate --force', 0)).toMatchObject({ decision: 'ask' })
    // A second supervisor, as the next process of a host has it.
    const other = await supervise()
    expect(await call(other, 'make migrate', 0)).toMatchObject({ decision: 'pass', blocked: false })
    expect(await call(supervisor, 'make migrate', 0)).toMatchObject({ decision: 'ask', blocked: true })
  })

  it('is one question however often it is tried meanwhile', async () => {
    const supervisor = await supervise()
    await Promise.all([call(supervisor, 'x', 0), call(supervisor, 'x', 0), call(supervisor, 'x', 0)])
    expect(supervisor.approvals.list()).toHaveLength(1)
  })

  it('stops waiting when its caller gives up', async () => {
    const supervisor = await supervise()
    const controller = new AbortController()
    const call = supervisor.decide('pre:tool', { tool: 'shell', args: {} }, {}, { signal: controller.signal })
    await heldId(supervisor)
    controller.abort()
    expect(await call).toMatchObject({ decision: 'block' })
  })

  it('is not held in log mode: it is only recorded', async () => {
    const supervisor = await supervise({ enforcement: 'log' })
    expect(await call(supervisor)).toMatchObject({ decision: 'flag', blocked: false })
    expect(supervisor.approvals.list()).toEqual([])
  })

  it('keeps its process alive until there is an answer', async () => {
    const program = `
      import { createSupervisor } from ${JSON.stringify(new URL('../../dist/index.js', import.meta.url).href)}
      const supervisor = await createSupervisor({ askMs: 400 })
      supervisor.engine.register('pre:tool', () => 'ask')
      const { decision } = await supervisor.dispatch('pre:tool', { tool: 'x', args: {} })
      console.log(decision)
      await supervisor.close()`
    const env = { ...process.env, ARC_HOME: place.home }
    const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', program], { env })
    expect(stdout.trim()).toBe('block')
  })
})
