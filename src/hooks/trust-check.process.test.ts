// A trusted script that changes between loading and running: the hook does not run, although nothing was loaded again.

import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { LAYER, makeHome, PROFILE } from '../../test/supervised-home.ts'
import { trustProject } from '../config/trusted-projects.ts'
import { Supervisor } from '../supervisor/supervisor.ts'

it('C2 a script that changed after it was trusted does not run, also before the change is noticed', async () => {
  const at = makeHome()
  at.write(PROFILE, { enforcement: 'enforce' })
  at.write(LAYER, {
    commands: [{ name: 'check', event: 'pre_tool_use', matcher: 'bash', command: 'sh a.sh', blocking: true }],
  })
  at.write('project/a.sh', '. ./lib.sh\n')
  at.write('project/lib.sh', 'echo ran >> ran.txt\n')
  const supervisor = new Supervisor({ home: at.home, project: at.project })
  const decide = async () => (await supervisor.decide('pre:tool', { tool: 'bash', args: { command: 'ls' } })).decision
  const { dir = '', hash = '' } = supervisor.project ?? {}
  trustProject(supervisor.state, dir, hash, Date.now())
  supervisor.reload()
  expect(await decide()).toBe('pass')
  expect(await decide()).toBe('pass')
  expect(existsSync(join(at.project, 'ran.txt'))).toBe(true)
  writeFileSync(join(at.project, 'lib.sh'), 'touch evil.txt\n')
  expect(await decide()).toBe('block')
  expect(existsSync(join(at.project, 'evil.txt'))).toBe(false)
  await supervisor.close()
})
