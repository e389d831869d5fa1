// What every store of the trace must do, as cases that run under any test runner. An implementation brings a maker of
// empty stores; each case writes to one and looks at what comes out.

import assert from 'node:assert/strict'
import type { Found, TraceStore } from '../storage/ports.ts'
import { verifyExport } from '../trace/export.ts'
import type { EventEntry } from '../trace/record.ts'
import { appendAll, ENTRY_TIME as START, stepEntry } from './step-entry.ts'
import {
  BLOCK,
  countsStatistics,
  findsByAction,
  findsByAll,
  follows,
  HOUR,
  ids,
  limits,
  pagesBack,
} from './trace-query-checks.ts'

/** Makes empty stores. */
export interface TraceStoreMaker {
  /** A new, empty store that knows the secret environment variable `MY_TOKEN=value-of-the-variable`. */
  make(): TraceStore
  /** Called after each case. */
  dispose?(): void
}

/** One case of the contract. */
export interface TraceStoreCase {
  readonly title: string
  /** Rejects when a store breaks the contract. */
  run(maker: TraceStoreMaker): Promise<void>
}

/**
 * The contract.
 * @example
 * for (const { title, run } of traceStoreContract) it(title, () => run(maker))
 */
export const traceStoreContract: readonly TraceStoreCase[] = [
  contractCase('D5 keeps one record for each evaluation, skipped ones included, and one for the step', keepsEach),
  contractCase('L1 finds the log lines of a component and an action', findsByAction),
  contractCase('L1 finds by session, hook, decision and time, alone and together', findsByAll),
  contractCase('L1 follows: what came after a record, oldest first', follows),
  contractCase('L1 gives the newest lines up to the limit, oldest of them first', limits),
  contractCase('L1 pages back: what came before a record, the newest of it, as whole records too', pagesBack),
  contractCase('Q3 counts actions by time, and runs, errors and durations by hook', countsStatistics),
  contractCase('L2 shows a whole decision by its id, the beginning of it, and as the last', showsWhole),
  contractCase('L2 names the candidates when an id is not unique', namesCandidates),
  contractCase('numbers records without a gap', numbers),
  contractCase('keeps an event of another component', keepsEvents),
  contractCase('stores no secret, in any field of an entry', keepsNoSecret),
  contractCase('counts by decision, hook and hour', counts),
  contractCase('has a chain that verifies, also when exported', verifies),
  contractCase('keeps the chain verifiable after a cut by age, and says so', cutsByAge),
  contractCase('keeps the chain verifiable after a cut by size', cutsBySize),
  contractCase('removes everything, and continues', cutsAll),
  contractCase('takes a clock that goes back as it is', takesClockBack),
  contractCase('takes hostile data without throwing', takesHostile),
  contractCase('is empty at first', isEmpty),
]

function contractCase(title: string, check: (store: TraceStore) => Promise<void>): TraceStoreCase {
  const run = async (maker: TraceStoreMaker): Promise<void> => {
    const store = maker.make()
    try {
      await check(store)
      assert.deepEqual(problems(store), [])
    } finally {
      store.close()
      maker.dispose?.()
    }
  }
  return { title, run }
}

// Whatever a case did, the chain must verify after it.
function problems(store: TraceStore): string[] {
  const { firstBad } = store.verify()
  return firstBad === undefined ? [] : [firstBad.message]
}

async function keepsEach(store: TraceStore): Promise<void> {
  const evaluations = [
    {},
    { skipped: 'snoozed' as const },
    { cause: 'failure:crash' as const, decision: 'flag' as const },
    BLOCK,
  ]
  await store.append(stepEntry({ evaluations }))
  const rows = store.query()
  assert.deepEqual(
    rows.map(({ hook, action, level }) => [hook, action, level]),
    [
      ['hook-1', 'hook:pass', 'info'],
      ['hook-2', 'hook:skip', 'info'],
      ['hook-3', 'hook:error', 'error'],
      ['hook-4', 'hook:block', 'warn'],
    ],
  )
  assert.equal(store.query({ steps: true }).length, 5)
}

async function showsWhole(store: TraceStore): Promise<void> {
  const modify = { args: { command: 'ls -l' } }
  const entry = stepEntry({ id: 'abc-1', session: 's', evaluations: [{ modify, applied: true }, BLOCK] })
  await store.append({
    ...entry,
    outcome: { ...entry.outcome, data: { tool: 'shell', ...modify } },
    configuration: 'c0ffee',
  })
  await store.append(stepEntry({ id: 'xyz-1' }))
  for (const id of ['abc-1', 'ab', 'abc-1.2']) {
    const { record, evaluations } = step(store.get(id))
    assert.equal(record.id, 'abc-1')
    assert.deepEqual(record.data, { tool: 'shell', args: { command: 'ls' } })
    assert.deepEqual(record.outcome.data, { tool: 'shell', args: { command: 'ls -l' } })
    assert.equal(record.configuration, 'c0ffee')
    assert.deepEqual(
      evaluations.map(({ hook }) => hook),
      ['hook-1', 'hook-2'],
    )
    assert.deepEqual(evaluations[0]?.modify, modify)
    assert.equal(evaluations[1]?.suggestion, 'else')
  }
  assert.equal(step(store.get('last')).record.id, 'xyz-1')
  assert.deepEqual(store.get('unknown'), { found: 'nothing' })
  assert.deepEqual(store.get(''), { found: 'nothing' })
}

