// The contract of handlers, run for every kind there is: functions, programs, endpoints and models.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freePort, json, type Respond, startServer } from '../../../test/loopback-server.ts'
import type { ToolCallData } from '../../engine/points.ts'
import type { VerdictObject } from '../../engine/verdict.ts'
import { type HandlerMaker, handlerContract, handlerContractFor } from '../../testing/index.ts'
import { type CommandHandler, commandHandler } from './command/command.ts'
import type { Handler } from './handler.ts'
import { httpHandler } from './http.ts'
import { promptHandler } from './prompt/prompt.ts'
import type { WireFormatName } from './prompt/wire.ts'

const MORE_THAN_KEPT = 1024 * 1024 + 1
/** What the makers of programs and servers are asked for; programs and servers in turn know how to do it. */
type Way = 'answer' | 'echo' | 'crash' | 'hang' | 'nonsense' | 'too-large'

describe('a function', () => {
  for (const { title, run } of handlerContractFor(functions())) it(`H1 function ${title}`, () => run(functions()))
})

describe('a program', () => {
  const makers = { 'command line': programs({}), 'command kept alive': programs({ keepAlive: true }) }
  for (const [kind, make] of Object.entries(makers)) {
    for (const { title, run } of handlerContractFor(make)) it(`H2 ${kind} ${title}`, () => run(make))
  }
})

describe('a server', () => {
  let server: Awaited<ReturnType<typeof startServer>>
  let nowhere = ''
  beforeAll(async () => {
    server = await startServer(respond)
    nowhere = `http://127.0.0.1:${await freePort()}`
  })
  afterAll(() => server.close())

  const ask = (format: WireFormatName) => (baseUrl: string) =>
    promptHandler({ format, model: 'loopback', instructions: 'Judge.', baseUrl, apiKeyEnv: 'ARC_TEST_NO_KEY' })
  const makers = {
    HTTP: servers((url) => httpHandler({ url })),
    'prompt (anthropic)': servers(ask('anthropic'), ['edit', 'metadata']),
    'prompt (openai)': servers(ask('openai'), ['edit', 'metadata']),
  }
  for (const [kind, make] of Object.entries(makers)) {
    for (const { title, run } of handlerContractFor(make)) it(`H5 ${kind} ${title}`, () => run(make))
  }

  function servers(handlerAt: (url: string) => Handler, cannot: HandlerMaker['cannot'] = []): HandlerMaker {
    const at = (way: Way, rest = '') => handlerAt(`${server.url}/${way}${rest}`)
    return {
      cannot,
      answering: (verdict) => at('answer', `/${encodeURIComponent(JSON.stringify(verdict ?? null))}`),
      echoing: () => at('echo'),
      crashing: () => at('crash'),
      hanging: () => at('hang'),
      nonsense: () => at('nonsense'),
      tooLarge: () => at('too-large'),
      unreachable: () => handlerAt(nowhere),
    }
  }
})

describe('the contract itself', () => {
  it('H1 skips exactly the cases that a maker cannot do, and refuses to run them', async () => {
    const { tooLarge: _, unreachable: __, ...rest } = functions()
    const limited: HandlerMaker = { ...rest, cannot: ['edit'] }
    const left = handlerContract.filter((one) => !handlerContractFor(limited).includes(one))
    expect(left.map(({ needs }) => needs)).toEqual(['edit', 'unreachable', 'tooLarge'])
    for (const { run } of left) await expect(run(limited)).rejects.toThrow('use handlerContractFor')
  })

  const timers: NodeJS.Timeout[] = []
  afterAll(() => timers.forEach(clearTimeout))
  const FAULTY: readonly (readonly [what: string, breaks: string, faulty: Partial<HandlerMaker>])[] = [
    ['objects to everything', 'nothing to say', { answering: () => () => 'flag' }],
    ['never objects', 'the verdict block', { answering: () => () => 'pass' }],
    ['gives no reasons', 'the verdict flag', { answering: () => () => 'flag' }],
    ['edits nothing', 'later hooks', { answering: () => () => 'pass' }],
    ['loses what it received', 'nested step', { echoing: () => () => ({ metadata: { tool: 'shell', args: {} } }) }],
    ['gives every step the first answer', 'many steps at once', { echoing: forgetful }],
    ['consents by crashing', 'when it crashes', { crashing: () => () => 'pass' }],
    ['crashes where it should not', 'not a verdict', { nonsense: functions().crashing }],
    ['starts against all odds', 'cannot be started', { unreachable: () => () => 'pass' }],
    ['answers without end', 'more than the limit', { tooLarge: () => () => 'pass' }],
    ['answers instead of hanging', 'time limit', { hanging: () => () => 'pass' }],
    [
      'leaves a timer behind',
      'time limit',
      { hanging: () => () => new Promise((resolve) => void timers.push(setTimeout(resolve, 60_000))) },
    ],
  ]
  it.each(FAULTY)('H1 notices a handler that %s', async (_, breaks, faulty) => {
    const broken = handlerContract.filter(({ title }) => title.includes(breaks))
    expect(broken).toHaveLength(1)
    await expect(broken[0]?.run({ ...functions(), ...faulty })).rejects.toThrow()
  })

  it('H1 lets go of what a case made, also when it fails', async () => {
    let disposed = 0
    const dispose = () => void disposed++
    for (const { run } of handlerContract.slice(0, 2)) await run({ ...functions(), dispose })
    const broken = { ...functions(), dispose, answering: () => () => 'block' as const }
    await expect(handlerContract[0]?.run(broken)).rejects.toThrow()
    expect(disposed).toBe(3)
  })
})

