// The installed line against an environment and a machine that work against it: whatever happens, in enforce nothing
// passes unjudged.

import { type ChildProcess, spawn } from 'node:child_process'
import {
  appendFileSync,
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { readInstalls } from '../src/guard/installs.ts'
import { type InstalledAgent, installAgent } from './installed-agent.ts'
import { ARC, jsonLines, runProgram } from './run-arc.ts'

const DANGER = 'git reset --hard'
const FAKE = '\\0360\\036\\036\\036'
const children: ChildProcess[] = []

let agent: InstalledAgent

beforeEach(async () => {
  agent = await installAgent('enforce')
})

afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
})

async function startDaemon(): Promise<void> {
  const env = { ...process.env, ...agent.env, ARC_HOME: agent.home, ARC_PROFILE: '' } as NodeJS.ProcessEnv
  const child = spawn(process.execPath, [ARC, 'serve', '--no-open', '--port', '0'], { env })
  children.push(child)
  await new Promise<void>((resolve, reject) => {
    let said = ''
    child.stdout.on('data', (text) => {
      said += text
      if (said.includes('socket')) resolve()
    })
    child.on('exit', (code) => reject(new Error(`arc serve ended with ${code}`)))
  })
}

// Programs of the agent, first in PATH.
function fakePrograms(): string {
  const bin = join(agent.user, '.local/bin')
  mkdirSync(bin, { recursive: true })
  for (const name of ['curl', 'node', 'cat', 'sh', 'env', 'test', 'printf']) {
    writeFileSync(join(bin, name), `#!/bin/sh\ntouch ${agent.user}/fake-${name}\nprintf '${FAKE}'\n`, { mode: 0o755 })
  }
  return bin
}

const GROUPS = {
  'of Node': { NODE_OPTIONS: '--require EVIL', NODE_PATH: 'EVIL', OPENSSL_CONF: 'EVIL' },
  'of shells': {
    BASH_ENV: 'EVIL',
    ENV: 'EVIL',
    IFS: 'arc',
    PS4: '$(touch FOLDER/evil-ran)',
    'BASH_FUNC_printf%%': '() { exit 0; }',
    'BASH_FUNC_[%%': '() { exit 0; }',
  },
  'of curl': { CURL_HOME: 'FOLDER', http_proxy: 'http://127.0.0.1:1', ALL_PROXY: 'http://127.0.0.1:1' },
  'of ARC': {
    ARC_HOME: 'FOLDER/elsewhere',
    ARC_STATE_DIR: 'FOLDER/elsewhere',
    XDG_STATE_HOME: 'FOLDER/elsewhere',
    ARC_DAEMON: 'off',
    ARC_HOOK_FRAME: '0',
  },
} as const

const recorded = async (): Promise<number> => {
  const { stdout } = await agent.arc('logs', '--component', 'hooks', '--json', '--limit', '1000')
  return jsonLines(stdout).length
}

describe.each([['without a daemon'], ['with a daemon']])('%s', (with_) => {
  beforeEach(async () => {
    if (with_ === 'with a daemon') await startDaemon()
  })

  it('G7 a curl and a node of the agent first in PATH answer nothing, and the call is on record', async () => {
    const bin = fakePrograms()
    const { code, stderr } = await agent.call(DANGER, { PATH: `${bin}:${process.env.PATH}` })
    expect(stderr).toContain('uncommitted')
    expect(code).toBe(2)
    expect(['curl', 'node', 'cat'].filter((name) => existsSync(join(agent.user, `fake-${name}`)))).toEqual([])
    expect(await recorded()).toBeGreaterThan(0)
  })

  it.each(Object.entries(GROUPS))('G7 variables change nothing: %s', async (_what, variables) => {
    const evil = join(agent.user, 'evil.cjs')
    writeFileSync(evil, `require('fs').writeFileSync('${agent.user}/evil-ran', ''); process.exit(0)`)
    writeFileSync(join(agent.user, '.curlrc'), 'output = /dev/null\n')
    for (const [name, value] of Object.entries(variables)) {
      const given = value.replace('EVIL', evil).replace('FOLDER', agent.user)
      const { code, stderr } = await agent.call(DANGER, { [name]: given })
      expect({ name, code, isJudged: stderr.includes('uncommitted') }).toEqual({ name, code: 2, isJudged: true })
      expect(existsSync(join(agent.user, 'evil-ran'))).toBe(false)
    }
  })
})

