// `arc serve`, `arc stop` and `arc status`: the life of a real daemon.

import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { ARC, onlyJson, runArc } from '../../../test/run-arc.ts'
import { runArcInProcess } from '../../../test/run-in-process.ts'
import { askNobody } from '../../../test/supervised-home.ts'
import { makeTempFolder } from '../../../test/temp-folder.ts'

interface Status {
  readonly running: boolean
  readonly pid: number | null
  readonly url: string | null
  readonly loginUrl: string | null
  readonly socket: string | null
}

let home: string
const children: ChildProcess[] = []

beforeEach(() => {
  home = makeTempFolder('arc-serve-')
  askNobody(home)
})

afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
})

// Daemons are separate processes; commands that speak to them run in this one.
const arc = (...args: string[]) => (args[0] === 'serve' ? runArc : runArcInProcess)(args, { home })
const status = async () => onlyJson<Status>(await arc('status', '--json'))

interface Served {
  readonly child: ChildProcess
  /** What it printed when it ran. */
  readonly first: Promise<Status>
  readonly ended: Promise<number | null>
}

function serve(...args: string[]): Served {
  const env = { ...process.env, ARC_HOME: home, ARC_PROFILE: '' }
  const child = spawn(process.execPath, [ARC, 'serve', '--no-open', '--json', ...args], { env })
  children.push(child)
  const first = new Promise<Status>((resolve) => {
    let said = ''
    child.stdout.on('data', (text) => {
      said += text
      if (said.includes('\n')) resolve(JSON.parse(said.slice(0, said.indexOf('\n'))) as Status)
    })
  })
  return { child, first, ended: new Promise((resolve) => child.on('exit', resolve)) }
}

it('serves, prints its address, and ends on request', async () => {
  expect(await status()).toMatchObject({ running: false, pid: null, url: null, loginUrl: null, uptimeMs: null })
  const { child, first, ended } = serve('--port', '0')
  const running = await first
  expect(running).toMatchObject({ running: true, pid: child.pid, socket: join(home, 'run/arc.sock') })
  expect(await status()).toMatchObject({ ...running, uptimeMs: expect.any(Number), loginUrl: expect.any(String) })
  const page = await fetch(running.loginUrl ?? '', { redirect: 'manual' })
  expect(page.status).toBe(303)
  expect(onlyJson(await arc('stop', '--json'))).toEqual({ stopped: true, pid: child.pid })
  expect(await ended).toBe(0)
  expect(existsSync(join(home, 'run/arc.sock'))).toBe(false)
  expect(existsSync(join(home, 'run/arc.pid'))).toBe(false)
  expect(onlyJson(await arc('stop', '--json'))).toEqual({ stopped: false, pid: null })
})

it('is one per home: a second one says who runs, how to open its page, and is content', async () => {
  const one = serve('--port', '0')
  const { url } = await one.first
  const shown = (await arc('serve', '--no-open')).stdout
  const [, link = ''] = /open {4}(\S+)/.exec(shown) ?? []
  expect(link.startsWith(`${url}/login?code=`)).toBe(true)
  expect((await fetch(link, { redirect: 'manual' })).status).toBe(303)
  const second = serve()
  expect(await second.first).toMatchObject({ running: true, pid: one.child.pid })
  expect(await second.ended).toBe(0)
})

it('of two that start at once, one runs', async () => {
  const both = [serve('--port', '0'), serve('--port', '0')]
  const [one, other] = await Promise.all(both.map(({ first }) => first))
  expect(one?.pid).toBe(other?.pid)
  expect((await status()).pid).toBe(one?.pid)
})

it('takes over what one that was killed left behind', async () => {
  const one = serve('--port', '0')
  await one.first
  one.child.kill('SIGKILL')
  await one.ended
  expect(existsSync(join(home, 'run/arc.sock'))).toBe(true)
  expect((await status()).running).toBe(false)
  const { child, first } = serve('--port', '0')
  expect((await first).pid).toBe(child.pid)
})

it('is not held up by the number of another process', async () => {
  mkdirSync(join(home, 'run'), { recursive: true })
  writeFileSync(join(home, 'run/arc.pid'), JSON.stringify({ pid: process.pid, startedAt: 1 }))
  const { child, first } = serve('--port', '0')
  expect((await first).pid).toBe(child.pid)
})

