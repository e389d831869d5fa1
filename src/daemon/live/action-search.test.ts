// Finding actions by index gives what reading the whole trace gives, and following gives each action once.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { makeTempFolder } from '../../../test/temp-folder.ts'
import type { Decision } from '../../engine/decision.ts'
import { isShown } from '../../protocol/feed.ts'
import type { Action, ActionFilter } from '../../protocol/feed-views.ts'
import { MemoryTraceStore } from '../../storage/memory/trace-store.ts'
import type { TraceStore } from '../../storage/ports.ts'
import { SqliteTraceStore } from '../../storage/sqlite/trace-store.ts'
import { appendAll, ENTRY_TIME, stepEntry } from '../../testing/step-entry.ts'
import type { StepEntry } from '../../trace/record.ts'
import { joinResult, readChangedActions, readCommand, readNewActions, searchActions } from './action-search.ts'
import { readReport } from './report.ts'

interface Call {
  readonly says: Decision
  readonly isApplied: boolean
  /** What a hook says after the call; undefined for a call without a result. */
  readonly after?: 'pass' | 'flag' | undefined
  readonly session: string
  readonly rule: string
}

// The entries of a tool call as the engine makes them: a block that is not applied is a flag.
function buildEntries({ says, isApplied, after, session, rule }: Call, at: number): StepEntry[] {
  const isHeld = isApplied && (says === 'ask' || says === 'block')
  const decision = isHeld || says === 'pass' || says === 'flag' ? says : 'flag'
  const place = { session, workspace: `/work/${session}`, time: ENTRY_TIME + at * 60_000 }
  const metadata = { risk: { evidence: [{ rule }] } }
  const verdict = { hook: 'risk', decision: says, applied: isHeld, mode: isHeld ? 'enforce' : 'log', metadata } as const
  const data = { tool: 'shell', args: { command: `call ${at} ${'x'.repeat(300)} end-${at}` } }
  const before = stepEntry({ id: `call-${at}`, ...place, data, evaluations: [{}, verdict] })
  const first = { ...before, outcome: { ...before.outcome, decision, hook: 'risk', reason: says } }
  if (after === undefined || isHeld) return [first]
  const link = { preStep: `call-${at}`, sinceMs: 5 }
  const end = stepEntry({ id: `end-${at}`, ...place, point: 'post:tool', metadata: link })
  return [first, { ...end, outcome: { ...end.outcome, decision: after } }]
}

const call: fc.Arbitrary<Call> = fc.record({
  says: fc.constantFrom<Decision>('pass', 'pass', 'flag', 'ask', 'block'),
  isApplied: fc.boolean(),
  after: fc.constantFrom(undefined, 'pass', 'pass', 'flag'),
  session: fc.constantFrom('a', 'b'),
  rule: fc.constantFrom('git/push-force', 'git/reset', 'disk/format'),
})
const filter: fc.Arbitrary<ActionFilter> = fc.record(
  {
    decision: fc.constantFrom('flag,ask,block', 'flag', 'ask', 'block', 'would-block', 'ask,block,would-block'),
    session: fc.constantFrom('a', 'none'),
    rule: fc.constantFrom('git', 'git/reset', 'gi'),
    project: fc.constantFrom('b', '/work', '/work/a', '/wor'),
    text: fc.constantFrom('END-1', 'call'),
  },
  { requiredKeys: ['decision'] },
)

async function collect(actions: AsyncIterable<Action>): Promise<Action[]> {
  const all: Action[] = []
  for await (const action of actions) all.push(action)
  return all
}

function fill(store: TraceStore, calls: readonly Call[]): Promise<unknown> {
  return appendAll(
    store,
    calls.flatMap((one, at) => buildEntries(one, at)),
  )
}

const bySeq = (actions: readonly Action[]) => actions.map(({ id }) => id).sort()