describe('where ARC cannot run', () => {
  const launcher = (): string => join(agent.home, 'bin/arc')

  // The launcher as installed, with another program in the place of Node.
  function useNode(script: string | undefined): void {
    const node = join(agent.user, 'node')
    rmSync(node, { force: true })
    if (script !== undefined) writeFileSync(node, `#!/bin/sh\n${script}\n`, { mode: 0o755 })
    const text = readFileSync(launcher(), 'utf8')
    writeFileSync(
      launcher(),
      text.replaceAll(/^node='.*'$/gm, `node='${node}'`).replaceAll('node=/usr/bin/node', `node='${node}'`),
    )
  }

  const BROKEN: [string, string | undefined][] = [
    ['Node is missing', undefined],
    ['Node is killed', 'kill -9 $$'],
    ['Node aborts', 'kill -6 $$'],
    ['Node ends with 1', 'exit 1'],
    ['Node ends with 126', 'exit 126'],
    ['Node ends with 134', 'exit 134'],
    ['Node says nothing and ends well', 'exit 0'],
    ['Node breaks off in the middle', `printf '\\0360\\036'`],
    ['Node answers in plain text', 'echo ok'],
    ['Node answers one thing and ends with another', `printf '${FAKE}'; exit 1`],
  ]

  it.each(BROKEN)('G7 in enforce a tool call is stopped when %s', async (_what, script) => {
    useNode(script)
    const { code, stdout, stderr } = await agent.call('ls')
    expect(code).toBe(2)
    expect(JSON.parse(stdout).hookSpecificOutput.permissionDecision).toBe('deny')
    expect(stderr).toContain('ARC could not check this')
    expect(stderr).toContain('arc doctor')
  })

  it('G7 events that cannot be stopped pass: the end of a turn, and every call in log', async () => {
    useNode(undefined)
    expect((await agent.call('', {}, 'Stop')).code).toBe(1)
    expect((await agent.call('', {}, 'PostToolUse')).code).toBe(1)
    writeFileSync(join(agent.home, 'bin/mode'), 'log\n')
    const { code, stderr } = await agent.call('ls')
    expect(code).toBe(1)
    expect(stderr).toContain('ARC could not check this')
  })

  it.each([
    ['missing', undefined],
    ['empty', ''],
    ['damaged', 'l\0og?'],
  ])('G7 a file of the mode that is %s counts as enforce', async (_what, text) => {
    useNode(undefined)
    rmSync(join(agent.home, 'bin/mode'))
    if (text !== undefined) writeFileSync(join(agent.home, 'bin/mode'), text)
    expect((await agent.call('ls')).code).toBe(2)
  })

  it('G7 a project that enforces is stopped as well', async () => {
    await agent.arc('profile', 'set', 'enforcement', 'enforce')
    useNode(undefined)
    writeFileSync(join(agent.home, 'bin/mode'), 'log\n')
    mkdirSync(join(agent.user, 'p/.arc'), { recursive: true })
    writeFileSync(join(agent.user, 'p/.arc/config.yaml'), 'enforcement: enforce')
    const input = '{"hook_event_name":"PreToolUse"}'
    const ran = await runProgram(launcher(), ['hook', 'claude'], { cwd: join(agent.user, 'p'), input })
    expect(ran.code).toBe(2)
    expect((await agent.call('ls')).code).toBe(1)
  })

  it('G7 an emptied program of ARC is no pass', async () => {
    const arc = join(agent.user, 'arc')
    writeFileSync(arc, '')
    const text = readFileSync(launcher(), 'utf8')
    writeFileSync(launcher(), text.replaceAll(/^arc='.*'$/gm, `arc='${arc}'`))
    expect((await agent.call('ls')).code).toBe(2)
  })

  it.each([
    ['claude', 'PreToolUse', undefined, 2, 'deny'],
    ['codex', 'PreToolUse', undefined, 2, 'deny'],
    ['gemini', 'BeforeTool', undefined, 2, 'deny'],
    ['qwen', 'PreToolUse', undefined, 2, 'deny'],
    ['cursor', 'preToolUse', undefined, 2, 'deny'],
    ['copilot', 'preToolUse', 'preToolUse', 2, 'deny'],
    ['opencode', 'tool.execute.before', 'tool.execute.before', 2, 'deny'],
    ['cline', 'PreToolUse', 'PreToolUse', 0, '"cancel":true'],
    ['claude', 'PermissionRequest', undefined, 0, '"behavior":"deny"'],
  ])('G7 answers %s at %s in its own dialect', async (host, event, argument, code, said) => {
    useNode(undefined)
    const args = ['hook', host, ...(argument === undefined ? [] : [argument])]
    const input = JSON.stringify({ hook_event_name: event, tool_input: { hook_event_name: 'Stop' } })
    const ran = await runProgram(launcher(), args, { input, cwd: agent.user })
    expect(ran.stdout).toContain(said)
    expect(ran.code).toBe(code)
  })

  it.for(['bash --posix', 'bash -p', 'dash', 'busybox sh'])(
    'G7 does the same in %s',
    { timeout: 120_000 },
    async (shell, { skip }) => {
      const [program = '', ...options] = shell.split(' ')
      const has = await runProgram('/bin/sh', ['-c', `command -v ${program}`], {})
      if (has.code !== 0) return skip(`${program} is not installed`)
      const run = (command: string) => {
        const call = { hook_event_name: 'PreToolUse', session_id: 's', cwd: agent.user, tool_name: 'Bash' }
        const input = JSON.stringify({ ...call, tool_use_id: `${shell}-${command}`, tool_input: { command } })
        const env = { ...agent.env, SECRET: 'a\nexport host=evil\nnode=x', PPID: '1', UID: '0' }
        return runProgram(has.stdout.trim(), [...options, launcher(), 'hook', 'claude'], {
          input,
          cwd: agent.user,
          env,
        })
      }
      expect((await run(DANGER)).stderr).toContain('uncommitted')
      expect(await run('ls')).toEqual({ code: 0, stdout: '', stderr: '' })
      await startDaemon()
      expect((await run(DANGER)).code).toBe(2)
      expect(await run('ls -a')).toEqual({ code: 0, stdout: '', stderr: '' })
      useNode('exit 134')
      for (const child of children.splice(0)) child.kill('SIGKILL')
      expect((await run('ls -l')).code).toBe(2)
    },
  )
})

