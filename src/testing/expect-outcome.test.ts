// The assertions on outcomes, on real engines and supervisors.

import { join } from 'node:path'
import { expect, it } from 'vitest'
import { makeTempFolder } from '../../test/temp-folder.ts'
import { definePoint } from '../engine/point-names.ts'
import { createEngine } from '../platform/hook-engine.ts'
import { createSupervisor } from '../supervisor/create-supervisor.ts'
import { expectAllowed, expectBlocked } from './expect-outcome.ts'

const CALL = { tool: 'shell', args: { command: 'reboot' } }
const noReboot = ({ data }: { readonly data: { readonly args: object } }) =>
  JSON.stringify(data.args).includes('reboot') ? ({ decision: 'block', reason: 'no reboot' } as const) : 'pass'

it('M1 return the outcome of a step that is as expected', async () => {
  const engine = createEngine({ mode: 'enforce' })
  engine.register('pre:tool', noReboot, { name: 'no-reboot' })
  expect(await expectBlocked(engine, 'pre:tool', CALL)).toMatchObject({ decision: 'block', hook: 'no-reboot' })
  const calm = { tool: 'shell', args: { command: 'ls' } }
  expect(await expectAllowed(engine, 'pre:tool', calm, { session: 's' })).toMatchObject({
    decision: 'pass',
    data: calm,
  })
})

it('M1 say what happened otherwise: decision, mode, hook, reason, and what enforce would do', async () => {
  const engine = createEngine()
  engine.register('pre:tool', noReboot, { name: 'no-reboot' })
  await expect(expectBlocked(engine, 'pre:tool', CALL)).rejects.toThrow(
    [
      'Expected pre:tool {"tool":"shell","args":{"command":"reboot"}} to be blocked, but it may run.',
      ...['  decision: flag', '  mode: log', '  hook: no-reboot', '  reason: no reboot'],
      "  would be blocked in enforce: set mode to 'enforce' to apply it",
    ].join('\n'),
  )
  const empty = createEngine({ mode: 'enforce' })
  await expect(expectBlocked(empty, 'pre:tool', CALL)).rejects.toThrow(
    'decision: pass\n  mode: enforce\n  hook: none decided',
  )
  engine.mode = 'enforce'
  await expect(expectAllowed(engine, 'pre:tool', CALL)).rejects.toThrow(
    /to run, but it must not\.\n {2}decision: block/,
  )
  const deploy = definePoint({ name: 'pre:deploy', canAbort: true, modify: ['to'], data: {} as { to: string } })
  const own = createEngine({ points: [deploy] })
  await expect(expectBlocked(own, deploy, { to: 'x'.repeat(1_000) })).rejects.toThrow(
    /^Expected pre:deploy .{1,220}… to be/,
  )
})

it('M1 a supervisor takes mode or enforcement, prints no notice, and works with the assertions', async () => {
  const home = join(makeTempFolder('arc-expect-'), 'home')
  const printed: string[] = []
  const write = process.stderr.write
  process.stderr.write = ((text: string) => printed.push(text) > 0) as typeof write
  try {
    for (const options of [
      { mode: 'enforce' },
      { enforcement: 'enforce' },
      { mode: 'warn', enforcement: 'warn' },
    ] as const) {
      const supervisor = await createSupervisor({ home, askMs: 0, ...options })
      supervisor.engine.register('pre:tool', noReboot, { name: 'no-reboot' })
      const isEnforced = supervisor.engine.mode === 'enforce'
      await (isEnforced ? expectBlocked : expectAllowed)(supervisor, 'pre:tool', CALL)
      if (!isEnforced) await expect(expectBlocked(supervisor, 'pre:tool', CALL)).rejects.toThrow('mode: advise')
      await supervisor.close()
    }
  } finally {
    process.stderr.write = write
  }
  expect(printed).toEqual([])
  await expect(createSupervisor({ home, mode: 'log', enforcement: 'enforce' })).rejects.toThrow(
    /^mode and enforcement are the same option, but got mode "log" and enforcement "enforce"; give one\./,
  )
  await expect(createSupervisor({ home, mode: 'strict' as 'log' })).rejects.toThrow(/mode must be one of off, log/)
})
