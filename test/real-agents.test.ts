// The tables of the runner with real agents and its scripted model, without running an agent: `npm run agents` does that.

import { describe, expect, it } from 'vitest'
import { BUILT_INS } from '../src/hooks/builtin/list.ts'
import { HOST_NAMES, type HostName } from '../src/hosts/host.ts'
import { HOSTS } from '../src/hosts/list.ts'

interface Client {
  readonly scope: string
  readonly told: string
  launch(site: object): { files: Record<string, string>; argv: string[]; env: Record<string, string> }
}

interface Scenario {
  readonly name: string
  readonly about: string
  readonly steps: readonly { turns?: readonly { tool?: string; say?: string }[]; arc?: readonly string[] }[]
  readonly profile?: { readonly hooks?: object }
  readonly looksAt?: readonly string[]
  judge: (...seen: unknown[]) => string[]
}

interface Run {
  readonly agent: HostName
  readonly release: string
  readonly scenario: string
}

interface Protocol {
  read(body: object): { tools: { name: string }[]; parts: { kind: string; text: string }[] }
  write(answer: object): void
}

// Plain JavaScript, which the runner starts without a build.
async function load<T>(file: string): Promise<T> {
  return (await import(new URL(file, import.meta.url).href)) as T
}

const { CLIENTS, releaseOf } = await load<{ CLIENTS: Record<string, Client>; releaseOf(name: string): string }>(
  './real-agents/clients.mjs',
)
const { ALL_SCENARIOS } = await load<{ ALL_SCENARIOS: readonly Scenario[] }>('./real-agents/list.mjs')
const { HOOK_CASES, HOOK_MODES } = await load<{
  HOOK_CASES: readonly { hook: string; expects: Record<string, object> }[]
  HOOK_MODES: readonly string[]
}>('./real-agents/hook-modes.mjs')
const { readResults } = await load<{ readResults(): { runs: readonly Run[] } }>('./real-agents/results.mjs')
const { PROTOCOLS } = await load<{ PROTOCOLS: readonly Protocol[] }>('../scripts/scripted-model/protocols.mjs')
const { chooseTool, fillArguments } = await load<{
  chooseTool(tools: readonly object[], kind: string): { name: string } | undefined
  fillArguments(tool: object, turn: object, cwd: string): Record<string, unknown>
}>('../scripts/scripted-model/tool-call.mjs')

