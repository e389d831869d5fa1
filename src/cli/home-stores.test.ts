// Commands that read the stores, in homes that do not exist yet.

import { existsSync } from 'node:fs'
import { expect, it } from 'vitest'
import { runArcInProcess } from '../../test/run-in-process.ts'
import { makeHome } from '../../test/supervised-home.ts'

it.each([
  [['logs'], 0, '', /arc sample/],
  [['logs', '--json'], 0, '', /^$/],
  [['why'], 1, '', /arc sample/],
  [['why', 'last', '--json'], 1, '', /arc sample/],
  [['trace', 'export'], 0, '', /^$/],
  [['approvals', 'list'], 0, '', /arc logs --decision ask/],
  [['approvals', 'list', '--json'], 0, '[]\n', /^$/],
  [['breaker', 'status', '--json'], 0, expect.stringContaining('"closed"'), /^$/],
  [['hooks', 'list', '--json'], 0, expect.stringContaining('risk-detection'), /^$/],
  [['profile', 'list', '--json'], 0, expect.stringContaining('default'), /^$/],
])('%j names the next command and creates no home', async (args, code, stdout, stderr) => {
  const { home, project, remove } = makeHome()
  try {
    const ran = await runArcInProcess(args, { home, cwd: project })
    expect(ran).toEqual({ code, stdout, stderr: expect.stringMatching(stderr) })
    expect(existsSync(home)).toBe(false)
  } finally {
    remove()
  }
})
