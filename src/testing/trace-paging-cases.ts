// Cases of the contract of trace stores: how the record is read piece by piece, forward and back.

import assert from 'node:assert/strict'
import type { TraceStore } from '../trace/store.ts'
import { stepEntry } from './step-entry.ts'

const BLOCK = { decision: 'block', applied: true, reason: 'no' } as const

/** What came after a record, oldest first. */
export function follows(store: TraceStore): void {
  store.append(stepEntry({ id: 'a' }))
  const last = store.query().at(-1)?.seq ?? 0
  assert.deepEqual(store.query({ afterSeq: last }), [])
  store.appendAll([stepEntry({ id: 'b', evaluations: [{}, {}] }), stepEntry({ id: 'c' })])
  assert.deepEqual(ids(store.query({ afterSeq: last })), ['b.1', 'b.2', 'c.1'])
  assert.deepEqual(ids(store.query({ afterSeq: last, limit: 2 })), ['b.1', 'b.2'])
}

/** The newest lines up to the limit, oldest of them first. */
export function limits(store: TraceStore): void {
  store.appendAll(Array.from({ length: 150 }, (_, at) => stepEntry({ id: `s${at}` })))
  assert.equal(store.query().length, 100)
  assert.deepEqual(ids(store.query({ limit: 2 })), ['s148.1', 's149.1'])
  for (const limit of [0, -1, Number.NaN]) assert.deepEqual(ids(store.query({ limit })), [])
  assert.equal(store.query({ limit: Number.POSITIVE_INFINITY }).length, 150)
}

/** What came before a record, the newest of it, as whole records too. */
export function pagesBack(store: TraceStore): void {
  for (const id of ['a', 'b']) store.append(stepEntry({ id, session: id, evaluations: [{}, BLOCK] }))
  const all = store.records({ steps: true })
  assert.equal(all.map(({ seq, kind }) => `${seq}${kind.charAt(0)}`).join(' '), '1s 2e 3e 4s 5e 6e')
  assert.deepEqual(store.records({ steps: true, beforeSeq: 6, limit: 3 }), all.slice(2, 5))
  assert.deepEqual(store.records({ steps: true, beforeSeq: 6, afterSeq: 1, limit: 3 }), all.slice(1, 4))
  assert.deepEqual(ids(store.query({ beforeSeq: 3, session: 'a' })), ['a.1'])
  assert.deepEqual(ids(store.query({ beforeSeq: 6, action: 'hook:block' })), ['a.2'])
  assert.deepEqual(store.records({ steps: true, beforeSeq: 1 }), [])
}

function ids(rows: readonly { id: string }[]): string[] {
  return rows.map(({ id }) => id)
}
