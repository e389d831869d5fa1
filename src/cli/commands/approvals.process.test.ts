// Runs the real binary, as a person does while an agent waits.

import { join } from 'node:path'
import { expect, it } from 'vitest'
import { runArc } from '../../../test/run-arc.ts'
import { askNobody } from '../../../test/supervised-home.ts'
import { makeTempFolder } from '../../../test/temp-folder.ts'
import { Approvals } from '../../approvals/approvals.ts'
import { systemClock } from '../../platform/engine-services.ts'
import { newId } from '../../platform/ids.ts'
import { SqliteStateStore } from '../../storage/sqlite/state-store.ts'
import { canonicalize } from '../../trace/canonical.ts'

const HOME = makeTempFolder('arc-home-')
askNobody(HOME)
const STEP = { point: 'pre:tool', tool: 'shell', args: { command: 'git push --force \u001b[2K' }, workspace: '/w' }

const arc = (...args: string[]) => runArc(args, { home: HOME })

it('B5 a person sees what is held, and an answer on the command line ends the wait of another process', async () => {
  const state = new SqliteStateStore(join(HOME, 'arc.db'))
  const approvals = new Approvals({ state, clock: systemClock, newId, canonicalize })
  expect(await arc('approvals', 'list', '--json')).toMatchObject({ code: 0, stdout: '[]\n' })
  // The clock's timers keep no process alive, and this one has something to wait for.
  const alive = setInterval(() => undefined, 1_000)
  const approved = approvals.hold(STEP, { reason: 'it rewrites history', hook: 'risk-detection' })
  const [first] = JSON.parse((await arc('approvals', 'list', '--json')).stdout) as [{ id: string }]
  expect(first).toMatchObject({ step: STEP, reason: 'it rewrites history', expiresAt: expect.any(String) })
  const { stdout } = await arc('approvals', 'list')
  expect(stdout).toContain('git push --force \\u{1b}[2K')
  expect(stdout).not.toContain('\u001b')
  expect(await arc('approvals', 'approve', first.id)).toMatchObject({ code: 0, stdout: '' })
  expect(await approved).toMatchObject({ isApproved: true })
  const denied = approvals.hold(STEP, {})
  const [second] = JSON.parse((await arc('approvals', 'list', '--json')).stdout) as [{ id: string }]
  expect(second.id).not.toBe(first.id)
  expect(JSON.parse((await arc('approvals', 'deny', second.id, '--json')).stdout)).toMatchObject({ status: 'denied' })
  expect(await denied).toMatchObject({ isApproved: false })
  clearInterval(alive)
  expect(await arc('approvals', 'approve', second.id)).toMatchObject({ code: 1, stdout: '' })
  expect((await arc('approvals', 'approve', 'nobody')).stderr).toContain('There is no approval "nobody".')
  state.close()
})

it('says what to do where there is nothing to answer, and takes no id for another', async () => {
  const home = makeTempFolder('arc-home-')
  expect(await runArc(['approvals', 'list'], { home })).toEqual({
    ...{ code: 0, stdout: '' },
    stderr: 'Nothing waits for approval. Past approvals: arc logs --decision ask\n',
  })
  for (const id of ['', '0', '../x', '%']) {
    const { code, stdout, stderr } = await runArc(['approvals', 'approve', '--json', '--', id], { home })
    expect([id, code, stdout]).toEqual([id, 1, ''])
    expect(stderr).toMatch(/^arc: .*There is no approval/)
  }
  expect(await runArc(['approvals', 'approve'], { home })).toMatchObject({ code: 2, stdout: '' })
})