function functions(): HandlerMaker {
  return {
    answering: (verdict) => () => verdict,
    echoing:
      () =>
      async ({ data, session }) => {
        const { tool, args } = data as ToolCallData
        return { metadata: { tool, args, session } }
      },
    crashing: () => () => {
      throw new Error('on purpose')
    },
    hanging: () => () => new Promise<never>(() => undefined),
    nonsense: () => () => ({ verdict: 'yes' }) as VerdictObject,
    tooLarge: () => () => ({ metadata: { list: Array.from({ length: 100_001 }, () => 0) } }),
  }
}

// Mixes steps up: the first step decides the answer to all others.
function forgetful(): Handler {
  const echo = functions().echoing()
  let first: ReturnType<Handler> | undefined
  return (step, run) => {
    first ??= echo(step, run)
    return first
  }
}

// One program for all ways, in both forms of command: told by an argument what to do with a step.
const PROGRAM = `
  const [way, verdict] = process.argv.slice(1)
  const keepsAlive = process.env.KEPT === '1'
  const say = (text) => process.stdout.write(text + '\\n')
  const react = (line) => {
    const { data: { tool, args }, session } = JSON.parse(line)
    if (way === 'answer') say(verdict === '' && !keepsAlive ? '' : verdict || '{}')
    if (way === 'echo') say(JSON.stringify({ metadata: { tool, args, session } }))
    if (way === 'crash') { process.stderr.write('on purpose'); process.exit(1) }
    if (way === 'hang') setInterval(() => {}, 60_000)
    if (way === 'nonsense') say('{"verdict": "yes"}')
    if (way === 'too-large') say('{"reason": "' + 'x'.repeat(${MORE_THAN_KEPT}) + '"}')
  }
  let rest = ''
  process.stdin.setEncoding('utf8').on('data', (text) => {
    const lines = (rest + text).split('\\n')
    rest = lines.pop()
    lines.forEach(react)
  })
`

function programs({ keepAlive = false }): HandlerMaker {
  const made: CommandHandler[] = []
  const program = (command: string | readonly string[]): Handler => {
    const env = { KEPT: keepAlive ? '1' : '0' }
    const handler = commandHandler({ command, env, keepAlive, graceMs: 100 })
    made.push(handler)
    return handler
  }
  const run = (way: Way, verdict = '') => program([process.execPath, '-e', PROGRAM, way, verdict])
  return {
    answering: (verdict) => run('answer', verdict === undefined ? '' : JSON.stringify(verdict)),
    echoing: () => run('echo'),
    crashing: () => run('crash'),
    hanging: () => run('hang'),
    nonsense: () => run('nonsense'),
    tooLarge: () => run('too-large'),
    unreachable: () => program(['/nowhere/arc-has-no-such-program']),
    dispose: () => {
      for (const handler of made.splice(0)) handler.dispose()
    },
  }
}

// One server for all ways, as an endpoint and in both wire formats: told by the path what to do with a step.
const respond: Respond = (response, { path = '', body }) => {
  const [, way, verdict = '', ...rest] = path.split('/')
  const route = way === 'answer' ? rest.join('/') : [verdict, ...rest].join('/')
  const format = route === '' ? undefined : route === 'v1/messages' ? 'anthropic' : 'openai'
  const { data, session } = stepIn(body, format)
  const echo = { tool: data.tool, args: data.args, session }
  const say = (answer: unknown) => json(response, format === undefined ? answer : inFormat(format, answer))
  if (way === 'crash') json(response, { error: 'on purpose' }, 500)
  else if (way === 'nonsense') say({ verdict: 'yes' })
  else if (way === 'too-large') response.end('x'.repeat(MORE_THAN_KEPT))
  else if (way === 'answer') say(JSON.parse(decodeURIComponent(verdict)) ?? (format === undefined ? null : PASS))
  else if (way === 'echo' && format === undefined) say({ metadata: echo })
  else if (way === 'echo') say({ decision: 'flag', reason: JSON.stringify(echo), suggestion: null })
}

const PASS = { decision: 'pass', reason: 'nothing to object to', suggestion: null }

function stepIn(body: string, format: WireFormatName | undefined): { data: ToolCallData; session?: string } {
  const sent = JSON.parse(body)
  return format === undefined ? sent : JSON.parse(sent.messages[format === 'anthropic' ? 0 : 1].content)
}

function inFormat(format: WireFormatName, answer: unknown): object {
  const text = JSON.stringify(answer)
  return format === 'anthropic'
    ? { type: 'message', role: 'assistant', content: [{ type: 'text', text }], stop_reason: 'end_turn' }
    : { choices: [{ index: 0, message: { role: 'assistant', content: text }, finish_reason: 'stop' }] }
}
