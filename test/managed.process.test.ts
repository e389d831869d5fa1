// Managed mode with real accounts: a system user with the daemon, an account for the agent and one that may approve. All
// system paths are below a temporary root. Needs root on Linux; otherwise one line says why it is skipped.

import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { publicOnly } from '../src/daemon/http/managed-sockets.ts'
import { findForeignWriters, type ManagedInstall, readManagedInstall } from '../src/guard/managed-install.ts'
import { jsonLines, type Ran, runProgram } from './run-arc.ts'
import { makeTempFolder } from './temp-folder.ts'

const ARC = fileURLToPath(new URL('../bin/arc', import.meta.url))
const PREFIX = 'arct-'
const SERVICE = `${PREFIX}s${process.pid}`
const AGENT = `${PREFIX}a${process.pid}`
const BOSS = `${PREFIX}b${process.pid}`
const GROUP = `${PREFIX}g${process.pid}`
const USERADD = '/usr/sbin/useradd'
const TOOLS = [USERADD, '/usr/sbin/userdel', '/usr/bin/setpriv', '/usr/bin/curl']
const missing = TOOLS.filter((tool) => !existsSync(tool))
const whyNot =
  process.platform !== 'linux' || process.getuid?.() !== 0
    ? 'it needs root on Linux'
    : missing.length > 0
      ? `there is no ${missing.join(', ')}`
      : undefined
if (whyNot !== undefined) console.info(`managed mode is not tested with real accounts: ${whyNot}`)

const root = whyNot === undefined ? makeTempFolder('arc-managed-') : '/nonexistent'
const SETTINGS = join(root, 'etc/claude-code/managed-settings.json')
const OWN_SETTINGS = '{\n  // Ours.\n  "permissions": { "deny": ["WebFetch"] }\n}\n'
let managed: ManagedInstall
let workspace: string

/** Runs a line as an account of this machine, as a host of that account would. */
function as(
  user: string,
  line: string,
  { input = '', env = {} }: { input?: string; env?: Record<string, string> } = {},
) {
  const set = Object.entries({ PATH: '/usr/bin:/bin', HOME: workspace, ...env }).map((pair) => pair.join('='))
  const gid = execFileSync('id', ['-g', user], { encoding: 'utf8' }).trim()
  const who = [`--reuid=${user}`, `--regid=${gid}`, '--init-groups']
  return runProgram('setpriv', [...who, '/usr/bin/env', '-i', ...set, '/bin/sh', '-c', line], { input, cwd: workspace })
}

const asRoot = (line: string) => runProgram('sh', ['-c', line], { env: { ARC_MANAGED_ROOT: root }, cwd: '/' })
const setup = (args: readonly string[], node = process.execPath) => {
  const names = ['--user', SERVICE, '--group', GROUP, '--root', root]
  return runProgram(node, [ARC, 'setup', '--managed', ...names, ...args], { cwd: '/', env: { ARC_MANAGED_ROOT: '' } })
}
const arc = (line: string) => `${managed.prefix}/bin/arc ${line}`
const hookLine = () => `${managed.launcher} hook claude`

let calls = 0
function payload(command: string, event = 'PreToolUse'): string {
  const call = { session_id: 'managed', cwd: workspace, hook_event_name: event, tool_name: 'Bash' }
  return JSON.stringify({ ...call, tool_use_id: `call-${++calls}`, tool_input: { command } })
}