describe.each([
  ['memory', () => new MemoryTraceStore()],
  ['sqlite', () => new SqliteTraceStore(`${makeTempFolder('arc-search-')}/arc.db`)],
] as const)('actions in %s', (name, open) => {
  const numRuns = name === 'memory' ? 60 : 5

  it('Q3 are found by index as by reading everything', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(call, { maxLength: 12 }), filter, async (calls, wanted) => {
        const store = open()
        await fill(store, calls)
        const { text, ...rest } = wanted
        const all = await collect(searchActions(store, {}))
        const hasText = (action: Action) =>
          text === undefined || readCommand(store, action).includes(text.toLowerCase())
        const expected = all.filter((action) => isShown(action, rest) && hasText(action))
        const found = await collect(searchActions(store, wanted))
        expect(bySeq(found)).toEqual(bySeq(expected))
        // With the results of their calls they are the same actions.
        const whole = new Map(all.map((action) => [action.id, action]))
        for (const action of found) expect(joinResult(store, action)).toEqual(whole.get(action.id))
        store.close()
      }),
      { numRuns },
    )
  })

  it('Q3 are followed without loss, each once, however the records arrive', async () => {
    const parts = fc.array(fc.array(call, { maxLength: 4 }), { maxLength: 5 })
    await fc.assert(
      fc.asyncProperty(parts, filter, async (batches, wanted) => {
        const store = open()
        const followed: Action[] = []
        const entries = batches.map((batch, part) => batch.flatMap((one, at) => buildEntries(one, part * 10 + at)))
        let position = 0
        for (const batch of entries) {
          // One record at a time: the result of a call may arrive alone.
          for (const entry of batch) {
            await store.append(entry)
            const page = readNewActions(store, wanted, position)
            followed.push(...page.actions)
            position = page.after
          }
        }
        const ids = followed.map(({ id }) => id)
        expect(new Set(ids).size).toBe(ids.length)
        const found = bySeq(await collect(searchActions(store, wanted)))
        expect(found.filter((id) => !ids.includes(id))).toEqual([])
        store.close()
      }),
      { numRuns },
    )
  })

  it('Q6 are followed with each of their steps: the last of each is the action as it is', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(call, { maxLength: 8 }), async (calls) => {
        const store = open()
        const followed = new Map<string, Action>()
        let position = 0
        for (const entry of calls.flatMap((one, at) => buildEntries(one, at))) {
          await store.append(entry)
          const page = readChangedActions(store, position)
          for (const action of page.actions) followed.set(action.id, action)
          position = page.after
        }
        const all = await collect(searchActions(store, {}))
        expect([...followed.values()].sort((a, b) => b.seq - a.seq)).toEqual(all)
        store.close()
      }),
      { numRuns },
    )
  })

  it('Q3 are counted by the report as they are listed', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(call, { maxLength: 12 }), async (calls) => {
        const store = open()
        await fill(store, calls)
        const count = async (decision: string) => (await collect(searchActions(store, { decision }))).length
        const report = await readReport(store, ENTRY_TIME, ENTRY_TIME + 86_400_000)
        const { actions, stopped, held, wouldStop, rules, days, projects } = report
        expect(actions).toBe(calls.length)
        expect({ stopped, held, wouldStop }).toEqual({
          ...{ stopped: await count('block'), held: await count('ask'), wouldStop: await count('would-block') },
        })
        const all = stopped + held + wouldStop
        const sum = (rows: readonly { stopped: number; held: number; wouldStop: number }[]) =>
          rows.reduce((total, row) => total + row.stopped + row.held + row.wouldStop, 0)
        expect([sum(rules), sum(days), sum(projects)]).toEqual([all, all, all])
        expect(days.reduce((total, day) => total + day.actions, 0)).toBe(calls.length)
        store.close()
      }),
      { numRuns },
    )
  })
})

it('Q3 following continues in a database that was replaced', async () => {
  const [old, fresh] = [new MemoryTraceStore(), new MemoryTraceStore()]
  await fill(
    old,
    Array.from({ length: 5 }, () => ({ says: 'flag', isApplied: false, session: 'a', rule: 'x' }) as const),
  )
  const { after } = readNewActions(old, {}, 0)
  expect(after).toBeGreaterThan(5)
  await fill(fresh, [{ says: 'flag', isApplied: false, session: 'a', rule: 'x' }])
  const first = readNewActions(fresh, {}, after)
  expect(first).toMatchObject({ actions: [], after: 0 })
  expect(readNewActions(fresh, {}, first.after).actions).toHaveLength(1)
})