async function namesCandidates(store: TraceStore): Promise<void> {
  for (const id of ['same-1', 'same-2', 'same-2', 'same']) await store.append(stepEntry({ id }))
  assert.deepEqual(store.get('same-'), { found: 'several', ids: ['same-1', 'same-2'] })
  assert.equal(step(store.get('same')).record.id, 'same')
  assert.equal(step(store.get('same-2')).record.seq, 5)
}

async function numbers(store: TraceStore): Promise<void> {
  assert.deepEqual(await store.append(stepEntry({ evaluations: [{}, {}] })), { id: 'step-1', seqs: [1, 2, 3] })
  assert.deepEqual((await store.append(stepEntry({ evaluations: [] }))).seqs, [4])
  const more = await appendAll(store, [event({ id: 'e' }), stepEntry()])
  assert.deepEqual(
    more.map(({ seqs }) => seqs),
    [[5], [6, 7]],
  )
}

async function keepsEvents(store: TraceStore): Promise<void> {
  await store.append(event({ id: 'e1', reason: 'too many failures', level: 'warn' }))
  const [row] = store.query({ component: 'breaker', action: 'breaker:open' })
  assert.equal(row?.reason, 'too many failures')
  const found = store.get('e1')
  assert.ok(found.found === 'event')
  assert.deepEqual(found.record.metadata, { failures: 3 })
}

async function keepsNoSecret(store: TraceStore): Promise<void> {
  const secrets = [`ghp_${'a1'.repeat(18)}`, 'hunter2hunter', 'value-of-the-variable']
  const [token = '', password = '', variable = ''] = secrets
  const evaluation = {
    reason: `found ${token}`,
    suggestion: `use ${variable}`,
    modify: { args: { password } },
    metadata: { token },
  }
  const data = {
    tool: 'shell',
    args: { command: `curl -H "Authorization: Bearer ${token}" https://me:${password}@host`, note: variable },
  }
  await store.append(stepEntry({ data, session: variable, evaluations: [{ ...BLOCK, ...evaluation }] }))
  await store.append(
    event({ id: 'e', reason: `it said {"password":"${password}"}`, metadata: { list: [{ variable }] } }),
  )
  const kept = [...store.export()].join('\n')
  for (const secret of secrets) assert.ok(!kept.includes(secret), `${secret} was kept`)
  assert.ok(kept.includes('[redacted]'))
}

async function counts(store: TraceStore): Promise<void> {
  const failed = { cause: 'failure:timeout', decision: 'flag' } as const
  await store.append(stepEntry({ evaluations: [{}, { ...BLOCK, hook: 'guard' }] }))
  await store.append(
    stepEntry({ time: START + HOUR, evaluations: [{ hook: 'guard', ...failed }, { skipped: 'disabled' }] }),
  )
  await store.append(event({ id: 'e' }))
  const none = { pass: 0, flag: 0, ask: 0, block: 0, error: 0, skip: 0 }
  const counters = store.counters()
  assert.equal(counters.records, 7)
  assert.equal(counters.steps, 2)
  assert.deepEqual(counters.total, { ...none, pass: 1, flag: 1, block: 1, error: 1, skip: 1 })
  assert.deepEqual(counters.hooks.guard, { ...none, flag: 1, block: 1, error: 1 })
  assert.deepEqual(counters.hours, [
    { hour: '2026-01-31T12:00:00.000Z', tally: { ...none, pass: 1, block: 1 } },
    { hour: '2026-01-31T13:00:00.000Z', tally: { ...none, flag: 1, error: 1, skip: 1 } },
  ])
  assert.deepEqual(
    store.counters({ hours: 1 }).hours.map(({ hour }) => hour),
    ['2026-01-31T13:00:00.000Z'],
  )
}

async function verifies(store: TraceStore): Promise<void> {
  await appendAll(
    store,
    Array.from({ length: 20 }, (_, at) => stepEntry({ id: `s${at}`, evaluations: [{}, BLOCK] })),
  )
  const { ok, records } = store.verify()
  assert.deepEqual({ ok, records }, { ok: true, records: 60 })
  const lines = [...store.export()]
  assert.equal(lines.length, 60)
  assert.equal(verifyExport(lines).ok, true)
  const changed = lines.with(41, (lines[41] ?? '').replace('"block"', '"pass"'))
  assert.equal(verifyExport(changed).firstBad?.seq, 42)
  assert.deepEqual(verifyExport(lines.toSpliced(9, 1)).firstBad?.flaw, 'missing')
}

