// `arc hook` as hosts run it: real processes, and everything that can be wrong around them.

import { type ChildProcess, spawn } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ARC, type Ran, runArc, runProgram } from '../../../test/run-arc.ts'
import { askNobody } from '../../../test/supervised-home.ts'
import { makeTempFolder } from '../../../test/temp-folder.ts'
import { loadableDrivers, loadDriver } from '../../storage/sqlite/driver/load-driver.ts'
import { cachePath } from './cached-code.ts'
import { installLauncher } from './launcher.ts'

// Daemons are asked here, and started by the tests alone.
process.env.ARC_DAEMON = 'ask'

let home: string
let launcher: string
const children: ChildProcess[] = []
const folders: string[] = []

function folder(name: string): string {
  const made = makeTempFolder(name)
  folders.push(made)
  return made
}

function setProfile(profile: object | string): void {
  mkdirSync(join(home, 'profiles'), { recursive: true })
  writeFileSync(join(home, 'profiles/default.json'), typeof profile === 'string' ? profile : JSON.stringify(profile))
}

beforeEach(() => {
  home = folder('arc-hook-')
  askNobody(home)
  setProfile({ enforcement: 'enforce' })
  launcher = installLauncher({ home, node: process.execPath, arc: ARC })
})

afterEach(async () => {
  for (const child of children.splice(0)) {
    child.kill('SIGCONT')
    child.kill('SIGKILL')
  }
  for (const made of folders.splice(0)) rmSync(made, { recursive: true, force: true })
})

let calls = 0

function payload(command: string, more: object = {}): string {
  const id = `call-${++calls}`
  const call = { session_id: 's', cwd: home, hook_event_name: 'PreToolUse', tool_name: 'Bash', tool_use_id: id }
  return JSON.stringify({ ...call, tool_input: { command }, ...more })
}

const DANGER = 'git reset --hard'

async function until(check: () => Promise<boolean>): Promise<void> {
  while (!(await check())) await new Promise((resolve) => setTimeout(resolve, 50))
}

const hook = (input: string, env: Record<string, string> = {}) => runArc(['hook', 'claude'], { home, input, env })

