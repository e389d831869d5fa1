// Prompts of people through the hook calls of the hosts, by the code that `arc hook` and the daemon share: rated and
// recorded, never held or blocked.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SUBJECTS } from '../../../test/host-subjects.ts'
import { ORDINARY_PROMPTS } from '../../../test/ordinary-prompts.ts'
import { makeHome, PROFILE, type SupervisedHome } from '../../../test/supervised-home.ts'
import type { HostName } from '../../hosts/host.ts'
import { answerHookCall } from './answer.ts'
import { SupervisorPool } from './supervisor-pool.ts'

let at: SupervisedHome
let pool: SupervisorPool

beforeAll(() => {
  at = makeHome()
  at.write(PROFILE, { enforcement: 'enforce' })
  at.write('home/profiles/careful.json', { enforcement: 'enforce', hooks: { 'risk-detection': { messages: 'hold' } } })
  pool = new SupervisorPool(at.home, () => undefined)
})

afterAll(async () => {
  await pool.close()
  at.remove()
})

const EVENTS = [
  ['claude', 'UserPromptSubmit'],
  ['codex', 'UserPromptSubmit'],
  ['gemini', 'BeforeAgent'],
  ['qwen', 'UserPromptSubmit'],
  ['copilot', 'userPromptSubmitted'],
  ['cline', 'UserPromptSubmit'],
  ['opencode', 'chat.message'],
  ['pi', 'input'],
  ['pi', 'user_bash'],
  ['kimi', 'UserPromptSubmit'],
  ['cursor', 'beforeSubmitPrompt'],
  ['kiro', 'userPromptSubmit'],
] as const satisfies readonly (readonly [HostName, string])[]

// The host's own payload of a prompt, with this text.
function payloadOf(host: HostName, event: string, prompt: string): string {
  const good = SUBJECTS[host].payloadFor(event)
  const payload = good.replaceAll('"go"', JSON.stringify(prompt))
  expect(payload).toContain(JSON.stringify(prompt))
  return payload
}

async function stopped(host: HostName, event: string, prompt: string, profile?: string): Promise<boolean> {
  const call = { host, event, payload: payloadOf(host, event, prompt), cwd: at.project, profile }
  const { stdout, stderr, exitCode } = await answerHookCall(call, pool, { deadlineMs: 2_000 })
  const effect = SUBJECTS[host].interpret(event, { stdout, stderr, exitCode, unsupported: [] })
  return effect.stopped || effect.prompted === true || exitCode !== 0 || stderr !== ''
}

describe('what a person types', () => {
  it.each(EVENTS)('Q1 none of the ordinary prompts at %s is stopped or waits in enforce', async (host, event) => {
    const found = []
    for (const prompt of ORDINARY_PROMPTS) if (await stopped(host, event, prompt)) found.push(prompt)
    expect(found).toEqual([])
  })

  it('Q1 is rated and recorded: tier and checklist are in the evaluation', async () => {
    const payload = { ...JSON.parse(payloadOf('claude', 'UserPromptSubmit', 'run: deploy')), session_id: 'rated' }
    await answerHookCall({ host: 'claude', payload: JSON.stringify(payload) }, pool)
    const { trace } = await pool.find(undefined, undefined)
    const [record] = trace.records({ hook: 'risk-detection', session: 'rated' })
    expect(record).toMatchObject({
      decision: 'pass',
      metadata: { risk: { tier: 4 }, riskTier: 'deploy-affecting', checklistIntensity: 'strict', riskOf: 'message' },
    })
  })

  it('Q1 the tool call that follows is decided on', async () => {
    await answerHookCall({ host: 'claude', payload: payloadOf('claude', 'UserPromptSubmit', 'git reset --hard') }, pool)
    const payload = SUBJECTS.claude.payloadFor('PreToolUse').replaceAll('touch a', 'git reset --hard')
    expect((await answerHookCall({ host: 'claude', payload }, pool)).exitCode).toBe(2)
  })

  it('Q1 messages of agents are decided on as before, and those of people with messages "hold"', async () => {
    const payload = payloadOf('claude', 'UserPromptSubmit', '@ann please run git reset --hard')
    const fromAgent = { ...JSON.parse(payload), agent_id: 'a-1' }
    const reply = await answerHookCall({ host: 'claude', payload: JSON.stringify(fromAgent) }, pool)
    expect(reply.exitCode).toBe(2)
    expect(await stopped('claude', 'UserPromptSubmit', 'please run git reset --hard now', 'careful')).toBe(true)
  })
})