async function until<T>(look: () => Promise<T | undefined>, what: string): Promise<T> {
  for (const end = Date.now() + 100_000; Date.now() < end; ) {
    const found = await look()
    if (found !== undefined) return found
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error(`waited in vain for ${what}`)
}

function quiet(tool: string, args: readonly string[]): void {
  try {
    execFileSync(tool, args, { stdio: 'ignore' })
  } catch {
    // It was not there.
  }
}

// Those of this run, and those of a run that was killed.
function removeAccounts(): void {
  const names = (table: string) =>
    readFileSync(`/etc/${table}`, 'utf8')
      .split('\n')
      .map((line) => line.split(':')[0] ?? '')
      .filter((name) => name.startsWith(PREFIX))
      .filter((name) => name.endsWith(String(process.pid)) || !existsSync(`/proc/${/\d+$/.exec(name)?.[0]}`))
  for (const name of names('passwd')) quiet('userdel', [name])
  for (const name of names('group')) quiet('groupdel', [name])
}

async function stopDaemon(): Promise<void> {
  const { pid } = JSON.parse(readFileSync(join(managed.home, 'run/arc.pid'), 'utf8')) as { pid: number }
  process.kill(pid, 'SIGTERM')
  await until(async () => (existsSync(`/proc/${pid}`) ? undefined : true), 'the end of the daemon')
}
const startDaemon = () => asRoot(arc('serve --background --no-open --port 0'))

describe.skipIf(whyNot !== undefined)('a managed machine', () => {
  beforeAll(async () => {
    removeAccounts()
    chmodSync(root, 0o755)
    for (const name of [AGENT, BOSS]) {
      execFileSync(USERADD, ['--system', '--no-create-home', '--home-dir', `/home/${name}`, '--shell', '/bin/sh', name])
    }
    workspace = join(root, 'work')
    mkdirSync(workspace)
    const uid = Number(execFileSync('id', ['-u', AGENT], { encoding: 'utf8' }))
    chownSync(workspace, uid, uid)
    mkdirSync(dirname(SETTINGS), { recursive: true })
    writeFileSync(SETTINGS, OWN_SETTINGS)
    // A Node that belongs to the agent's account: it must be copied.
    const node = join(workspace, 'node')
    copyFileSync(process.execPath, node)
    chmodSync(node, 0o755)
    chownSync(node, uid, uid)
    const ran = await setup(['--approver', BOSS, '--hosts', 'claude', '--json'], node)
    expect(ran).toMatchObject({ code: 0 })
    managed = readManagedInstall(root) as ManagedInstall
    expect(await startDaemon()).toMatchObject({ code: 0 })
  })

  afterAll(async () => {
    if (managed !== undefined) await setup(['--remove', '--purge'])
    removeAccounts()
  })

  it('G5 checks the calls of the agent: passes, denies, and records both', async () => {
    expect(await as(AGENT, hookLine(), { input: payload('ls') })).toEqual({ code: 0, stdout: '', stderr: '' })
    const denied = await as(AGENT, hookLine(), { input: payload('rm -rf ~') })
    expect(denied.code).toBe(2)
    expect(JSON.parse(denied.stdout).hookSpecificOutput.permissionDecision).toBe('deny')
    const { stdout } = await asRoot(arc('logs --all --json --limit 500'))
    const decisions = jsonLines(stdout).filter(({ session }) => session === 'managed')
    expect(decisions.map(({ decision }) => decision)).toEqual(expect.arrayContaining(['pass', 'block']))
    // Root looked into the record without leaving files that lock the daemon out.
    expect(readdirSync(managed.home).filter((name) => lstatSync(join(managed.home, name)).uid !== managed.uid)).toEqual(
      [],
    )
  })

  it('G5 everything belongs to root or the system user, and Node was copied', () => {
    const { marker, home, prefix, launcher, node, unit } = { ...managed, marker: join(root, 'etc/arc/managed.json') }
    for (const path of [marker, prefix, launcher, node, ...(unit === null ? [] : [unit])]) {
      expect([path, findForeignWriters(path)]).toEqual([path, []])
    }
    expect(node.startsWith(prefix)).toBe(true)
    expect([lstatSync(home).uid, lstatSync(home).mode & 0o777]).toEqual([managed.uid, 0o700])
    const open = readdirSync(prefix, { recursive: true, encoding: 'utf8' }).filter((name) => {
      const { uid, mode } = lstatSync(join(prefix, name))
      return uid !== 0 || (mode & 0o022) !== 0
    })
    expect(open).toEqual([])
  })

  it('G5 the agent can neither read nor change home, token, record, package, launcher, Node, marker or sockets', async () => {
    const { home, prefix, launcher, node, run, socket, control } = managed
    const marker = join(root, 'etc/arc/managed.json')
    const secrets = [join(home, 'run/token'), join(home, 'arc.db'), join(home, 'profiles/default.json')]
    for (const path of secrets) expect(existsSync(path)).toBe(true)
    const attempts = [
      ...secrets.map((path) => `cat ${path}`),
      ...[home, `${home}/run`, `${run}/answers`].map((path) => `ls ${path}`),
      ...[launcher, node, marker, SETTINGS, `${prefix}/package/bin/arc`, ...secrets].flatMap((path) => [
        `echo x >> ${path}`,
        `rm -f ${path}`,
        `mv ${path} ${workspace}/gone`,
        `chmod 777 ${path}`,
        `ln -sfn ${workspace} ${path}`,
      ]),
      ...[prefix, home, run].flatMap((path) => [`mv ${path} ${path}.away`, `touch ${path}/mine`, `chmod 777 ${path}`]),
      ...[socket, control].flatMap((path) => [`rm -f ${path}`, `mv ${path} ${path}.away`, `chmod 777 ${path}`]),
      `touch ${run}/answers/${'0'.repeat(32)}`,
      `curl -s --unix-socket ${control} http://arc/health`,
    ]
    // In one process: every attempt must fail, and each that does not is named.
    const script = attempts.map((line) => `if ( ${line} ) >/dev/null 2>&1; then echo ${JSON.stringify(line)}; fi`)
    expect((await as(AGENT, script.join('\n'))).stdout).toBe('')
    expect((await as(AGENT, hookLine(), { input: payload('ls') })).code).toBe(0)
  })

  it('G5 the agent cannot end the daemon', async () => {
    const { pid } = JSON.parse(readFileSync(join(managed.home, 'run/arc.pid'), 'utf8')) as { pid: number }
    expect(lstatSync(`/proc/${pid}`).uid).toBe(managed.uid)
    for (const signal of ['TERM', 'KILL', 'STOP']) {
      expect((await as(AGENT, `kill -${signal} ${pid}`)).stderr).toMatch(/not permitted/i)
    }
    expect((await as(AGENT, arc('stop'))).stderr).toContain('ARC_MANAGED')
    expect(existsSync(`/proc/${pid}`)).toBe(true)
  })

  it.each([
    ['POST', '/v1/dispatch'],
    ['POST', '/v1/hook/../dispatch'],
    ['POST', '/v1/hook/x/../../dispatch'],
    ['POST', '/v1/hook/%2e%2e/dispatch'],
    ['POST', '//v1/dispatch'],
    ['POST', 'http://arc/v1/dispatch'],
    ['GET', '/v1/approvals'],
    ['POST', '/v1/control/login-link'],
    ['GET', '/v1/control/approvals'],
    ['GET', '/v1/decisions'],
    ['GET', '/v1/status?project=/'],
    ['GET', '/v1/stream'],
    ['GET', '/login?token=x'],
    ['GET', '/'],
    ['GET', '/a2a/x'],
    ['DELETE', '/v1/hook/claude'],
  ])('G5 the public socket refuses %s %s', async (method, target) => {
    const line = `curl -s --path-as-is -X ${method} --request-target '${target}' -w '%{http_code}' --unix-socket ${managed.socket} http://arc/`
    const { stdout } = await as(AGENT, line)
    expect(stdout).toContain('ARC_PUBLIC_SOCKET')
    expect(stdout).toMatch(/403$/)
  })

  it('G5 the agent gets no link to the page, and the page takes none but its own', async () => {
    const status = await as(AGENT, arc('status --json'))
    expect(JSON.parse(status.stdout)).toMatchObject({ running: true, loginUrl: null, enforcement: 'enforce' })
    const { url } = JSON.parse(status.stdout) as { url: string }
    const codes = await as(
      AGENT,
      `curl -s -o /dev/null -w '%{http_code} ' ${url}/v1/approvals ${url}/v1/control/approvals`,
    )
    expect(codes.stdout.trim()).toMatch(/^401/)
    for (const path of ['/v1/control/login-link', '/v1/login-link']) {
      const link = await as(AGENT, `curl -s -X POST ${url}${path} -w '%{http_code}'`)
      expect(link.stdout).toMatch(/401$/)
    }
    // Not even with the token: links come from the control socket.
    const token = readFileSync(join(managed.home, 'run/token'), 'utf8').trim()
    const shown = await as(AGENT, `curl -s -X POST -H 'Authorization: Bearer ${token}' ${url}/v1/login-link`)
    expect(shown.stdout).toContain('ARC_CONTROL_ONLY')
    const boss = JSON.parse((await as(BOSS, arc('status --json'))).stdout) as { loginUrl: string }
    expect(boss.loginUrl).toContain(url)
    const opened = await as(BOSS, `curl -s -o /dev/null -w '%{http_code}' '${boss.loginUrl}'`)
    expect(opened.stdout).toBe('303')
  })

  it('G5 a held call waits for a member of the group, whose answer is recorded under their own name', async () => {
    const held = as(AGENT, hookLine(), { input: payload('npm publish') })
    const pending = async () => {
      const { code, stdout } = await as(BOSS, arc('approvals list --json'))
      expect(code).toBe(0)
      return (JSON.parse(stdout) as { id: string; step: { args: unknown } }[])[0]
    }
    const { id, step } = await until(pending, 'the held step')
    expect(step.args).toMatchObject({ command: 'npm publish' })
    // Neither the agent nor an approver without proof of who they are.
    expect((await as(AGENT, arc('approvals list'))).code).toBe(1)
    expect((await as(AGENT, arc(`approvals approve ${id}`))).stderr).toContain('approvers only')
    const post = `curl -s -X POST --unix-socket ${managed.control} http://arc/v1/control/approvals/${id}/approve`
    expect((await as(BOSS, post)).stdout).toContain('ARC_PROOF_MISSING')
    const proof = `${managed.run}/answers/${'a'.repeat(32)}`
    const forged = `echo 'deny ${id}' > ${proof} && chmod 644 ${proof} && ${post} -H 'x-arc-proof: ${'a'.repeat(32)}'`
    expect((await as(BOSS, forged)).stdout).toContain('ARC_PROOF_MISSING')
    expect(await pending()).toMatchObject({ id })
    expect((await as(BOSS, arc(`approvals approve ${id.slice(0, 20)}`))).code).toBe(0)
    expect(await held).toMatchObject({ code: 0 })
    const { stdout } = await asRoot(arc('logs --component hooks --action approval:approved --json'))
    expect(jsonLines(stdout).map(({ reason }) => String(reason))).toContainEqual(expect.stringContaining(BOSS))
  })

  it('G5 the caller chooses neither the profile nor what answers instead of the daemon', async () => {
    writeFileSync(join(managed.home, 'profiles/lax.json'), '{ "enforcement": "off" }')
    chownSync(join(managed.home, 'profiles/lax.json'), managed.uid, managed.uid)
    const post = `curl -s -X POST -H 'x-arc-profile: lax' -H 'content-type: application/json' --data-binary @- --unix-socket ${managed.socket} http://arc/v1/hook/claude/-`
    expect(JSON.parse((await as(AGENT, post, { input: payload('rm -rf /') })).stdout)).toMatchObject({ exitCode: 2 })
    const bin = join(workspace, 'bin')
    mkdirSync(bin)
    for (const name of ['curl', 'cat', 'env', 'node', 'sh', 'printf']) {
      writeFileSync(join(bin, name), `#!/bin/sh\ntouch ${workspace}/taken\nprintf '\\0360\\036\\036\\036'\n`, {
        mode: 0o755,
      })
    }
    writeFileSync(
      join(workspace, 'evil.cjs'),
      `require('fs').writeFileSync('${workspace}/taken', '')\nprocess.exit(0)\n`,
    )
    const env = {
      PATH: `${bin}:/usr/bin:/bin`,
      ARC_PROFILE: 'lax',
      ARC_HOME: workspace,
      ARC_DAEMON: 'off',
      ARC_MANAGED_ROOT: workspace,
      NODE_OPTIONS: `--require ${workspace}/evil.cjs`,
      CURL_HOME: workspace,
      BASH_ENV: `${workspace}/evil.sh`,
      ENV: `${workspace}/evil.sh`,
      'BASH_FUNC_printf%%': '() { touch taken; }',
    }
    writeFileSync(join(workspace, '.curlrc'), `unix-socket = "${workspace}/fake.sock"\n`)
    writeFileSync(join(workspace, 'evil.sh'), `touch ${workspace}/taken\n`)
    expect((await as(AGENT, hookLine(), { input: payload('rm -rf /'), env })).code).toBe(2)
    expect((await as(AGENT, hookLine(), { input: payload('ls'), env })).code).toBe(0)
    expect(existsSync(join(workspace, 'taken'))).toBe(false)
  })

  it('G5 a folder whose name does not fit in a header is passed on', async () => {
    const odd = join(workspace, 'ö "x"\n')
    const line = `mkdir -p "$ODD" && cd "$ODD" && ${hookLine()}`
    expect((await as(AGENT, line, { input: payload('rm -rf /'), env: { ODD: odd } })).code).toBe(2)
    expect((await as(AGENT, line, { input: payload('ls'), env: { ODD: odd } })).code).toBe(0)
  })

  it('G5 without a daemon every call is refused, and the end of a turn is not', async () => {
    await stopDaemon()
    try {
      const refused = await as(AGENT, hookLine(), { input: payload('ls') })
      expect(refused.code).toBe(2)
      expect(refused.stderr).toContain('does not answer')
      const usage = await as(AGENT, `${managed.launcher} status`)
      expect(usage.code).toBe(2)
      // To refuse that would keep the agent running.
      expect((await as(AGENT, hookLine(), { input: payload('ls', 'Stop') })).code).toBe(0)
      expect((await as(AGENT, arc('status'))).code).toBe(1)
      expect((await as(AGENT, arc('serve --no-open'))).stderr).toContain('ARC_MANAGED')
    } finally {
      expect((await startDaemon()).code).toBe(0)
    }
    expect((await as(AGENT, hookLine(), { input: payload('ls') })).code).toBe(0)
  })

  it('G5 a daemon that hangs or answers nonsense is no way through', async () => {
    await stopDaemon()
    const children: ChildProcess[] = []
    const serveFake = async (code: string) => {
      // As the system user, in the place of the daemon.
      const { uid, home, socket } = managed
      const { gid } = lstatSync(home)
      const text = `require('net').createServer(${code}).listen(${JSON.stringify(socket)}, () => require('fs').chmodSync(${JSON.stringify(socket)}, 0o666))`
      const child = spawn(process.execPath, ['-e', text], { uid, gid, cwd: '/', env: {} })
      children.push(child)
      await until(async () => (existsSync(socket) ? true : undefined), 'the socket')
      return child
    }
    try {
      for (const code of ['() => {}', `(s) => s.end('HTTP/1.1 200 OK\\r\\ncontent-length: 2\\r\\n\\r\\nok')`]) {
        const child = await serveFake(code)
        expect((await as(AGENT, hookLine(), { input: payload('ls') })).code).toBe(2)
        const ended = new Promise((resolve) => child.on('close', resolve))
        child.kill('SIGKILL')
        await ended
        execFileSync('rm', ['-f', managed.socket])
      }
    } finally {
      for (const child of children) child.kill('SIGKILL')
      expect((await startDaemon()).code).toBe(0)
    }
  })

  it('G5 commands of other accounts use the sockets, or say what they need', async () => {
    for (const command of [
      'logs',
      'why last',
      'profile set enforcement off',
      'hooks disable risk-detection',
      'trust .',
    ]) {
      const { code, stderr } = await as(AGENT, arc(command))
      expect([command, code]).toEqual([command, 1])
      expect(stderr).toContain('ARC_MANAGED')
    }
    expect((await as(AGENT, arc('install claude'))).code).toBe(0)
    const settings = JSON.parse(readFileSync(join(workspace, '.claude/settings.json'), 'utf8'))
    expect(settings.hooks.PreToolUse[0].hooks[0]).toMatchObject({ command: hookLine(), onFailure: 'block' })
    expect(existsSync(join(workspace, '.arc'))).toBe(false)
    const { code, stdout } = await as(AGENT, arc('doctor --json'))
    expect([code, JSON.parse(stdout).checks.filter(({ ok }: { ok: boolean }) => !ok)]).toEqual([0, []])
  })

  it('G5 doctor names what others could change', async () => {
    chmodSync(managed.launcher, 0o777)
    try {
      const { code, stdout } = await as(AGENT, arc('doctor --json'))
      expect(code).toBe(1)
      const failed = (JSON.parse(stdout).checks as { name: string; ok: boolean }[]).filter(({ ok }) => !ok)
      expect(failed.map(({ name }) => name)).toEqual(['managed: package', 'managed: launcher'])
    } finally {
      chmodSync(managed.launcher, 0o755)
    }
  })

  it('G5 setup needs root, shows its steps without, and can be repeated', async () => {
    const line = `${process.execPath} ${ARC} setup --managed --root ${root} --user ${SERVICE} --group ${GROUP}`
    const refused: Ran = await as(AGENT, `${managed.node} ${managed.prefix}/package/bin/arc setup --managed`)
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('ARC_NEEDS_ROOT')])
    const dry = await asRoot(`${line} --dry-run --json`)
    expect(JSON.parse(dry.stdout).steps.length).toBeGreaterThan(5)
    const before = readFileSync(join(managed.home, 'profiles/default.json'), 'utf8')
    expect((await asRoot(line)).code).toBe(0)
    expect(readFileSync(join(managed.home, 'profiles/default.json'), 'utf8')).toBe(before)
    expect(readManagedInstall(root)?.made).toEqual(managed.made)
    expect((await as(AGENT, hookLine(), { input: payload('ls') })).code).toBe(0)
    const person = await asRoot(`${process.execPath} ${ARC} setup --managed --root ${root}/other --user root`)
    expect(person.stderr).toContain('is a login account')
  })

  it('G5 the system-wide settings of Claude Code keep what was there, and the unit is valid', async () => {
    const text = readFileSync(SETTINGS, 'utf8')
    expect(text).toContain('// Ours.')
    expect(text).toContain('"allowManagedHooksOnly": true')
    expect(text).toContain(hookLine())
    if (managed.unit === null || !existsSync('/usr/bin/systemd-analyze')) return
    const { stderr } = await runProgram('systemd-analyze', ['verify', managed.unit], {})
    expect(stderr.split('\n').filter((line) => line.includes('arc.service'))).toEqual([])
  })

  it('G5 removal keeps the record, and with --purge takes everything', async () => {
    expect((await setup(['--remove'])).code).toBe(0)
    expect(existsSync(managed.prefix) || existsSync(managed.run)).toBe(false)
    expect(existsSync(join(managed.home, 'arc.db'))).toBe(true)
    expect(readFileSync(SETTINGS, 'utf8')).toBe(OWN_SETTINGS)
    expect(readManagedInstall(root)).toBeUndefined()
    expect((await setup(['--remove'])).stderr).toContain('not managed')
    expect((await setup([])).code).toBe(0)
    expect((await setup(['--remove', '--purge'])).code).toBe(0)
    expect(existsSync(managed.home)).toBe(false)
    for (const table of ['passwd', 'group']) {
      expect(readFileSync(`/etc/${table}`, 'utf8')).not.toMatch(new RegExp(`^(?:${SERVICE}|${GROUP}):`, 'm'))
    }
  })
})

