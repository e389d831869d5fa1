import { spawnSync } from 'node:child_process'
import { expect, it } from 'vitest'
import type { Outcome } from '../../engine/outcome.ts'
import type { HostStep } from '../../hosts/host.ts'
import { readHostPayload } from '../../hosts/list.ts'
import { pairKey } from '../../hosts/pairing.ts'
import { systemClock } from '../../platform/engine-services.ts'
import { MemoryStateStore } from '../../storage/memory/state-store.ts'
import { claimCall } from './dedupe.ts'

function stepOf(id: string | undefined, event = 'PreToolUse'): HostStep {
  const call = { session_id: 's', hook_event_name: event, tool_name: 'Bash', tool_input: { command: 'ls' } }
  const read = readHostPayload('claude', undefined, JSON.stringify({ ...call, tool_use_id: id, tool_response: {} }), {})
  return read as HostStep
}

function outcomeOf(step: HostStep, more: Partial<Outcome> = {}): Outcome {
  return { decision: 'pass', blocked: false, control: 'proceed', data: step.data, metadata: {}, ...more }
}

let ids = 0
let skewMs = 0

const services = (state = new MemoryStateStore(), rules = 'a') => ({
  state,
  rules,
  newId: () => `id-${++ids}`,
  clock: { ...systemClock, wall: () => Date.now() + skewMs },
})

it('a second firing waits for the first, and gets what that came to', async () => {
  const shared = services()
  const step = stepOf('c1')
  const first = await claimCall(step, shared)
  const second = claimCall(step, shared)
  const outcome = outcomeOf(step, { decision: 'block', blocked: true, reason: 'no' })
  setTimeout(() => first.complete(outcome), 30)
  expect(await second).toMatchObject({ id: first.id, outcome })
})

it('a call does not wait for a process that died', async () => {
  const shared = services()
  const step = stepOf('c1')
  const { pid } = spawnSync(process.execPath, ['-e', '0'])
  const key = `call:${pairKey(step)?.key}`
  shared.state.set(key, { 'pre:tool': { id: 'dead', at: Date.now(), pid, rules: 'a' } }, 0)
  const claim = await claimCall(step, shared)
  expect(claim.outcome).toBeUndefined()
  expect(claim.id).not.toBe('dead')
})

it('after the clock was set forward or back, no call waits or gets an old answer', async () => {
  const step = stepOf('c1')
  for (const jumpMs of [3_600_000, -3_600_000]) {
    const shared = services()
    const open = await claimCall(step, shared)
    skewMs = jumpMs
    const next = await claimCall(step, shared)
    expect(next.outcome).toBeUndefined()
    next.complete(outcomeOf(step))
    skewMs = 0
    expect((await claimCall(step, shared)).outcome).toBeUndefined()
    open.complete()
  }
})

it.each([
  ['what a person has a say in', { metadata: { approval: { id: 'a' } } }],
  ['what is too large to keep', { reason: 'x'.repeat(100_000) }],
  ['what cannot be written down', { metadata: { big: 1n } }],
])('%s is evaluated again', async (_what, more) => {
  const shared = services()
  const step = stepOf('c1')
  const first = await claimCall(step, shared)
  first.complete(outcomeOf(step, more))
  expect((await claimCall(step, shared)).outcome).toBeUndefined()
})

it('a call that was evaluated with other rules is evaluated again', async () => {
  const state = new MemoryStateStore()
  const step = stepOf('c1')
  const first = await claimCall(step, services(state, 'log'))
  first.complete(outcomeOf(step))
  expect((await claimCall(step, services(state, 'enforce'))).outcome).toBeUndefined()
})

it('an edit of the data is kept, and other data stays that of the call', async () => {
  const shared = services()
  const step = stepOf('c1')
  const first = await claimCall(step, shared)
  first.complete(outcomeOf(step, { data: { tool: 'Bash', args: { command: 'ls -l' } } }))
  expect((await claimCall(step, shared)).outcome?.data).toMatchObject({ args: { command: 'ls -l' } })
  const plain = stepOf('c2')
  const other = await claimCall(plain, shared)
  other.complete(outcomeOf(plain))
  expect((await claimCall(plain, shared)).outcome?.data).toBe(plain.data)
})

it('a call that has run knows the step that let it run', async () => {
  const shared = services()
  const before = await claimCall(stepOf('c1'), shared)
  before.complete(outcomeOf(stepOf('c1')))
  const after = await claimCall(stepOf('c1', 'PostToolUse'), shared)
  expect(after.before).toMatchObject({ id: before.id })
  expect((await claimCall(stepOf('c9', 'PostToolUse'), shared)).before).toBeUndefined()
})
