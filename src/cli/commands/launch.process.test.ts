// `arc launch` with fake agents: their arguments and environment, and their exit.

import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { jsonLines, runArc } from '../../../test/run-arc.ts'
import { runArcInProcess } from '../../../test/run-in-process.ts'
import { makeTempFolder } from '../../../test/temp-folder.ts'

let root: string
let home: string
let bin: string

beforeEach(() => {
  root = makeTempFolder('arc-launch-')
  home = join(root, 'home')
  bin = join(root, 'bin')
  mkdirSync(bin)
  mkdirSync(join(home, 'profiles'), { recursive: true })
})

function profile(settings: object): void {
  writeFileSync(join(home, 'profiles/work.json'), JSON.stringify({ enforcement: 'enforce', ...settings }))
}

function agent(name: string, script: string): void {
  writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`)
  chmodSync(join(bin, name), 0o755)
}

const launch = (...args: string[]) =>
  runArc(['launch', 'work', ...args], { home, cwd: root, env: { PATH: `${bin}:${process.env.PATH}`, HOME: root } })

const logs = async (...args: string[]) =>
  jsonLines((await runArcInProcess(['logs', '--json', ...args], { home, cwd: root })).stdout)

const CALL = JSON.stringify({
  ...{ session_id: 's', hook_event_name: 'PreToolUse', tool_name: 'Bash', tool_use_id: 'c1' },
  tool_input: { command: 'git reset --hard' },
})

describe('L3 a launch', () => {
  it('L3 gives the terminal, the arguments and the exit code through', async () => {
    profile({ tool: 'sh' })
    const ran = await launch('--', '-c', 'echo "$1 $ARC_PROFILE"; echo oops >&2; exit 7', 'x', 'a b')
    expect(ran).toMatchObject({ code: 7, stdout: 'a b work\n', stderr: expect.stringContaining('oops\n') })
    expect((await launch('--', '-c', 'kill -TERM $$')).code).toBe(143)
  })

  it('L3 passes the points before and after it, in the log of launches', async () => {
    profile({ tool: 'sh', commands: [{ name: 'after', event: 'post-launch', command: 'cat > after.json' }] })
    await launch('--', '-c', 'exit 3')
    const rows = await logs('--component', 'launch')
    expect(new Set(rows.map(({ point }) => point))).toEqual(new Set(['pre:launch', 'post:launch']))
    const { data } = JSON.parse(readFileSync(join(root, 'after.json'), 'utf8')) as { data: object }
    expect(data).toMatchObject({ command: 'sh', args: ['-c', 'exit 3'], exitCode: 3 })
  })

  it('L3 does not start codex without its review where a repository has its own hooks', async () => {
    profile({ tool: 'codex' })
    agent('codex', 'echo started "$@"')
    mkdirSync(join(root, '.codex'))
    writeFileSync(join(root, '.codex/hooks.json'), JSON.stringify({ hooks: { PreToolUse: [] } }))
    const ran = await launch()
    expect(ran.stdout).not.toContain('started')
    expect(ran.stderr).toContain(join('.codex', 'hooks.json'))
    expect(ran.code).not.toBe(0)
  })

  it('L3 that a hook blocks does not happen, names hook and reason, and exits 2', async () => {
    const guard = { name: 'no-friday', event: 'pre-launch', command: 'echo "not on a Friday" >&2; exit 2' }
    profile({ tool: 'sh', commands: [guard] })
    const { code, stdout, stderr } = await launch('--', '-c', 'echo started')
    expect(code).toBe(2)
    expect(stdout).toBe('')
    expect(stderr).toContain('no-friday blocked the launch: not on a Friday')
    expect(await logs('--component', 'launch', '--action', 'hook:block')).toMatchObject([{ hook: 'no-friday' }])
  })

  it('L3 blocks nothing in log', async () => {
    const guard = { name: 'no-friday', event: 'pre-launch', command: 'exit 2' }
    profile({ tool: 'sh', enforcement: 'log', commands: [guard] })
    expect(await launch('--', '-c', 'echo started')).toMatchObject({ code: 0, stdout: 'started\n' })
  })

  it('L3 supervises what the agent does in this run, and leaves no file behind', async () => {
    profile({ tool: 'claude' })
    agent(
      'claude',
      `[ "$1" = --settings ] || exit 9
line=$(sed -n 's/.*"command": "\\(.*\\)".*/\\1/p' "$2" | head -1)
printf %s '${CALL}' | sh -c "$line"`,
    )
    const { code, stderr } = await launch('--', '-p', 'go')
    expect(stderr).toContain('uncommitted')
    expect(code).toBe(2)
    expect(await logs('--hook', 'risk-detection', '--decision', 'block')).toMatchObject([
      { profile: 'work', host: 'claude', point: 'pre:tool', applied: true },
    ])
    expect(readdirSync(root).sort()).toEqual(['bin', 'home'])
    expect(readdirSync(join(home, 'run'))).toEqual([])
  })

  it.each([
    ['qwen', 'cat "$QWEN_CODE_SYSTEM_SETTINGS_PATH"'],
    ['codex', 'echo "$@"'],
    ['copilot', 'cat "$2/hooks.json"'],
    ['pi', 'cat "$2"'],
    ['opencode', 'f=$(echo "$OPENCODE_CONFIG_CONTENT" | sed "s/.*file:..//; s/\\".*//"); cat "$f"'],
  ])('L3 gives %s its lines for this run only', async (name, script) => {
    profile({ tool: name })
    agent(name, script)
    const { code, stdout } = await launch()
    expect(code).toBe(0)
    expect(stdout).toContain(join(home, 'bin/arc'))
    expect(stdout).toMatch(new RegExp(`hook.{1,6}${name}`))
    expect(readdirSync(join(home, 'run'))).toEqual([])
  })

  it('L3 refuses an agent that cannot be supervised for one run, in enforce', async () => {
    profile({ tool: 'cline' })
    agent('cline', 'echo started')
    expect(await launch()).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('arc install cline') })
    profile({ tool: 'cline', enforcement: 'log' })
    expect(await launch()).toMatchObject({ code: 0, stdout: 'started\n' })
  })

  // A temporary folder is never root's alone, and nothing else would do for a home of this test.
  it('L3 refuses gemini where it would not read its settings for one run, in enforce', async () => {
    profile({ tool: 'gemini' })
    agent('gemini', 'echo "started$GEMINI_CLI_SYSTEM_SETTINGS_PATH"')
    expect(await launch()).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('arc install gemini') })
    profile({ tool: 'gemini', enforcement: 'log' })
    expect(await launch()).toMatchObject({ code: 0, stdout: 'started\n' })
    expect(readdirSync(join(home, 'run'))).toEqual([])
  })

  it('Q6 takes the name of an agent: the active profile with that agent, options without --', async () => {
    writeFileSync(join(home, 'profiles/default.json'), JSON.stringify({ enforcement: 'enforce' }))
    agent('copilot', 'shift 2; echo "$ARC_PROFILE $@"')
    const env = { PATH: `${bin}:${process.env.PATH}`, HOME: root }
    const run = (...args: string[]) => runArc(['launch', ...args], { home, cwd: root, env })
    expect(await run('copilot', '-p', 'go', '--', 'x')).toMatchObject({ code: 0, stdout: 'default -p go -- x\n' })
    expect(await run('qwen')).toMatchObject({
      code: 127,
      stderr: expect.stringMatching(
        /there is no program qwen in the PATH\. Install Qwen Code first\. Agents on this machine: .*copilot/,
      ),
    })
    // The program of an agent counts as the agent: in enforce it does not start unsupervised.
    profile({ tool: 'cursor-agent' })
    agent('cursor-agent', 'echo started')
    expect(await launch()).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('arc install cursor') })
  })

  it('L3 says what is missing', async () => {
    profile({})
    expect(await launch()).toMatchObject({ code: 1, stderr: expect.stringContaining('names no agent') })
    profile({ tool: 'no-such-agent' })
    expect(await launch()).toMatchObject({ code: 127, stderr: expect.stringContaining('could not be started') })
    const other = await runArcInProcess(['launch', 'wrok'], { home })
    expect(other).toMatchObject({ code: 1, stderr: expect.stringContaining('Did you mean "work"?') })
  })
})
