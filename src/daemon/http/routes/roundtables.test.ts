// The roundtables of a home as a daemon shows them, during and after the discussion.

import { afterEach, beforeEach, expect, it } from 'vitest'
import { makeHome, type SupervisedHome } from '../../../../test/supervised-home.ts'
import type { Row } from '../../../protocol/messages.ts'
import type { RoundtableView } from '../../../protocol/views.ts'
import { RoundtableDriver } from '../../../roundtable/driver/roundtable-driver.ts'
import { openRoundtable, roundtableKey } from '../../../roundtable/machine.ts'
import { createSupervisor } from '../../../supervisor/create-supervisor.ts'
import type { Supervisor } from '../../../supervisor/supervisor.ts'
import { type Daemon, startDaemon } from '../../server.ts'

let at: SupervisedHome
let daemon: Daemon
let supervisor: Supervisor

beforeEach(async () => {
  at = makeHome()
  const options = { home: at.home, version: '1.2.3', port: 0, dashboard: at.root, report: () => undefined }
  daemon = (await startDaemon(options)) as Daemon
  supervisor = await createSupervisor({ home: at.home, report: () => undefined, notify: () => undefined })
})

afterEach(async () => {
  await supervisor.close()
  await daemon.stop()
  at.remove()
})

async function see<T>(path: string): Promise<{ readonly status: number; readonly body: T }> {
  const authorization = `Bearer ${daemon.token}`
  const response = await fetch(new URL(path, daemon.url), { headers: { authorization } })
  return { status: response.status, body: (await response.json()) as T }
}

it('R7 shows a table live, then with its synthesis, and its turns in the log', async () => {
  const seen: RoundtableView[] = []
  const ask = (name: string) => async () => {
    seen.push(...(await see<RoundtableView[]>('/v1/roundtables')).body)
    return { kind: 'said', text: `<b>${name}</b>` } as const
  }
  const driver = new RoundtableDriver({
    supervisor,
    speakers: ['ann', 'bob'].map((name) => ({ name, ask: ask(name) })),
    ...{ turnMs: 60_000, holdMs: 0, workspace: at.project, signal: new AbortController().signal },
    onEvent: () => undefined,
  })
  await driver.open({ topic: 'Tabs?', rounds: 1 })
  expect(seen.map(({ status, speaking, turns }) => [status, speaking?.agent, turns.length])).toEqual([
    ['active', 'ann', 0],
    ['active', 'bob', 1],
    ['synthesizing', undefined, 2],
  ])
  const id = seen[0]?.id ?? ''
  const { body } = await see<RoundtableView>(`/v1/roundtables/${id}`)
  expect(body).toMatchObject({
    ...{ id, session: id, status: 'complete', isDriven: true, profile: 'default', agents: ['ann', 'bob'] },
    turns: [
      { agent: 'ann', role: 'advocate', outcome: 'spoken', content: '<b>ann</b>', durationMs: expect.any(Number) },
      { agent: 'bob', role: 'critic' },
    ],
    synthesis: { agent: 'bob', consensus: null, summary: '<b>bob</b>', isFallback: true, content: '<b>bob</b>' },
  })
  const rows = await see<Row[]>('/v1/decisions?component=roundtable&action=roundtable:turn-end')
  expect(rows.body).toMatchObject([{ session: id }, { session: id }])
})

it('R7 shows what a message opened beside what is driven, and says what there is not', async () => {
  const plan = { id: 'rt-heard', topic: 'x', agents: ['a'], rounds: 1, at: Date.now(), idleMs: 60_000 }
  supervisor.state.set(roundtableKey('a session'), openRoundtable(plan), 0)
  supervisor.state.set(roundtableKey('broken'), { id: 1 }, 0)
  expect((await see('/v1/roundtables')).body).toMatchObject([
    { id: 'rt-heard', session: 'a session', isDriven: false, status: 'active', speaking: { agent: 'a', since: null } },
  ])
  const none = await see('/v1/roundtables/rt-none')
  expect(none).toMatchObject({ status: 404, body: { error: { code: 'ARC_ROUNDTABLE_UNKNOWN' } } })
})
