// A daemon whose files are removed or replaced while it runs: real processes, found by their home.

import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { findProcesses } from '../../../test/processes.ts'
import { ARC, onlyJson } from '../../../test/run-arc.ts'
import { runArcInProcess } from '../../../test/run-in-process.ts'
import { type ServedHome, serveHome } from '../../../test/served-home.ts'
import { makeHome } from '../../../test/supervised-home.ts'
import { loadToken } from '../http/auth.ts'
import { type Daemon, startDaemon } from '../server.ts'
import { requestHealth } from './lifecycle.ts'

const DANGER = 'git reset --hard'
const SOON = { timeout: 20_000, interval: 100 }

interface Status {
  readonly running: boolean
  readonly pid: number | null
}

// Finding processes by their home needs /proc.
describe.runIf(existsSync('/proc/self/fd'))('the files of a daemon', () => {
  let at: ServedHome
  const others: ChildProcess[] = []
  beforeEach(async () => {
    at = await serveHome()
  })
  afterEach(async () => {
    for (const other of others.splice(0)) other.kill('SIGKILL')
    await at.stop()
  })

  const run = (...args: string[]) => runArcInProcess(args, { home: at.home })
  const status = async () => onlyJson<Status>(await run('status', '--json'))
  const file = (name: string) => join(at.home, 'run', name)
  const daemons = () => findProcesses(`ARC_HOME=${at.home}`).filter(({ command }) => command.includes(' serve '))
  const decision = () => at.decide(at.root, DANGER).catch(() => 'no answer')

  it.each([
    ['its socket', () => rmSync(file('arc.sock'))],
    ['its socket, replaced by a file', () => replaceSocket()],
    ['its pid file', () => rmSync(file('arc.pid'))],
    ['its pid file, replaced by one of another process', () => writeFileSync(file('arc.pid'), otherRecord())],
    ['its folder', () => rmSync(join(at.home, 'run'), { recursive: true })],
    ['its token', () => rmSync(file('token'))],
  ])('Z3 a daemon that lost %s is found again, and it is the same daemon', async (_what, lose) => {
    const token = readFileSync(file('token'), 'utf8').trim()
    lose()
    await expect.poll(() => existsSync(file('token')) && readFileSync(file('token'), 'utf8').trim(), SOON).toBe(token)
    await expect.poll(decision, SOON).toBe('deny')
    await expect.poll(() => readPid(file('arc.pid')), SOON).toBe(at.pid)
    expect(await status()).toMatchObject({ running: true, pid: at.pid })
    expect(daemons().map(({ pid }) => pid)).toEqual([at.pid])
    expect(onlyJson(await run('stop', '--json'))).toEqual({ stopped: true, pid: at.pid })
    expect(daemons()).toEqual([])
  })

  function replaceSocket(): void {
    rmSync(file('arc.sock'))
    writeFileSync(file('arc.sock'), '')
  }

  // Its number and its start are right, but it is no daemon.
  function otherRecord(): string {
    const start = readFileSync('/proc/self/stat', 'utf8').split(') ')[1]?.split(' ')[19]
    return JSON.stringify({ pid: process.pid, start, startedAt: Date.now() - 60_000 })
  }

  it.each(['serve', 'status'])('Z3 arc %s waits for a daemon that has just lost its socket', async (command) => {
    rmSync(file('arc.sock'))
    expect(onlyJson<Status>(await run(command, '--json'))).toMatchObject({ running: true, pid: at.pid })
    expect(daemons()).toHaveLength(1)
  })

  it('Z3 of two daemons of one home one is left, and it answers', async () => {
    rmSync(join(at.home, 'run'), { recursive: true })
    const env = { ...process.env, ARC_HOME: at.home, ARC_PROFILE: '' }
    const other = spawn(process.execPath, [ARC, 'serve', '--no-open', '--port', '0'], { env, stdio: 'ignore' })
    others.push(other)
    await expect.poll(() => daemons().length, SOON).toBe(1)
    await expect.poll(decision, SOON).toBe('deny')
    const [left] = daemons()
    expect(await status()).toMatchObject({ running: true, pid: left?.pid })
    expect([at.pid, other.pid]).toContain(left?.pid)
  })

  it.each([
    ['removed', () => rmSync(at.home, { recursive: true, force: true, maxRetries: 10 })],
    ['moved away', () => renameSync(at.home, join(at.root, 'moved'))],
    ['replaced', () => replaceHome()],
  ])('Z3 a daemon whose home was %s ends and leaves no files of a daemon', async (_how, change) => {
    change()
    await expect.poll(() => at.child.exitCode, SOON).toBe(0)
    expect(existsSync(join(at.home, 'run'))).toBe(false)
  })

  function replaceHome(): void {
    renameSync(at.home, join(at.root, 'moved'))
    mkdirSync(at.home)
  }
})

describe('the files of a daemon in this process', () => {
  it('Z3 are restored whatever was removed, and the daemon answers again', async () => {
    const at = makeHome()
    const options = { home: at.home, version: '1.2.3', port: 0, checkMs: 25, report: () => undefined }
    const daemon = (await startDaemon(options)) as Daemon
    onTestFinished(async () => {
      await daemon.stop()
      at.remove()
    })
    const answer = async () => (await requestHealth(daemon.socket, 1_000))?.pid
    for (const name of ['arc.sock', 'arc.pid', 'token', '']) {
      rmSync(join(at.home, 'run', name), { recursive: true })
      await expect.poll(() => readPid(join(at.home, 'run/arc.pid')), SOON).toBe(process.pid)
      await expect.poll(answer, SOON).toBe(process.pid)
      await expect.poll(() => loadToken(at.home), SOON).toBe(daemon.token)
    }
  })
})

function readPid(file: string): number | undefined {
  try {
    return (JSON.parse(readFileSync(file, 'utf8')) as { readonly pid?: number }).pid
  } catch {
    // Not written yet.
    return undefined
  }
}
