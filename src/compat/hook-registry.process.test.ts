// HookRegistry: the tests of its documentation, each under its own name, and the defects known of its like elsewhere.

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { makeTempFolder } from '../../test/temp-folder.ts'
import { ArcError } from '../engine/errors.ts'
import { BUILT_IN_POINTS } from '../engine/point-names.ts'
import { HOOK_EVENTS, HookDenied, HookRegistry, type HookRegistryContext, readHookConfig } from './hook-registry.ts'

const CONTEXT: HookRegistryContext = {
  sessionId: 'test-session-42',
  toolName: 'bash',
  toolInput: { command: 'ls' },
  workspace: '/tmp/test-workspace',
}

let folder: string
let log: string
beforeEach(() => {
  folder = makeTempFolder('arc-registry-')
  log = join(folder, 'log')
})

const logged = (): string[] => (existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n') : [])
const denialOf = async (registry: HookRegistry): Promise<unknown> =>
  registry.checkBlocking('pre_tool_use', CONTEXT).catch((error: unknown) => error)

describe('the registry', () => {
  it('H6 fire matching hooks', async () => {
    const registry = HookRegistry.fromConfigs([
      { event: 'session_start', command: 'echo session_start', timeout_secs: 5 },
      { event: 'run_end', command: 'echo run_end', timeout_secs: 5 },
      { event: 'session_start', command: 'echo session_start_2', timeout_secs: 5 },
    ])
    const started = await registry.fire('session_start', CONTEXT)
    expect(started.map(({ stdout }) => stdout)).toEqual(['session_start\n', 'session_start_2\n'])
    expect((await registry.fire('run_end', CONTEXT)).map(({ stdout }) => stdout)).toEqual(['run_end\n'])
    expect(await registry.fire('pre_tool_use', CONTEXT)).toEqual([])
  })

  it('H6 takes its context in both spellings, and refuses what it does not know', async () => {
    const registry = HookRegistry.fromConfigs([
      { event: 'pre_tool_use', matcher: 'bash', command: 'echo "{tool_name} {session_id} $ARC_TOOL_INPUT"' },
    ])
    const snake = { session_id: 's', tool_name: 'bash', tool_input: { command: 'ls' }, workspace: '/tmp' }
    const camel = { sessionId: 's', toolName: 'bash', toolInput: { command: 'ls' }, workspace: '/tmp' }
    for (const context of [snake, camel]) {
      const [result] = await registry.fire('pre_tool_use', context)
      expect(result?.stdout).toBe('bash s {"command":"ls"}\n')
    }
    const unknown = { ...snake, tool: 'bash' } as HookRegistryContext
    await expect(registry.fire('pre_tool_use', unknown)).rejects.toThrow(/does not know the option "tool".*tool_name/)
    const both = { ...snake, toolName: 'edit' }
    await expect(registry.fire('pre_tool_use', both)).rejects.toThrow(/toolName and tool_name are the same field/)
    await expect(registry.fire('pre_tool_use', { toolName: 5 } as never)).rejects.toThrow(/must be a text, not 5/)
  })

  it('H6 a denial is a sentence as text', () => {
    const denied = new HookDenied('denied')
    expect([String(denied), denied.message]).toEqual(['hook blocked operation: denied', 'denied'])
  })

  it('H6 variables that are set later reach the command', async () => {
    const registry = HookRegistry.fromConfigs([{ event: 'run_end', command: 'echo "[$ARC_TEST_LATER]"' }])
    const print = async () => (await registry.fire('run_end', CONTEXT))[0]?.stdout
    expect(await print()).toBe('[]\n')
    process.env.ARC_TEST_LATER = 'yes'
    expect(await print()).toBe('[yes]\n')
    delete process.env.ARC_TEST_LATER
    expect(await print()).toBe('[]\n')
  })

  it('H6 matcher filters', async () => {
    const registry = HookRegistry.fromConfigs([
      { event: 'pre_tool_use', matcher: 'bash', command: 'echo matched_bash' },
      { event: 'pre_tool_use', matcher: 'file_edit', command: 'echo matched_file_edit' },
      { event: 'pre_tool_use', command: 'echo matched_all' },
    ])
    const printed = async (toolName: string | undefined) =>
      (await registry.fire('pre_tool_use', { ...CONTEXT, toolName })).map(({ stdout }) => stdout.trim())
    expect(await printed('bash')).toEqual(['matched_bash', 'matched_all'])
    expect(await printed('file_edit')).toEqual(['matched_file_edit', 'matched_all'])
    expect(await printed(undefined)).toEqual(['matched_all'])
  })

  it('H6 blocking hook denies', async () => {
    const registry = HookRegistry.fromConfigs([
      { event: 'pre_tool_use', command: "echo 'allowed' && exit 0", blocking: true },
      { event: 'pre_tool_use', command: "echo 'denied' >&2 && exit 1", blocking: true },
    ])
    const denial = await denialOf(registry)
    expect(denial).toBeInstanceOf(HookDenied)
    expect(denial).toMatchObject({ name: 'HookDenied', message: 'denied' })
  })

  it('H6 blocking hook allows', async () => {
    const registry = HookRegistry.fromConfigs([{ event: 'pre_tool_use', command: 'exit 0', blocking: true }])
    expect(await registry.checkBlocking('pre_tool_use', CONTEXT)).toMatchObject([{ exitCode: 0 }])
  })

  it('H6 non-blocking hooks ignored in check', async () => {
    const registry = HookRegistry.fromConfigs([
      { event: 'pre_tool_use', command: 'exit 1' },
      { event: 'pre_tool_use', command: 'echo no >&2; exit 2' },
      { event: 'pre_tool_use', command: `echo '{"decision":"block"}'` },
      { event: 'pre_tool_use', command: 'kill -KILL $$' },
    ])
    const results = await registry.checkBlocking('pre_tool_use', CONTEXT)
    expect(results.map(({ exitCode }) => exitCode)).toEqual([1, 2, 0, -1])
  })

  it('H6 timeout handling', async () => {
    const registry = HookRegistry.fromConfigs([{ event: 'run_end', command: 'sleep 30', timeout_secs: 0.2 }])
    expect(await registry.fire('run_end', CONTEXT)).toEqual([{ timedOut: true, exitCode: -1, stdout: '', stderr: '' }])
  })

  it('H6 placeholder expansion', async () => {
    const command = "echo 'tool={tool_name} session={session_id} ws={workspace}'"
    const registry = HookRegistry.fromConfigs([{ event: 'pre_tool_use', command }])
    const [result] = await registry.fire('pre_tool_use', CONTEXT)
    expect(result).toMatchObject({
      exitCode: 0,
      stdout: 'tool=bash session=test-session-42 ws=/tmp/test-workspace\n',
    })
  })

  it('H6 environment variables set', async () => {
    const command = 'echo "$ARCAN_SESSION_ID|$ARCAN_WORKSPACE|$ARCAN_TOOL_NAME|$ARCAN_HOOK_EVENT"'
    const registry = HookRegistry.fromConfigs([{ event: 'pre_tool_use', command }])
    const [result] = await registry.fire('pre_tool_use', CONTEXT)
    expect(result?.stdout.trim()).toBe('test-session-42|/tmp/test-workspace|bash|pre_tool_use')
  })

  it('H6 empty registry', async () => {
    const registry = new HookRegistry()
    expect(registry.isEmpty()).toBe(true)
    expect(registry.len()).toBe(0)
    expect(await registry.fire('session_start', CONTEXT)).toEqual([])
    expect(await registry.checkBlocking('pre_tool_use', CONTEXT)).toEqual([])
  })

  it('H6 hook event serde roundtrip', async () => {
    const configs = HOOK_EVENTS.map((event) => ({ event, command: 'echo "$ARCAN_HOOK_EVENT"' }))
    expect(HOOK_EVENTS).toHaveLength(11)
    const registry = HookRegistry.fromConfigs(JSON.parse(JSON.stringify(configs)))
    for (const event of HOOK_EVENTS) {
      expect(BUILT_IN_POINTS.resolve(event).name).toEqual(expect.any(String))
      const results = await registry.fire(event, CONTEXT)
      expect(results.map(({ stdout }) => stdout.trim())).toEqual([event])
    }
    expect(JSON.parse(JSON.stringify(registry.configs))).toMatchObject(configs)
  })

  it('H6 hook config serde defaults', () => {
    const config = readHookConfig(JSON.parse('{"event":"run_end","command":"echo done"}'))
    expect(config).toEqual({
      event: 'run_end',
      command: 'echo done',
      timeout_secs: 10,
      blocking: false,
      matcher: undefined,
    })
    const registry = HookRegistry.fromConfigs([{ event: 'run_end', command: 'echo done' }])
    expect(registry.configs).toEqual([config])
    expect(registry.len()).toBe(1)
    expect(registry.isEmpty()).toBe(false)
  })
})

describe('a hook', () => {
  it.each([true, false])('H6 runs once per step (blocking: %s)', async (blocking) => {
    const registry = HookRegistry.fromConfigs([{ event: 'pre_tool_use', command: `echo ran >>${log}`, blocking }])
    const results = await registry.checkBlocking('pre_tool_use', CONTEXT)
    expect(results).toHaveLength(1)
    expect(logged()).toEqual(['ran'])
    await registry.fire('pre_tool_use', CONTEXT)
    expect(logged()).toEqual(['ran', 'ran'])
  })

  it('H6 runs after the previous hooks have ended, and returns results in order', async () => {
    const registry = HookRegistry.fromConfigs(
      [0.15, 0.05, 0].map((seconds) => ({
        event: 'post_tool_use' as const,
        command: `sleep ${seconds}; echo ${seconds} | tee -a ${log}`,
      })),
    )
    const results = await registry.fire('post_tool_use', CONTEXT)
    expect(results.map(({ stdout }) => stdout.trim())).toEqual(['0.15', '0.05', '0'])
    expect(logged()).toEqual(['0.15', '0.05', '0'])
  })

  it('H6 does not keep those after it from firing, whatever it does', async () => {
    const commands = ['exit 1', 'exit 2', 'kill -SEGV $$', 'no-such-program', `echo '{"decision":`, 'echo last']
    const registry = HookRegistry.fromConfigs(
      commands.map((command) => ({ event: 'pre_tool_use', command, blocking: true })),
    )
    const results = await registry.fire('pre_tool_use', CONTEXT)
    expect(results.map(({ exitCode }) => exitCode)).toEqual([1, 2, -1, 127, 2, 0])
    expect(results.at(-1)?.stdout).toBe('last\n')
  })

  it('H6 that denies ends the check: those after it do not run', async () => {
    const registry = HookRegistry.fromConfigs([
      { event: 'pre_tool_use', command: `echo watched >>${log}` },
      { event: 'pre_tool_use', command: 'exit 7', blocking: true },
      { event: 'pre_tool_use', command: `echo too late >>${log}`, blocking: true },
    ])
    expect(await denialOf(registry)).toMatchObject({ message: 'hook exited with code 7: exit 7' })
    expect(logged()).toEqual(['watched'])
  })

  it.each([
    ['at its time limit', { command: 'echo noise >&2; sleep 30', timeout_secs: 0.2 }, 'hook timed out after 0.2s: '],
    ['killed by a signal', { command: 'kill -KILL $$' }, 'hook was killed by SIGKILL: '],
    ['that is not there', { command: './no-such-program' }, 'not found'],
    ['with half a JSON', { command: `printf '{"decision":'` }, 'JSON that cannot be read'],
    ['with a verdict', { command: `echo '{"decision":"block","reason":"by verdict"}'` }, 'by verdict'],
    ['that asks', { command: `echo '{"decision":"ask","reason":"a human first"}'` }, 'a human first'],
  ] as const)('H6 denies %s, with a message', async (_what, config, message) => {
    const registry = HookRegistry.fromConfigs([{ event: 'pre_tool_use', blocking: true, ...config }])
    const denial = await denialOf(registry)
    expect(denial).toBeInstanceOf(HookDenied)
    expect((denial as HookDenied).message).toContain(message)
  })

  it('H6 denies with its own message, also when others run after it', async () => {
    const registry = HookRegistry.fromConfigs([
      { event: 'pre_tool_use', command: `echo '{"decision":"ask","reason":"a human first"}'`, blocking: true },
      { event: 'pre_tool_use', command: 'echo something else >&2; exit 1' },
    ])
    expect(await denialOf(registry)).toMatchObject({ message: 'a human first' })
  })

  it('H6 of more than 64 KiB on both outputs does not deadlock', async () => {
    const flood = 'head -c 200000 /dev/zero | tr "\\0" x'
    const registry = HookRegistry.fromConfigs([{ event: 'pre_tool_use', command: `${flood}; ${flood} >&2` }])
    const [result] = await registry.fire('pre_tool_use', CONTEXT)
    expect(result).toMatchObject({ exitCode: 0, timedOut: false })
    expect([result?.stdout.length, result?.stderr.length]).toEqual([200_000, 200_000])
  })

  it('H6 is not waited for when a grandchild holds its outputs', async () => {
    const registry = HookRegistry.fromConfigs([{ event: 'pre_tool_use', command: 'sleep 300 & echo $!' }])
    const [result] = await registry.fire('pre_tool_use', CONTEXT)
    process.kill(Number(result?.stdout), 'SIGKILL')
  })

  it('H6 cannot be tricked by a tool name or input into running anything', async () => {
    const canary = join(folder, 'canary')
    const hostile = [`; touch ${canary};`, `$(touch ${canary})`, `'; touch ${canary}; '`, `"; touch ${canary}; "`]
    const command = `printf '%s\\n' {tool_name} "{tool_name}" '{tool_name}' {tool_input} "{tool_input}" '{tool_input}'`
    const registry = HookRegistry.fromConfigs([{ event: 'pre_tool_use', command }])
    for (const value of hostile) {
      const [result] = await registry.fire('pre_tool_use', { toolName: value, toolInput: { value } })
      const input = JSON.stringify({ value })
      expect(result?.stdout).toBe([value, value, value, input, input, input, ''].join('\n'))
    }
    expect(existsSync(canary)).toBe(false)
  })

  it('H6 does without a tool, session or workspace', async () => {
    const registry = HookRegistry.fromConfigs([
      { event: 'session_end', command: "printf '<%s>' {tool_name} {session_id}" },
    ])
    expect(await registry.fire('session_end')).toMatchObject([{ stdout: '<><>' }])
  })

  it('H6 can be one of many', async () => {
    const configs = Array.from({ length: 60 }, () => ({ event: 'run_start' as const, command: 'true' }))
    expect(await HookRegistry.fromConfigs(configs).fire('run_start', CONTEXT)).toHaveLength(60)
  })

  it('H6 serves many steps at once without mixing them up', async () => {
    const registry = HookRegistry.fromConfigs([{ event: 'pre_tool_use', command: 'printf %s {tool_name}' }])
    const tools = Array.from({ length: 20 }, (_, index) => `tool-${index}`)
    const results = await Promise.all(tools.map((toolName) => registry.fire('pre_tool_use', { toolName })))
    expect(results.flat().map(({ stdout }) => stdout)).toEqual(tools)
  })
})

describe('a bad configuration', () => {
  it.each([
    ['no list', 'echo', 'a list'],
    ['no object', ['echo'], 'A hook must be an object, not "echo"'],
    ['null', [null], 'must be an object'],
    ['an unknown event', [{ event: 'pre_tool', command: 'x' }], `event must be one of ${HOOK_EVENTS.join(', ')}`],
    ['no event', [{ command: 'x' }], 'event must be one of'],
    ['an unknown key', [{ event: 'run_end', command: 'x', timeout: 5 }], 'does not know the option "timeout"'],
    ['no command', [{ event: 'run_end' }], 'command must be a line for the shell'],
    ['an empty command', [{ event: 'run_end', command: ' ' }], 'command must be a line for the shell'],
    ['a command that is a list', [{ event: 'run_end', command: ['ls'] }], 'command must be a line for the shell'],
    ['a limit of 0', [{ event: 'run_end', command: 'x', timeout_secs: 0 }], 'timeout_secs must be'],
    ['a negative limit', [{ event: 'run_end', command: 'x', timeout_secs: -1 }], 'timeout_secs must be'],
    ['a limit that is a text', [{ event: 'run_end', command: 'x', timeout_secs: '5' }], 'timeout_secs must be'],
    ['a limit that is null', [{ event: 'run_end', command: 'x', timeout_secs: null }], 'timeout_secs must be'],
    ['a matcher that is a number', [{ event: 'run_end', command: 'x', matcher: 5 }], 'matcher must be'],
    ['a matcher that is a list', [{ event: 'run_end', command: 'x', matcher: ['a'] }], 'matcher must be'],
    ['an empty matcher', [{ event: 'pre_tool_use', command: 'x', matcher: '' }], 'match.tool'],
    ['a matcher that could never match', [{ event: 'pre_tool_use', command: 'x', matcher: 'a|b' }], 'a|b'],
    [
      'blocking that is a text',
      [{ event: 'run_end', command: 'x', blocking: 'yes' }],
      'blocking must be true or false',
    ],
    ['a placeholder that would run', [{ event: 'run_end', command: 'eval {tool_name}' }], 'has a placeholder'],
  ])('H6 with %s is an error at once, never a hook that silently does not run', (_what, configs, message) => {
    let thrown: unknown
    try {
      HookRegistry.fromConfigs(configs as never)
    } catch (error) {
      thrown = error
    }
    expect(thrown).toBeInstanceOf(ArcError)
    expect((thrown as ArcError).message).toContain(message)
  })

  it('H6 takes null for no matcher, as serialised configurations have it', () => {
    expect(readHookConfig({ event: 'run_end', command: 'x', matcher: null }).matcher).toBeUndefined()
  })

  it('H6 an event that does not exist cannot be fired', async () => {
    await expect(new HookRegistry().fire('pre_tool_uses' as never)).rejects.toThrow(/Did you mean "pre_tool_use"/)
  })
})