async function startDaemon(): Promise<ChildProcess> {
  const env = { ...process.env, ARC_HOME: home, ARC_PROFILE: '' }
  const child = spawn(process.execPath, [ARC, 'serve', '--no-open', '--port', '0'], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  children.push(child)
  await new Promise<void>((resolve, reject) => {
    let said = ''
    child.stdout.on('data', (text) => {
      said += text
      if (said.includes('socket')) resolve()
    })
    child.on('exit', (code) => reject(new Error(`arc serve ended with ${code}`)))
  })
  return child
}

const expectDenied = ({ code, stdout, stderr }: Ran, why: string): void => {
  expect(stderr).toContain(why)
  expect(code).toBe(2)
  expect(JSON.parse(stdout).hookSpecificOutput.permissionDecision).toBe('deny')
}

it('denies in the dialect of the host, and lets pass without a word', async () => {
  expectDenied(await hook(payload(DANGER)), 'uncommitted')
  expect(await hook(payload('ls'))).toEqual({ code: 0, stdout: '', stderr: '' })
})

it('leaves the compiled form of its code for the next call, where there is none for this Node', async () => {
  const copy = join(folder('arc-copy-'), 'arc')
  const root = dirname(dirname(ARC))
  cpSync(join(root, 'dist/cli'), join(copy, 'dist/cli'), { recursive: true })
  cpSync(join(root, 'bin'), join(copy, 'bin'), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
  const bundles = ['dist/cli/hook.cjs', 'dist/cli/commands.cjs'].map((name) => join(copy, name))
  for (const bundle of bundles) rmSync(cachePath(bundle))
  const run = (...args: string[]) =>
    runProgram(process.execPath, [join(copy, 'bin/arc'), ...args], { env: { ARC_HOME: home }, input: payload(DANGER) })
  expectDenied(await run('hook', 'claude'), 'uncommitted')
  expect(await run('mode')).toMatchObject({ code: 0 })
  for (const bundle of bundles) expect(statSync(cachePath(bundle)).size).toBeGreaterThan(100_000)
  expectDenied(await run('hook', 'claude'), 'uncommitted')
  // A damaged bundle of the hook: the commands answer.
  writeFileSync(bundles[0] as string, '(')
  expectDenied(await run('hook', 'claude'), 'uncommitted')
})

it('names the hosts there are when asked for another', async () => {
  const { code, stderr } = await runArc(['hook', 'cladue'], { home, input: '{}' })
  expect(code).toBe(2)
  expect(stderr).toContain('Did you mean "claude"?')
})

describe('whatever happens, in enforce a danger is stopped', () => {
  it('with a configuration that cannot be read any more', async () => {
    expectDenied(await hook(payload(DANGER)), 'uncommitted')
    setProfile('{ "enforcement": ')
    expectDenied(await hook(payload(DANGER)), 'uncommitted')
  })

  it('with a database that another program keeps locked', async () => {
    await hook(payload('ls'))
    const db = loadDriver().open(join(home, 'arc.db'))
    db.pragma('locking_mode = EXCLUSIVE')
    db.exec('BEGIN EXCLUSIVE')
    try {
      expectDenied(await hook(payload(DANGER)), 'uncommitted')
    } finally {
      db.close()
    }
  })

  it('on a disk where nothing can be written', async () => {
    const args = ['-c', 'ulimit -f 0; exec "$0" "$1" hook claude', process.execPath, ARC]
    const ran = await runProgram('/bin/sh', args, { env: { ARC_HOME: home }, input: payload(DANGER) })
    expectDenied(ran, 'uncommitted')
  })

  it.runIf(!loadableDrivers().includes('node'))('without any SQLite', async () => {
    const bare = folder('arc-bare-')
    const root = dirname(dirname(ARC))
    cpSync(join(root, 'bin'), join(bare, 'bin'), { recursive: true })
    symlinkSync(join(root, 'dist'), join(bare, 'dist'))
    // Without its code, and in the way of any that lies in a folder above.
    for (const name of ['libsql', 'better-sqlite3']) {
      mkdirSync(join(bare, 'node_modules', name), { recursive: true })
      writeFileSync(join(bare, 'node_modules', name, 'package.json'), '{ "main": "gone.js" }')
    }
    const args = ['--preserve-symlinks', '--preserve-symlinks-main', join(bare, 'bin/arc'), 'hook', 'claude']
    const ran = await runProgram(process.execPath, args, { env: { ARC_HOME: home }, input: payload(DANGER) })
    expectDenied(ran, 'uncommitted')
    expect(ran.stderr).toMatch(
      /No SQLite could be loaded\. node: .* libsql: Cannot find .* better-sqlite3: Cannot find/,
    )
  })

  it('with a payload that is none', async () => {
    const ran = await runArc(['hook', 'claude', 'PreToolUse'], { home, input: 'not json' })
    expectDenied(ran, 'not JSON')
  })

  it('with a daemon that hangs: without the daemon, after a short wait', async () => {
    const daemon = await startDaemon()
    daemon.kill('SIGSTOP')
    expectDenied(await hook(payload(DANGER)), 'uncommitted')
    expectDenied(await runProgram(launcher, ['hook', 'claude'], { input: payload(DANGER) }), 'uncommitted')
  })

  it('with something else that listens on the socket', async () => {
    mkdirSync(join(home, 'run'), { recursive: true })
    const server = createServer((socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'))
    await new Promise<void>((resolve) => server.listen(join(home, 'run/arc.sock'), resolve))
    try {
      expectDenied(await hook(payload(DANGER)), 'uncommitted')
      expectDenied(await runProgram(launcher, ['hook', 'claude'], { input: payload(DANGER) }), 'uncommitted')
    } finally {
      server.close()
    }
  })

  it('when the host ends it before the payload is there', async () => {
    const tell = 'process.on("newListener", (name) => name === "SIGTERM" && process.stderr.write("ready"))'
    const args = ['--import', `data:text/javascript,${encodeURIComponent(tell)}`, ARC, 'hook', 'claude', 'PreToolUse']
    const child = spawn(process.execPath, args, { env: { ...process.env, ARC_HOME: home } })
    children.push(child)
    let stderr = ''
    child.stderr.on('data', (text) => {
      if (stderr === '') child.kill('SIGTERM')
      stderr += text
    })
    const ended = new Promise<number | null>((resolve) => child.on('close', resolve))
    child.stdin.write('{"hook_event_name":"PreToolUse"')
    expect(await ended).toBe(2)
    expect(stderr).toContain('ARC could not check this')
  })
})

it('says so where not even the configuration can be read', async () => {
  if (process.getuid?.() !== 0) return
  const root = folder('arc-foreign-')
  chmodSync(root, 0o755)
  mkdirSync(join(root, 'home'), { mode: 0o700 })
  const options = { home: join(root, 'home'), input: payload('ls'), uid: 65_534, cwd: root }
  expect((await runArc(['hook', 'claude'], options)).stderr).toMatch(/cannot be read: .*EACCES/)
})

it('answers a host that never closes stdin', async () => {
  const child = spawn(process.execPath, [ARC, 'hook', 'claude'], { env: { ...process.env, ARC_HOME: home } })
  children.push(child)
  const ended = new Promise<number | null>((resolve) => child.on('exit', resolve))
  child.stdin.write(payload(DANGER))
  expect(await ended).toBe(2)
})

it('passes calls that it cannot check below enforce, and reports it', async () => {
  setProfile({ enforcement: 'log' })
  const { code, stderr } = await runArc(['hook', 'claude', 'PreToolUse'], { home, input: 'not json' })
  expect(code).toBe(0)
  expect(stderr).toContain('ARC could not check this')
})

describe('the launcher', () => {
  const launch = (input: string, options: { cwd?: string; env?: Record<string, string> } = {}) =>
    runProgram(launcher, ['hook', 'claude'], { input, ...options })
  const nameless = ({ code, stdout, stderr }: Ran): Ran => {
    const strip = (text: string): string => text.replace(/[0-9A-HJKMNP-TV-Z]{26}/g, 'ID')
    return { code, stdout: strip(stdout), stderr: strip(stderr) }
  }
  const stepsSeen = async (): Promise<number> => {
    const { stdout } = await runArc(['logs', '--json', '--limit', '1000', '--component', 'hooks'], { home })
    return new Set(stdout.split('\n').map((line) => line.slice(7, 33))).size
  }

  it('gives what arc hook gives, with a daemon and without', async () => {
    const inputs = [
      payload('ls'),
      payload(DANGER),
      'not json',
      '',
      payload('x'.repeat(300_000)),
      `${payload('ls')}\n\n`,
    ]
    const plain: Ran[] = []
    for (const input of inputs) plain.push(nameless(await launch(input)))
    await startDaemon()
    for (const [at, input] of inputs.entries()) {
      const again = input.replaceAll('call-', 'again-')
      expect(nameless(await launch(again))).toEqual(plain[at])
      expect(nameless(await hook(again.replaceAll('again-', 'third-')))).toEqual(plain[at])
    }
  })

  it('works without curl, from a folder with a strange name, and for the profile of the run', async () => {
    await startDaemon()
    const bin = folder('arc-path-')
    for (const name of ['sh', 'cat']) symlinkSync(`/bin/${name}`, join(bin, name))
    expectDenied(await launch(payload(DANGER), { env: { PATH: bin } }), 'uncommitted')
    const odd = join(folder('arc-odd-'), `it's 100% "ö"\n`)
    mkdirSync(odd)
    expectDenied(await launch(payload(DANGER), { cwd: odd }), 'uncommitted')
    setProfile({ enforcement: 'log' })
    writeFileSync(join(home, 'profiles/hard.json'), '{ "enforcement": "enforce" }')
    await until(async () => (await launch(payload(DANGER))).code === 0)
    expectDenied(await launch(payload(DANGER), { env: { ARC_PROFILE: 'hard' } }), 'uncommitted')
  })

  it('falls back when the daemon dies, and leaves one record a call', async () => {
    const daemon = await startDaemon()
    await launch(payload('ls'))
    daemon.kill('SIGKILL')
    expectDenied(await launch(payload(DANGER)), 'uncommitted')
    expect(await stepsSeen()).toBeGreaterThan(0)
  })

  it('waits with the daemon for a person, for as long as it takes', async () => {
    const reviewer = {
      name: 'ask-first',
      event: 'pre_tool_use',
      command: `echo '{"decision":"ask","reason":"a person first"}'`,
    }
    setProfile({ enforcement: 'enforce', commands: [reviewer] })
    await startDaemon()
    const held = runProgram(launcher, ['hook', 'codex'], { input: payload('make release') })
    const id = await heldId()
    // Longer than a silent daemon would be waited for.
    await new Promise((resolve) => setTimeout(resolve, 2_500))
    await runArc(['approvals', 'approve', id], { home })
    const { code, stdout } = await held
    expect(code).toBe(0)
    expect(stdout).not.toContain('deny')
  })

  async function heldId(): Promise<string> {
    for (;;) {
      const { stdout } = await runArc(['approvals', 'list', '--json'], { home })
      const [first] = JSON.parse(stdout) as { id: string }[]
      if (first !== undefined) return first.id
    }
  }
})

it("the launcher is only its owner's, and survives paths with quotes", async () => {
  expect(statSync(launcher).mode & 0o777).toBe(0o700)
  const odd = join(folder('arc-quote-'), "it's here")
  mkdirSync(odd)
  symlinkSync(ARC, join(odd, 'arc'))
  installLauncher({ home, node: process.execPath, arc: join(odd, 'arc') })
  expectDenied(await runProgram(launcher, ['hook', 'claude'], { input: payload(DANGER) }), 'uncommitted')
})