it('keeps its token, so that programs continue to work', async () => {
  const token = () => readFileSync(join(home, 'run/token'), 'utf8')
  const one = serve('--port', '0')
  await one.first
  const before = token()
  await arc('stop')
  await serve('--port', '0').first
  expect(token()).toBe(before)
})

it('names the port that is in use', async () => {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const { code, stderr } = await arc('serve', '--port', String(port))
  server.close()
  expect(code).toBe(1)
  expect(stderr).toMatch(new RegExp(`Cannot listen on port ${port}: .*EADDRINUSE`))
  expect((await status()).running).toBe(false)
  expect((await arc('serve', '--port', 'x')).code).toBe(2)
})

it('G4 arc stop ends no other process, whatever the note or the socket say', async () => {
  // Its command line looks like that of a daemon, and the note has its number.
  const other = spawn(process.execPath, ['-e', 'setInterval(() => undefined, 1e3)', 'arc', 'serve'])
  children.push(other)
  mkdirSync(join(home, 'run'), { recursive: true })
  writeFileSync(join(home, 'run/arc.pid'), JSON.stringify({ pid: other.pid, start: '1', startedAt: Date.now() }))
  expect(onlyJson(await arc('stop', '--json'))).toEqual({ stopped: false, pid: null })
  // Somebody else answers at the socket and names the process.
  rmSync(join(home, 'run/arc.pid'))
  const plain = spawn(process.execPath, ['-e', 'setInterval(() => undefined, 1e3)'])
  children.push(plain)
  const liar = createServer((_, response) => response.end(JSON.stringify({ ok: true, version: '1', pid: plain.pid })))
  await new Promise<void>((resolve) => liar.listen(join(home, 'run/arc.sock'), resolve))
  const { code, stderr } = await arc('stop')
  liar.close()
  expect([code, stderr]).toEqual([1, expect.stringContaining('was not stopped')])
  for (const { exitCode, signalCode } of [other, plain]) expect([exitCode, signalCode]).toEqual([null, null])
})

it('ends one that does not answer any more', async () => {
  const one = serve('--port', '0')
  await one.first
  one.child.kill('SIGSTOP')
  const doctor = onlyJson<{ ok: boolean; checks: { name: string; ok: boolean }[] }>(await arc('doctor', '--json'))
  expect(doctor.checks.find(({ name }) => name === 'daemon')).toMatchObject({ ok: false })
  expect((await arc('serve')).code).toBe(1)
  one.child.kill('SIGCONT')
  expect((await arc('stop')).code).toBe(0)
})

const SAMPLES = [{ beside: 'nothing' }, { beside: 'one that runs already' }]

it.each(SAMPLES)(
  'plays the sample beside $beside, and a person answers what it holds',
  async ({ beside }) => {
    if (beside !== 'nothing') await serve('--port', '0').first
    const env = { ...process.env, ARC_HOME: home, ARC_PROFILE: '', NO_COLOR: '1' }
    const child = spawn(process.execPath, [ARC, 'serve', '--no-open', '--port', '0', '--sample'], { env })
    children.push(child)
    const ended = new Promise((resolve) => child.on('exit', resolve))
    let said = ''
    const heard = (pattern: RegExp) =>
      new Promise<RegExpExecArray>((resolve) => {
        const look = () => {
          const found = pattern.exec(said)
          if (found !== null) resolve(found)
        }
        child.stdout.on('data', (text) => {
          said += text
          look()
        })
      })
    const [, approval = ''] = await heard(/arc approve (\w+)\n/)
    expect((await arc('approvals', 'approve', approval)).code).toBe(0)
    const [, login = ''] = await heard(/dashboard, signed in: (\S+)\n/)
    expect(said).toContain('Deleted branch experiment')
    const { url, enforcement } = (await status()) as Status & { enforcement: string }
    expect(enforcement).toBe('log')
    const signedIn = await fetch(login, { redirect: 'manual' })
    const [cookie = ''] = (signedIn.headers.get('set-cookie') ?? '').split(';')
    const answer = await fetch(`${url}/v1/decisions`, { headers: { cookie } })
    expect(answer.status).toBe(200)
    expect(JSON.stringify(await answer.json())).toContain('"session":"sample-')
    if (beside === 'nothing') child.kill('SIGINT')
    expect(await ended).toBe(0)
  },
  60_000,
)
