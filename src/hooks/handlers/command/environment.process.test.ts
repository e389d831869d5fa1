// The variables of a command, seen from inside the command.

import { afterEach, describe, expect, it } from 'vitest'
import type { StepContext } from '../../../engine/step.ts'
import { createEngine } from '../../../platform/hook-engine.ts'
import { type CommandOptions, commandHandler } from './command.ts'
import { portableValue } from './environment.ts'

const CONTEXT: StepContext = { session: 's-1', workspace: '/srv/project' }

/** What one command prints for one step. */
async function printed(options: CommandOptions, data: object, context = CONTEXT, point = 'pre:tool'): Promise<string> {
  let text = ''
  const engine = createEngine({ mode: 'enforce', sink: () => undefined })
  const handler = commandHandler(options, ({ stdout, stderr, ending }) => {
    expect({ ending, stderr: stderr.text }).toEqual({ ending: { kind: 'exit', code: 0 }, stderr: '' })
    text = stdout.text
  })
  engine.register(point as 'pre:tool', handler)
  await engine.dispatch(point as 'pre:tool', data as never, context)
  return text
}

const shell = (tool: string, args: unknown = {}): object => ({ tool, args })
const show = (variable: string): string => `printf '<%s>' "\${${variable}-unset}"`

afterEach(() => {
  delete process.env.ARC_TOOL_NAME
})

describe.each(['ARC', 'ARCAN'])('the %s_* variables', (prefix) => {
  it('H3 carry session, workspace, event, tool and input', async () => {
    const names = ['SESSION_ID', 'WORKSPACE', 'HOOK_EVENT', 'TOOL_NAME', 'TOOL_INPUT']
    const command = names.map((name) => show(`${prefix}_${name}`)).join('; ')
    expect(await printed({ command }, shell('bash', { command: 'ls' }))).toBe(
      '<s-1></srv/project><pre_tool_use><bash><{"command":"ls"}>',
    )
  })

  it('H3 are unset for what a step does not have, and empty for session and workspace', async () => {
    process.env[`${prefix}_TOOL_NAME`] = 'of an outer run'
    const names = ['SESSION_ID', 'WORKSPACE', 'HOOK_EVENT', 'TOOL_NAME', 'TOOL_INPUT']
    const command = names.map((name) => show(`${prefix}_${name}`)).join('; ')
    expect(await printed({ command }, {}, {}, 'session:start')).toBe('<><><session_start><unset><unset>')
    delete process.env[`${prefix}_TOOL_NAME`]
  })

  it('H3 cannot be overridden by the configuration', async () => {
    const command = show(`${prefix}_TOOL_NAME`)
    expect(await printed({ command, env: { [`${prefix}_TOOL_NAME`]: 'fake' } }, shell('bash'))).toBe('<bash>')
  })
})

describe('a value', () => {
  it('H3 with NUL loses it in the environment and in arguments, and keeps it on stdin', async () => {
    expect(await printed({ command: "printf '<%s>' {tool_name}" }, shell('a\0b\0'))).toBe('<ab>')
    expect(await printed({ command: ['printf', '<%s>', '{tool_name}'] }, shell('a\0b\0'))).toBe('<ab>')
    const envelope = JSON.parse(await printed({ command: 'cat' }, shell('a\0b\0')))
    expect(envelope.tool_name).toBe('a\0b\0')
  })

  it('H3 of up to 100 000 bytes is in the environment, all four at once and under both names', async () => {
    const long = 'é'.repeat(50_000)
    const args = 'x'.repeat(99_998)
    const names = ['ARC_SESSION_ID', 'ARCAN_WORKSPACE', 'ARC_TOOL_NAME', 'ARCAN_TOOL_INPUT']
    const command = names.map((name) => `printf %s "$${name}" | wc -c`).join('; ')
    const text = await printed({ command }, shell(long, args), { session: long, workspace: long })
    expect(text.trim().split(/\s+/)).toEqual(names.map(() => '100000'))
  })

  it('H3 above 100 000 bytes is a note in the environment and in arguments, and complete on stdin', async () => {
    const args = { content: 'é'.repeat(60_000) }
    const note = '[120014 bytes: too large for the environment, read it from stdin]'
    for (const command of ["printf '<%s>' {tool_input}", ['printf', '<%s>', '{tool_input}']]) {
      expect(await printed({ command }, shell('write', args))).toBe(`<${note}>`)
    }
    const envelope = JSON.parse(await printed({ command: 'cat' }, shell('write', args)))
    expect(envelope.tool_input).toEqual(args)
  })

  it('H3 is measured in bytes', () => {
    expect(portableValue('é'.repeat(50_000))).toHaveLength(50_000)
    expect(portableValue(`${'é'.repeat(50_000)}x`)).toContain('100001 bytes')
  })

  it('H3 with half of a character becomes one that can be written', async () => {
    expect(await printed({ command: "printf '<%s>' {tool_name}" }, shell('a\ud800b'))).toBe('<a\ufffdb>')
  })
})

describe('an argument list', () => {
  it('H3 is filled with the values as they are, each in its place', async () => {
    const command = ['printf', '<%s>', '{tool_name}', 'a{session_id}b', '{tool_input}', '{workspace}', '{unknown}']
    const values = { session: '"$(touch x)\' *', workspace: '-n' }
    expect(await printed({ command }, shell('; ls\n', { a: "'" }), values)).toBe(
      `<; ls\n><a"$(touch x)' *b><{"a":"'"}><-n><{unknown}>`,
    )
  })

  it('H3 has empty arguments for what a step does not have', async () => {
    const command = ['printf', '<%s>', '{tool_name}', '{tool_input}', '{session_id}']
    expect(await printed({ command }, {}, {}, 'session:start')).toBe('<><><>')
  })

  it('H3 may name its program by the workspace', async () => {
    expect(await printed({ command: ['{workspace}/printf', 'found'] }, shell('bash'), { workspace: '/usr/bin' })).toBe(
      'found',
    )
  })
})

describe('placeholders of a step', () => {
  it('H3 come through the engine exactly, in all quotings at once', async () => {
    const hostile = `'"\`$(touch canary)\\ ;&|<>*?[a]~#\n\n{tool_input}é語🙂-- `
    const command = `printf '<%s>' {tool_name} "{session_id}" '{workspace}' "$(printf '%s.' {tool_input})"`
    const context = { session: hostile, workspace: hostile }
    const text = await printed({ command }, shell(hostile, { hostile }), context)
    expect(text).toBe(`<${hostile}><${hostile}><${hostile}><${JSON.stringify({ hostile })}.>`)
  })
})
