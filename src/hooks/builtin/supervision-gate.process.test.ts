// The gate as a built-in hook, with real reviewers: a program, an address, a model's server.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { makeFolder, pipelineOf } from '../../../test/built-in-fixture.ts'
import { json, serve } from '../../../test/loopback-server.ts'
import type { Mode } from '../../engine/mode.ts'
import { breakerFeed, DurableBreaker } from '../../supervisor/breaker/breaker.ts'
import { riskDetection } from './risk-detection.ts'
import { supervisionGate } from './supervision-gate.ts'

const DONE = { output: 'I modified src/a.ts.' }
const TURN = { turn: 't1' }
const gateWith = (reviewer: object, setting = {}) => pipelineOf([[supervisionGate, { reviewer }]], setting)

describe('a reviewer that is a program', () => {
  it('B92 reads the whole step on stdin and blocks with its reason', async () => {
    const file = join(makeFolder(), 'stdin.json')
    const { send } = gateWith({ command: `cat > ${file}; echo 'BLOCK: no tests were run'` })
    const outcome = await send('pre:turn:end', DONE, { ...TURN, agent: 'claude', workspace: '/w' })
    expect(outcome).toMatchObject({ decision: 'block', control: 'continue', hook: 'supervision-gate' })
    expect(outcome.reason).toBe('the reviewer objects: no tests were run')
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({
      ...{ point: 'pre:turn:end', session: 's1', turn: 't1', agent: 'claude', workspace: '/w', data: DONE },
    })
  })

  it('B92 an argument list is not read by a shell, and runs in the given folder', async () => {
    const folder = makeFolder()
    const { send } = gateWith({ command: ['sh', '-c', 'echo "BLOCK: $(pwd) $0"', '$HOME; id'], cwd: folder })
    expect((await send('pre:turn:end', DONE)).reason).toContain('$HOME; id')
  })

  it.each([
    ['echo ALLOW', 'pass', undefined],
    ['echo "ALLOW: fine"', 'pass', undefined],
    [`echo '{"decision":"block","reason":"by JSON"}'`, 'block', 'by JSON'],
    ['echo "by exit code" >&2; exit 2', 'block', 'by exit code'],
    ['echo perhaps', 'block', 'must answer ALLOW or BLOCK'],
    ['true', 'block', 'must answer ALLOW or BLOCK'],
    [`echo '{"decision"'`, 'block', 'cannot be read'],
    ['exit 3', 'block', 'ended with 3'],
    ['kill -9 $$', 'block', 'ended with no exit code'],
    ['yes BLOCK | head -c 3000000; echo', 'block', 'objects'],
  ])('B92 %j: %s', async (command, decision, why) => {
    const outcome = await gateWith({ command }).send('pre:turn:end', DONE)
    expect(outcome.decision).toBe(decision)
    if (why !== undefined) expect(outcome.reason).toContain(why)
  })

  it('B92 that hangs and ignores TERM fails at its limit, and never consents', async () => {
    const { send, evaluations } = gateWith({ command: "trap '' TERM; sleep 60 & wait; sleep 60" }, { timeoutMs: 100 })
    expect((await send('pre:turn:end', DONE)).decision).toBe('block')
    expect(evaluations.at(-1)?.cause).toBe('failure:timeout')
  })

  it('B92 is asked after a turn that did more than read, whatever the agent says of it', async () => {
    const hooks = [[riskDetection], [supervisionGate, { reviewer: { command: 'echo BLOCK: no' } }]] as const
    const { send } = pipelineOf(hooks)
    expect((await send('pre:turn:end', { output: 'Hello.' }, TURN)).decision).toBe('pass')
    await send('pre:tool', { tool: 'shell', args: { command: 'touch x' } }, TURN)
    expect((await send('pre:turn:end', { output: 'Hello.' }, TURN)).reason).toContain('the reviewer objects')
    expect((await send('pre:turn:end', { output: 'Hello.' }, { turn: 't2' })).decision).toBe('pass')
  })
})