async function cutsByAge(store: TraceStore): Promise<void> {
  for (let at = 0; at < 10; at++)
    await store.append(stepEntry({ id: `s${at}`, time: START + at * HOUR, evaluations: [{}, {}] }))
  const { removed, cut } = store.retain({ before: START + 4 * HOUR, now: START + 20 * HOUR, id: 'cut-1' })
  assert.equal(removed, 12)
  assert.equal(cut.seq, 12)
  assert.deepEqual(store.verify().cut, cut)
  assert.equal(store.verify().records, 19)
  assert.deepEqual(store.get('s3'), { found: 'nothing' })
  assert.equal(step(store.get('s4')).evaluations.length, 2)
  assert.equal(store.query({ component: 'trace', action: 'trace:cut' }).length, 1)
  assert.equal(verifyExport(store.export()).ok, true)
  assert.equal((await store.append(stepEntry({ id: 'after' }))).seqs[0], 32)
  assert.equal(store.counters().records, 33)
  assert.equal(store.retain({ before: START, now: START, id: 'cut-2' }).removed, 0)
}

async function cutsBySize(store: TraceStore): Promise<void> {
  for (let at = 0; at < 30; at++) await store.append(stepEntry({ id: `s${at}`, evaluations: [{}, {}] }))
  const size = (): number =>
    [...store.export()].filter((line) => line.includes('"record"')).reduce((sum, line) => sum + line.length, 0)
  const before = size()
  const { removed } = store.retain({ maxBytes: 10_000, now: START, id: 'cut' })
  assert.ok(removed > 0 && removed % 3 === 0, `removed ${removed}`)
  assert.ok(size() < before)
  assert.equal(step(store.get('s29')).evaluations.length, 2)
}

async function cutsAll(store: TraceStore): Promise<void> {
  await store.append(stepEntry({ id: 'a' }))
  assert.equal(store.retain({ maxBytes: 0, now: START, id: 'cut' }).removed, 2)
  assert.deepEqual((await store.append(stepEntry({ id: 'b' }))).seqs, [4, 5])
  assert.equal(step(store.get('last')).record.id, 'b')
}

async function takesClockBack(store: TraceStore): Promise<void> {
  await store.append(stepEntry({ id: 'future', time: START + 1000 * HOUR }))
  await store.append(stepEntry({ id: 'now', time: START }))
  await store.append(stepEntry({ id: 'nonsense', time: Number.NaN }))
  assert.deepEqual(ids(store.query({ since: START - HOUR })), ['future.1', 'now.1'])
  assert.equal(step(store.get('now')).record.time, '2026-01-31T12:30:00.000Z')
}

async function takesHostile(store: TraceStore): Promise<void> {
  const cyclic: Record<string, unknown> = { half: '\ud800', nul: '\0', big: 10n, nan: Number.NaN, at: new Date(0) }
  cyclic.self = cyclic
  const trap = new Proxy({}, { ownKeys: () => assert.fail('looked') })
  let deep: unknown = 'end'
  for (let level = 0; level < 10_000; level++) deep = { deep }
  const data = {
    cyclic,
    trap,
    deep,
    run: () => 1,
    long: 'x'.repeat(1_000_000),
    list: Array.from({ length: 50_000 }, () => 'y'),
  }
  await store.append(
    stepEntry({
      id: 'hostile\0id',
      session: 'ünïcode "quoted"',
      data,
      evaluations: [{ hook: '__proto__', metadata: { data } }],
    }),
  )
  assert.equal(store.query({ session: 'ünïcode "quoted"', hook: '__proto__' }).length, 1)
  assert.ok([...store.export()].every((line) => line.length < 200_000))
}

async function isEmpty(store: TraceStore): Promise<void> {
  assert.deepEqual(store.query(), [])
  assert.deepEqual(store.get('last'), { found: 'nothing' })
  assert.deepEqual([...store.export()], [])
  assert.equal(store.counters().records, 0)
  assert.equal(store.retain({ before: START, maxBytes: 0, now: START, id: 'cut' }).removed, 0)
  assert.equal(store.verify().records, 0)
}

function event(given: Partial<EventEntry> & { id: string }): EventEntry {
  return { time: START, component: 'breaker', action: 'breaker:open', metadata: { failures: 3 }, ...given }
}

function step(found: Found): Extract<Found, { found: 'step' }> {
  assert.ok(found.found === 'step', `found ${found.found}`)
  return found
}