describe('the agents of the runner', () => {
  it('are those that an adapter was verified with, at that release', () => {
    const verified = HOST_NAMES.filter((name) => HOSTS[name].verifiedWith !== undefined)
    expect(Object.keys(CLIENTS)).toEqual(verified)
    for (const name of verified) expect([name, releaseOf(name)]).toEqual([name, HOSTS[name].verifiedWith])
  })

  it.each(Object.entries(CLIENTS))('%s gets its prompt, and has its files in the home and project', (_name, client) => {
    const site = { bin: '/bin-of', home: '/h', project: '/p', modelUrl: 'http://127.0.0.1:1', wants: [] }
    const { files, argv } = client.launch({ ...site, prompt: 'do this' })
    expect(argv).toContain('do this')
    for (const file of Object.keys(files)) expect(file).toMatch(/^\/(?:h|p)\//)
    expect(JSON.stringify([argv, files])).not.toContain('undefined')
  })
})

describe('the scenarios of the runner', () => {
  it('have unique names, a step of the agent and a verdict', () => {
    const names = ALL_SCENARIOS.map(({ name }) => name)
    expect(new Set(names).size).toBe(names.length)
    for (const { name, about, steps, judge } of ALL_SCENARIOS) {
      expect([name, about === '', typeof judge]).toEqual([name, false, 'function'])
      expect(steps.some(({ turns = [] }) => turns.some(({ tool }) => tool !== undefined))).toBe(true)
    }
  })

  it('cover every built-in hook in every mode', () => {
    expect(HOOK_CASES.map(({ hook }) => hook).sort()).toEqual(BUILT_INS.map(({ name }) => name).sort())
    for (const { hook, expects } of HOOK_CASES) {
      const modes = HOOK_MODES.filter((mode) => mode !== 'off')
      expect([hook, Object.keys(expects)]).toEqual([hook, modes])
    }
  })

  it('have kept results of these agents and scenarios only, at these releases', () => {
    for (const { agent, release, scenario } of readResults().runs) {
      expect([agent, release]).toEqual([agent, releaseOf(agent)])
      expect(ALL_SCENARIOS.map(({ name }) => name)).toContain(scenario)
    }
  })
})

describe('the scripted model', () => {
  const REQUESTS = [
    {
      tools: [{ name: 'Bash', input_schema: {} }],
      messages: [
        { role: 'user', content: 'go' },
        { role: 'user', content: [{ type: 'tool_result', content: [{ type: 'text', text: 'ran' }] }] },
      ],
    },
    {
      tools: [{ type: 'function', name: 'Bash', parameters: {} }],
      input: [
        { role: 'user', content: [{ type: 'input_text', text: 'go' }] },
        { type: 'function_call_output', output: 'ran' },
      ],
    },
    {
      tools: [{ type: 'function', function: { name: 'Bash', parameters: {} } }],
      messages: [
        { role: 'user', content: [{ type: 'text', text: 'go' }] },
        { role: 'tool', content: 'ran' },
      ],
    },
    {
      tools: [{ functionDeclarations: [{ name: 'Bash', parameters: {} }] }],
      contents: [
        { role: 'user', parts: [{ text: 'go' }] },
        { role: 'user', parts: [{ functionResponse: { response: { output: 'ran' } } }] },
      ],
    },
  ]

  it.each(REQUESTS.map((body, at) => [at, body] as const))('reads and answers format %i', (at, body) => {
    const protocol = PROTOCOLS[at] as Protocol
    const { tools, parts } = protocol.read(body)
    expect(tools.map(({ name }) => name)).toEqual(['Bash'])
    expect(parts).toEqual([
      { kind: 'text', text: 'go' },
      { kind: 'result', text: 'ran' },
    ])
    const sent: string[] = []
    const send = {
      json: (value: object) => sent.push(JSON.stringify(value)),
      stream: (value: object) => sent.push(JSON.stringify(value)),
    }
    const url = new URL('http://model/v1/models/x:generateContent')
    const base = { url, send, id: 1 }
    for (const stream of [true, false]) {
      protocol.write({
        ...base,
        body: { ...body, stream },
        call: { tool: { name: 'Bash' }, args: { command: 'touch x' } },
      })
      protocol.write({ ...base, body: { ...body, stream }, text: 'finished' })
    }
    expect(sent.map((text) => [text.includes('touch x'), text.includes('finished')])).toEqual([
      ...[true, false].flatMap(() => [
        [true, false],
        [false, true],
      ]),
    ])
  })

  it.each([
    ['shell', { command: 'ls' }, 'run_commands', { commands: { type: 'array' } }, { commands: ['ls'] }],
    ['shell', { command: 'ls' }, 'exec_command', { cmd: { type: 'string' } }, { cmd: 'ls' }],
    ['write', { path: '/a', content: 'x' }, 'create', { path: {}, file_text: {} }, { path: '/a', file_text: 'x' }],
    [
      'write',
      { path: 'a', content: 'x' },
      'apply_patch',
      { input: {} },
      { input: '*** Begin Patch\n*** Add File: a\n+x\n*** End Patch\n' },
    ],
    [
      'spawn',
      { task: 'count' },
      'Task',
      { prompt: {}, subagent_type: {} },
      { prompt: 'count', subagent_type: 'general-purpose' },
    ],
  ])('calls a tool of the kind %s as the agent names it (%#)', (tool, values, name, properties, expected) => {
    const offered = chooseTool([{ name: 'other' }, { name }], tool)
    expect(offered?.name).toBe(name)
    expect(fillArguments({ name, schema: { properties } }, { tool, ...values }, '/')).toEqual(expected)
  })
})
