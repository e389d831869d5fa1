// The part of the contract of trace stores that is about finding records.

import assert from 'node:assert/strict'
import type { TraceStore } from '../storage/ports.ts'
import { appendAll, ENTRY_TIME as START, stepEntry } from './step-entry.ts'

export const BLOCK = { decision: 'block', applied: true, reason: 'no', suggestion: 'else' } as const
export const HOUR = 3_600_000

export async function findsByAction(store: TraceStore): Promise<void> {
  await store.append(stepEntry({ id: 'a', evaluations: [{}, BLOCK] }))
  await store.append(
    stepEntry({ id: 'b', point: 'pre:launch', data: { command: 'x', args: [] }, evaluations: [{}, BLOCK] }),
  )
  assert.deepEqual(ids(store.query({ component: 'hooks' })), ['a.1', 'a.2'])
  assert.deepEqual(ids(store.query({ component: 'launch', action: 'hook:block' })), ['b.2'])
  assert.deepEqual(ids(store.query({ action: 'hook:block' })), ['a.2', 'b.2'])
  assert.deepEqual(ids(store.query({ component: 'breaker' })), [])
  const [row] = store.query({ component: 'hooks', action: 'hook:block' })
  assert.deepEqual(JSON.parse(JSON.stringify(row)), {
    id: 'a.2',
    seq: 3,
    time: '2026-01-31T12:30:00.000Z',
    level: 'warn',
    component: 'hooks',
    action: 'hook:block',
    point: 'pre:tool',
    tool: 'shell',
    hook: 'hook-2',
    mode: 'enforce',
    decision: 'block',
    applied: true,
    cause: 'policy',
    reason: 'no',
    durationMs: 0.25,
  })
}

export async function findsByAll(store: TraceStore): Promise<void> {
  for (let at = 0; at < 12; at++) {
    const session = `session-${at % 3}`
    const evaluations = [{ hook: `hook-${at % 2}` }, { ...BLOCK, hook: 'guard' }]
    await store.append(stepEntry({ id: `s${at}`, session, evaluations, time: START + at * HOUR }))
  }
  const since = START + 6 * HOUR
  assert.deepEqual(ids(store.query({ session: 'session-1', hook: 'hook-1' })), ['s1.1', 's7.1'])
  assert.deepEqual(ids(store.query({ session: 'session-1', decision: 'block' })), ['s1.2', 's4.2', 's7.2', 's10.2'])
  assert.deepEqual(ids(store.query({ hook: 'hook-0', since })), ['s6.1', 's8.1', 's10.1'])
  assert.deepEqual(ids(store.query({ session: 'session-0', hook: 'guard', decision: 'block', since })), [
    's6.2',
    's9.2',
  ])
  assert.deepEqual(ids(store.query({ hook: 'guard', decision: 'pass' })), [])
  assert.deepEqual(ids(store.query({ since: START + 99 * HOUR })), [])
}

export async function follows(store: TraceStore): Promise<void> {
  await store.append(stepEntry({ id: 'a' }))
  const last = store.query().at(-1)?.seq ?? 0
  assert.deepEqual(store.query({ afterSeq: last }), [])
  await appendAll(store, [stepEntry({ id: 'b', evaluations: [{}, {}] }), stepEntry({ id: 'c' })])
  assert.deepEqual(ids(store.query({ afterSeq: last })), ['b.1', 'b.2', 'c.1'])
  assert.deepEqual(ids(store.query({ afterSeq: last, limit: 2 })), ['b.1', 'b.2'])
}

export async function limits(store: TraceStore): Promise<void> {
  await appendAll(
    store,
    Array.from({ length: 150 }, (_, at) => stepEntry({ id: `s${at}` })),
  )
  assert.equal(store.query().length, 100)
  assert.deepEqual(ids(store.query({ limit: 2 })), ['s148.1', 's149.1'])
  for (const limit of [0, -1, Number.NaN]) assert.deepEqual(ids(store.query({ limit })), [])
  assert.equal(store.query({ limit: Number.POSITIVE_INFINITY }).length, 150)
}

export async function pagesBack(store: TraceStore): Promise<void> {
  for (const id of ['a', 'b']) await store.append(stepEntry({ id, session: id, evaluations: [{}, BLOCK] }))
  const all = store.records({ steps: true })
  assert.equal(all.map(({ seq, kind }) => `${seq}${kind.charAt(0)}`).join(' '), '1s 2e 3e 4s 5e 6e')
  assert.deepEqual(store.records({ steps: true, beforeSeq: 6, limit: 3 }), all.slice(2, 5))
  assert.deepEqual(store.records({ steps: true, beforeSeq: 6, afterSeq: 1, limit: 3 }), all.slice(1, 4))
  assert.deepEqual(ids(store.query({ beforeSeq: 3, session: 'a' })), ['a.1'])
  assert.deepEqual(ids(store.query({ beforeSeq: 6, action: 'hook:block' })), ['a.2'])
  assert.deepEqual(store.records({ steps: true, beforeSeq: 1 }), [])
}

export function ids(rows: readonly { id: string }[]): string[] {
  return rows.map(({ id }) => id)
}

export async function countsStatistics(store: TraceStore): Promise<void> {
  const after = { point: 'post:tool', metadata: { preStep: 'a', sinceMs: 1 } }
  // Arguments that only look like the link to a first step.
  const data = { tool: 'shell', args: { preStep: 'a', command: '"preStep":"a"' } }
  const slow = Array.from({ length: 20 }, (_, at) => ({ hook: 'slow', durationMs: at + 1 }))
  await appendAll(store, [
    stepEntry({ id: 'old', time: START - 1 }),
    stepEntry({ id: 'a', evaluations: [{ hook: 'x', durationMs: 0.1234 }] }),
    stepEntry({ id: 'b', ...after, evaluations: [{ hook: 'x', cause: 'failure:crash', durationMs: 12.345 }] }),
    stepEntry({ id: 'c', data, time: START + HOUR, evaluations: [{ hook: 'x', skipped: 'snoozed' }] }),
    stepEntry({ id: 'd', point: 'post:tool', metadata: { unsupervised: true }, time: START + HOUR, evaluations: slow }),
    { id: 'e', time: START, component: 'tasks', action: 'task:created', hook: 'x' },
  ])
  assert.deepEqual(store.statistics({ since: START }), {
    actions: 3,
    quarters: [
      { at: START, actions: 1 },
      { at: START + HOUR, actions: 2 },
    ],
    hooks: [
      { name: 'slow', runs: 20, errors: 0, p95Ms: 19 },
      { name: 'x', runs: 2, errors: 1, p95Ms: 12 },
    ],
  })
  assert.equal(store.statistics().actions, 4)
  assert.deepEqual(store.statistics({ since: START + 9 * HOUR }), { actions: 0, quarters: [], hooks: [] })
}