it('G7 an answer on the socket that is none of the daemon is not taken', async () => {
  mkdirSync(join(agent.home, 'run'), { recursive: true })
  const server = createServer((socket) => {
    socket.end('HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\n\u001e0\u001e\u001e')
  })
  await new Promise<void>((resolve) => server.listen(join(agent.home, 'run/arc.sock'), resolve))
  try {
    expect((await agent.call(DANGER)).stderr).toContain('uncommitted')
  } finally {
    server.close()
  }
})

it('G7 a socket of another user is not asked', async () => {
  if (process.getuid?.() !== 0) return
  await startDaemon()
  const { chownSync } = await import('node:fs')
  chownSync(join(agent.home, 'run/arc.sock'), 65_534, 65_534)
  const text = readFileSync(join(agent.home, 'bin/arc'), 'utf8')
  writeFileSync(join(agent.home, 'bin/arc'), text.replaceAll(/^node='.*'$/gm, `node='/bin/false'`))
  // Neither the daemon nor Node can answer.
  expect((await agent.call('ls')).stderr).toContain('ARC could not check this')
})

describe('the switch of the host', () => {
  it('G7 follows the mode, and arc doctor warns where it is missing', async () => {
    expect(agent.settings()).toContain('"onFailure": "block"')
    const [install] = readInstalls(agent.home)
    const file = join(agent.user, '.claude/settings.json')
    expect(install).toMatchObject({ host: 'claude', scope: 'user', dir: agent.user, failClosed: true, files: [file] })
    const failure = async () => {
      const { stdout } = await agent.arc('doctor', '--json')
      const { checks } = JSON.parse(stdout) as { checks: { name: string; ok: boolean; fix: string | null }[] }
      return checks.find(({ name }) => name === 'claude: on failure')
    }
    expect(await failure()).toMatchObject({ ok: true })
    writeFileSync(file, agent.settings().replaceAll(/,\s*"onFailure": "block"/g, ''))
    expect(await failure()).toMatchObject({ ok: false, fix: 'arc install claude --user' })
    await agent.arc('install', 'claude')
    expect(await failure()).toMatchObject({ ok: true })
    expect(readFileSync(join(agent.home, 'bin/mode'), 'utf8')).toBe('enforce\n')
  })

  it('G7 arc install sets it only in enforce, or when asked, and remembers where', async () => {
    const other = await installAgent('log')
    expect(other.settings()).not.toContain('onFailure')
    await other.arc('install', 'claude', '--fail-closed')
    expect(other.settings()).toContain('onFailure')
    await other.arc('mode', 'advise')
    expect(other.settings()).toContain('onFailure')
    expect(readInstalls(other.home)).toMatchObject([{ isForced: true }])
    await other.arc('install', 'claude')
    expect(other.settings()).not.toContain('onFailure')
    const { stdout } = await other.arc('mode', 'enforce', '--json')
    expect(JSON.parse(stdout)).toMatchObject({ profile: 'default', mode: 'enforce' })
    expect(other.settings()).toContain('onFailure')
    expect(readFileSync(join(other.home, 'bin/mode'), 'utf8')).toBe('enforce\n')
    expect(JSON.parse((await other.arc('mode', '--json')).stdout).source).toContain('default.json')
  })

  it('G7 a script of Cline answers for a launcher that is gone', async () => {
    await agent.arc('install', 'cline')
    rmSync(join(agent.home, 'bin/arc'))
    const script = join(agent.user, 'Documents/Cline/Hooks/PreToolUse')
    const { stdout } = await runProgram(script, [], { input: '{}' })
    expect(JSON.parse(stdout)).toMatchObject({ cancel: true })
  })
})

it('G7 arc doctor names a launcher that was changed', async () => {
  const launcher = async () => {
    const { stdout } = await agent.arc('doctor', '--json')
    const { checks } = JSON.parse(stdout) as { checks: { name: string; ok: boolean }[] }
    return checks.find(({ name }) => name === 'launcher')?.ok
  }
  expect(await launcher()).toBe(true)
  copyFileSync(join(agent.home, 'bin/arc'), join(agent.home, 'bin/copy'))
  appendFileSync(join(agent.home, 'bin/arc'), 'exit 0\n')
  expect(await launcher()).toBe(false)
  copyFileSync(join(agent.home, 'bin/copy'), join(agent.home, 'bin/arc'))
  chmodSync(join(agent.home, 'bin/arc'), 0o700)
  writeFileSync(join(agent.home, 'bin/mode'), 'log\n')
  expect(await launcher()).toBe(false)
})
