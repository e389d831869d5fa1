// Asking programs for a turn, with programs that behave badly.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type AgentRun, killAgents, runAgent } from './agent-process.ts'

let dir: string

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'arc-agent-'))
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

const ask = (script: string, options: Partial<AgentRun> = {}) =>
  runAgent({
    ...{ command: 'sh', args: ['-c', script], env: {}, cwd: dir, prompt: 'say something' },
    ...{ timeoutMs: 60_000, graceMs: 200, signal: new AbortController().signal, ...options },
  })

const pidIn = (name: string): number => {
  try {
    return Number(readFileSync(join(dir, name), 'utf8').trim())
  } catch {
    return 0
  }
}

function isAlive(pid: number): boolean {
  try {
    // An uncollected zombie has ended too.
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'latin1'))
  } catch {
    return false
  }
}

async function until(condition: () => boolean): Promise<void> {
  for (let tries = 0; tries < 2_000 && !condition(); tries++) await new Promise((resolve) => setTimeout(resolve, 50))
  expect(condition()).toBe(true)
}

// Ends the run once the program has written what it is known by, so that no clock decides.
async function endWhen(names: readonly string[], script: string) {
  const controller = new AbortController()
  const ended = ask(script, { signal: controller.signal })
  await until(() => names.every((name) => pidIn(name) > 0))
  const pids = names.map(pidIn)
  expect(pids.every(isAlive)).toBe(true)
  controller.abort()
  return { end: await ended, pids }
}

describe('asking a program', () => {
  it('R7 gives the prompt on stdin and takes what it says', async () => {
    const end = await ask('read line; echo "heard: $line"; echo aside >&2')
    expect(end).toMatchObject({ kind: 'exit', code: 0, stdout: { text: 'heard: say something\n' } })
    expect(end.stderr.text).toBe('aside\n')
  })

  it('R7 takes a program that never reads a large prompt as it is', async () => {
    expect(await ask('exec 0<&-; echo done', { prompt: 'x'.repeat(5_000_000) })).toMatchObject({
      kind: 'exit',
      stdout: { text: 'done\n' },
    })
  })

  it('R7 keeps a bounded part of 200 MB, and counts the rest', async () => {
    const { kind, stdout } = await ask('head -c 200000000 /dev/zero | tr "\\0" x')
    expect(kind).toBe('exit')
    expect(stdout.text.length).toBe(1024 * 1024)
    expect(stdout.text.length + stdout.droppedBytes).toBe(200_000_000)
  })

  it('R7 says what could not be started, and by what it was ended', async () => {
    expect(await ask('', { command: './none' })).toMatchObject({ kind: 'not-started', why: './none was not found' })
    expect(await ask('kill -KILL $$')).toMatchObject({ kind: 'signal', why: 'SIGKILL' })
    expect(await ask('exit 7')).toMatchObject({ kind: 'exit', code: 7 })
  })

  it('R7 ends at its time limit', async () => {
    expect(await ask('sleep 1000', { timeoutMs: 200 })).toMatchObject({ kind: 'timeout' })
  })

  it('R7 ends a program and its children though they ignore TERM', async () => {
    const script = `trap '' TERM; (trap '' TERM; echo $$ > own; sh -c 'trap "" TERM; echo $$ > child; sleep 1000') & echo $$ > leader; wait`
    const { end, pids } = await endWhen(['leader', 'child'], script)
    expect(end.kind).toBe('aborted')
    expect(pids.map(isAlive)).toEqual([false, false])
  })

  it.runIf(process.platform === 'linux')('also ends processes that started their own sessions', async () => {
    const script = `setsid sh -c 'trap "" TERM; echo $$ > stray; sleep 1000' & echo $$ > leader; wait`
    const { pids } = await endWhen(['leader', 'stray'], script)
    await until(() => !pids.some(isAlive))
  })

  it('R7 leaves nothing running that a program left behind at its end', async () => {
    const end = await ask(`sh -c 'echo $$ > left; sleep 1000' & until test -s left; do sleep 0.05; done; echo said`)
    expect(end).toMatchObject({ kind: 'exit', code: 0, stdout: { text: 'said\n' } })
    expect(pidIn('left')).toBeGreaterThan(0)
    expect(isAlive(pidIn('left'))).toBe(false)
  })

  it('R7 runs no agent after an interrupt, and can end at once', async () => {
    expect(await ask('echo no', { signal: AbortSignal.abort() })).toMatchObject({ kind: 'aborted' })
    const ended = ask('trap "" TERM; echo $$ > leader; sleep 1000')
    await until(() => pidIn('leader') > 0)
    killAgents()
    expect(await ended).toMatchObject({ kind: 'signal', why: 'SIGKILL' })
  })
})
