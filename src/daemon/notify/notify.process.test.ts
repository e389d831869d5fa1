// Messages on the desktop and in the terminal, with real programs.

import { spawn } from 'node:child_process'
import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { makeTempFolder } from '../../../test/temp-folder.ts'
import type { ApprovalView } from '../../protocol/views.ts'
import { ringBell } from './bell.ts'
import { showOnDesktop } from './desktop.ts'

const VIEW: ApprovalView = {
  id: '01JB2',
  step: { point: 'pre:tool', tool: 'Bash', args: {} },
  command: '-x; touch /tmp/pwned <b>$(id)</b>',
  ...{ isCut: false, preview: null, reason: 'It publishes.', hook: 'risk-detection', appliesTo: 'call' },
  ...{ status: 'pending', answeredBy: null, message: null, withdrawnBy: null },
  ...{ createdAt: new Date(0).toISOString(), expiresAt: new Date(0).toISOString() },
}

// Writes its arguments, one per line, as the desktop would show them.
function fakeProgram(exitCode: number): { readonly env: NodeJS.ProcessEnv; shown(): string[] } {
  const folder = makeTempFolder('arc-desktop-')
  const program = join(folder, 'notify-send')
  writeFileSync(
    program,
    `#!/bin/sh\nfor word in "$@"; do printf '%s\\0' "$word"; done > "${folder}/args"\necho "no desktop" >&2\nexit ${exitCode}\n`,
  )
  chmodSync(program, 0o755)
  const shown = (): string[] => readFileSync(join(folder, 'args'), 'utf8').split('\0').slice(0, -1)
  return { env: { PATH: `relative:${folder}:/usr/bin:/bin` }, shown }
}

it('Q4 the desktop shows the command as text, never as options, markup or shell', async () => {
  const { env, shown } = fakeProgram(0)
  await showOnDesktop({ kind: 'waiting', view: VIEW }, { env })
  const text = '-x; touch /tmp/pwned &lt;b&gt;$(id)&lt;/b&gt;\nIt publishes.\narc approve 01JB2'
  expect(shown().slice(-3)).toEqual(['--', 'ARC: a step needs approval', text])
  await showOnDesktop({ kind: 'over', view: { ...VIEW, status: 'denied' } }, { env })
  expect(shown().slice(-2)[0]).toBe('ARC: denied')
})

it('Q4 a desktop that fails says why', async () => {
  const { env } = fakeProgram(1)
  await expect(showOnDesktop({ kind: 'waiting', view: VIEW }, { env })).rejects.toThrow('no desktop')
  const none = showOnDesktop({ kind: 'waiting', view: VIEW }, { env: { PATH: makeTempFolder('arc-empty-') } })
  await expect(none).rejects.toThrow('none of notify-send, osascript is on PATH')
})

const TERMINAL = `
import os, pty, sys
pid, terminal = pty.fork()
if pid == 0:
    os.write(1, b'R')
    os.execvp('cat', ['cat'])
os.read(terminal, 1)
print(pid, flush=True)
sys.stdout.write(repr(os.read(terminal, 1)))
sys.stdout.flush()
os.close(terminal)
os.waitpid(pid, 0)
`

it('Q4 the bell rings in the terminal of the agent, and nowhere without one', async () => {
  const terminal = spawn('python3', ['-c', TERMINAL], { stdio: ['ignore', 'pipe', 'inherit'] })
  let output = ''
  const ended = new Promise((resolve) => terminal.on('close', resolve))
  const pid = new Promise<number>((resolve) => {
    terminal.stdout.on('data', (part) => {
      output += part
      const [line, rest] = output.split('\n')
      if (rest !== undefined) resolve(Number(line))
    })
  })
  ringBell(await pid)
  await ended
  expect(output).toContain("b'\\x07'")
  expect(() => ringBell(undefined)).not.toThrow()
  expect(() => ringBell(2 ** 22 + 1)).not.toThrow()
})