describe('a reviewer behind an address', () => {
  it.each([
    [{ decision: 'block', reason: 'by HTTP' }, 'block'],
    [{ decision: 'pass' }, 'pass'],
    [{ control: 'veto' }, 'block'],
    [{ opinion: 'fine' }, 'block'],
  ])('B92 answers %j: %s', async (answer, decision) => {
    const server = await serve((response) => json(response, answer))
    const outcome = await gateWith({ url: server.url }).send('pre:turn:end', DONE, TURN)
    expect(outcome.decision).toBe(decision)
    expect(JSON.parse(server.requests[0]?.body ?? '')).toMatchObject({ point: 'pre:turn:end', data: DONE })
  })

  it('B92 that is broken is a failure, and never consents', async () => {
    const server = await serve((response) => json(response, {}, 500))
    const { send, evaluations } = gateWith({ url: server.url })
    expect((await send('pre:turn:end', DONE)).decision).toBe('block')
    expect(evaluations.at(-1)?.cause).toMatch(/^failure:/)
  })
})

it('B92 a reviewer that is a model is asked over its wire format', async () => {
  const content = [{ type: 'text', text: '{"decision":"block","reason":"by a model"}' }]
  const message = { id: 'm', type: 'message', role: 'assistant', content, stop_reason: 'end_turn' }
  const server = await serve((response) => json(response, message))
  const reviewer = { prompt: 'Is it done?', format: 'anthropic', baseUrl: server.url, model: 'm' }
  const outcome = await gateWith(reviewer).send('pre:turn:end', DONE)
  expect(outcome).toMatchObject({ decision: 'block', reason: 'by a model' })
  expect(server.requests[0]?.body).toContain('I modified src/a.ts.')
})

describe('a gate while the breaker is open', () => {
  const open = (mode: Mode = 'log') => ({ maxMode: (): Mode => mode })
  const rules = [{ pattern: 'npm publish', action: 'BLOCK' }]

  it.each([
    ['objects', 'echo "BLOCK: no"', true],
    ['fails', 'exit 9', undefined],
  ])('M4 B92 a reviewer that %s is recorded and not applied', async (_what, command, lowered) => {
    const reviewer = { command }
    expect((await gateWith(reviewer).send('pre:turn:end', DONE, TURN)).decision).toBe('block')
    const { send, state } = gateWith(reviewer, open())
    const outcome = await send('pre:turn:end', DONE, TURN)
    expect(outcome).toMatchObject({ decision: 'flag', blocked: false, metadata: { gateLowered: true } })
    expect(outcome.reason).toContain('because the breaker is open')
    if (lowered) expect(outcome.metadata.gateDecision).toBe('BLOCK')
    // What was not applied does not use up what a turn has.
    expect(state.list('gate:').every(({ value }) => (value as { continues: number }).continues === 0)).toBe(true)
  })

  it('M4 B92 its rules hold all the same', async () => {
    const { send } = pipelineOf([[supervisionGate, { rules, reviewer: { command: 'exit 9' } }]], open())
    expect((await send('pre:tool', { tool: 'shell', args: { command: 'npm publish' } })).decision).toBe('block')
    expect((await send('pre:turn:end', { output: 'I modified it by npm publish.' })).decision).toBe('block')
  })

  it('M4 B92 a maxMode that cannot be read lowers nothing', async () => {
    const maxMode = (): Mode => {
      throw new Error('no database')
    }
    const { send } = gateWith({ command: 'echo BLOCK: no' }, { services: { maxMode } })
    expect((await send('pre:turn:end', DONE)).decision).toBe('block')
  })

  it('M4 B92 a reviewer that fails opens the breaker, is lowered by it, and closes it when it works again', async () => {
    const file = join(makeFolder(), 'works')
    const reviewer = { command: `test -e ${file} && echo "BLOCK: no"` }
    const breakers: DurableBreaker[] = []
    const made = gateWith(reviewer, { maxMode: () => breakers[0]?.maxMode() ?? 'enforce' })
    const { send, evaluations, services, clock } = made
    const breaker = new DurableBreaker({ profile: 'p' }, services)
    breakers.push(breaker)
    const feed = breakerFeed(breaker, { isCritical: () => true })
    const step = async (turn: string) => {
      evaluations.length = 0
      const { decision } = await send('pre:turn:end', DONE, { turn })
      feed(evaluations)
      return decision
    }
    expect([await step('1'), await step('2'), await step('3')]).toEqual(['block', 'block', 'block'])
    expect(breaker.status().state).toBe('open')
    expect([await step('4'), await step('5')]).toEqual(['flag', 'flag'])
    clock.advance(60_000)
    expect([breaker.status().state, await step('6'), breaker.status().state]).toEqual(['half-open', 'block', 'open'])
    clock.advance(60_000)
    await services.runCommand(`touch ${file}`, { timeoutMs: 5_000 })
    expect([await step('7'), breaker.status().state]).toEqual(['block', 'closed'])
  })
})
