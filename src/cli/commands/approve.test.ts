// `arc approve` and `arc deny`, the short forms of `arc approvals`.

import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { runArcInProcess } from '../../../test/run-in-process.ts'
import { askNobody } from '../../../test/supervised-home.ts'
import { makeTempFolder } from '../../../test/temp-folder.ts'
import { Approvals } from '../../approvals/approvals.ts'
import { systemClock } from '../../platform/engine-services.ts'
import { SqliteStateStore } from '../../storage/sqlite/state-store.ts'
import { canonicalize } from '../../trace/canonical.ts'

let home: string
let ids = 0

beforeEach(() => {
  home = makeTempFolder('arc-approve-')
  askNobody(home)
  ids = 0
})

const arc = (...args: string[]) => runArcInProcess(args, { home })

function withApprovals<T>(work: (approvals: Approvals) => T): T {
  const state = new SqliteStateStore(join(home, 'arc.db'))
  try {
    return work(new Approvals({ state, clock: systemClock, newId: () => `01JB${++ids}`, canonicalize }))
  } finally {
    state.close()
  }
}

const hold = (command: string): string =>
  withApprovals((approvals) => {
    const step = { point: 'pre:tool', tool: 'Bash', args: { command }, workspace: '/w', session: 's' }
    return approvals.request(step, { reason: 'why' }).id
  })
const read = (id: string) => withApprovals((approvals) => approvals.get(id))

it('Q4 without an id, approve and deny take the only step that waits', async () => {
  const first = hold('npm publish')
  const { code, stderr } = await arc('approve')
  expect([code, read(first)?.status]).toEqual([0, 'approved'])
  expect(stderr).toMatch(/approved: .*npm publish\nThe agent may now make the same call once in \/w: it expires in/)
  const second = hold('terraform apply')
  const denied = await arc('deny', '--message', 'only on fridays', '--json')
  expect(JSON.parse(denied.stdout)).toMatchObject({ id: second, status: 'denied' })
  expect(read(second)).toMatchObject({ status: 'denied', message: 'only on fridays' })
  expect(await arc('approve')).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/No step waits for approval.*ARC_APPROVAL_UNKNOWN/),
  })
})

it('Q4 with several steps, or a prefix of several ids, they are listed and nothing changes', async () => {
  const all = [hold('npm publish'), hold('terraform apply')]
  for (const args of [['approve'], ['deny'], ['approve', '01J'], ['approvals', 'deny', '01JB']]) {
    const { code, stdout, stderr } = await arc(...args)
    expect([args, code, stdout]).toEqual([args, 1, ''])
    for (const [at, command] of ['npm publish', 'terraform apply'].entries()) {
      expect(stderr).toContain(`${all[at]}  pre:tool Bash: ${command}`)
    }
    expect(stderr).toContain('ARC_APPROVAL_AMBIGUOUS')
  }
  expect(all.map((id) => read(id)?.status)).toEqual(['pending', 'pending'])
  expect((await arc('deny', '01JB2')).code).toBe(0)
  expect(read('01JB2')?.status).toBe('denied')
})

it('Q4 an answer to an approval that is over says why, and changes nothing', async () => {
  const id = hold('npm publish')
  withApprovals((approvals) => {
    approvals.request(
      { point: 'pre:tool', tool: 'Bash', args: {}, workspace: '/w', session: 's' },
      { appliesTo: 'prompt' },
    )
    approvals.withdraw({ by: 'turn', session: 's', workspace: '/w' })
    approvals.answer(id, 'approve')
  })
  const answers: readonly (readonly [string, string])[] = [
    [id, 'it is approved'],
    ['01JB2', 'it is withdrawn, because the turn has ended'],
  ]
  for (const [given, why] of answers) {
    const before = read(given)
    const { code, stderr } = await arc('deny', given)
    expect([code, stderr]).toEqual([1, expect.stringContaining(why)])
    expect(stderr).toContain('ARC_APPROVAL_OVER')
    expect(read(given)).toEqual(before)
  }
  expect((await arc('approve', 'nothing')).stderr).toContain('ARC_APPROVAL_UNKNOWN')
})