describe('the marker of a managed machine', () => {
  it('G5 counts only if root alone can change it', () => {
    const folder = makeTempFolder('arc-marker-')
    mkdirSync(join(folder, 'etc/arc'), { recursive: true })
    const file = join(folder, 'etc/arc/managed.json')
    const texts = ['home', 'prefix', 'launcher', 'node', 'run', 'socket', 'control', 'user', 'group']
    writeFileSync(file, JSON.stringify({ version: 1, uid: 1, ...Object.fromEntries(texts.map((key) => [key, '/x'])) }))
    const isRoot = process.getuid?.() === 0
    expect(readManagedInstall(folder) !== undefined).toBe(isRoot)
    if (isRoot) chownSync(file, 65_534, 65_534)
    expect(readManagedInstall(folder)).toBeUndefined()
    if (isRoot) chownSync(file, 0, 0)
    chmodSync(file, 0o666)
    expect(readManagedInstall(folder)).toBeUndefined()
    chmodSync(file, 0o644)
    chmodSync(join(folder, 'etc'), 0o777)
    expect(readManagedInstall(folder)).toBeUndefined()
  })
})

describe('the public socket', () => {
  it.each([
    ['POST /v1/hook/claude', true],
    ['POST /v1/hook/claude/-', true],
    ['POST /v1/hook/opencode/tool.execute.before', true],
    ['GET /v1/hook-answer/01JB2', true],
    ['GET /health', true],
    ['GET /v1/status', true],
    ['GET /v1/hook/claude', false],
    ['POST /v1/hook/..', false],
    ['POST /v1/hook/./x', false],
    ['POST /v1/hook/claude/..', false],
    ['GET /v1/status/', false],
    ['GET /v1/status?x', false],
    ['POST /health', false],
  ])('G5 %s is open: %s', (line, isOpen) => {
    const [method, url] = line.split(' ')
    const seen: unknown[] = []
    const response = { writeHead: (code: number) => ({ end: () => seen.push(code) }) }
    publicOnly(() => void seen.push('open'))({ method, url } as never, response as never)
    expect(seen).toEqual([isOpen ? 'open' : 403])
  })
})
