// The further steps of a host's event, from its payload to its reply: hooks at points for which no host has an event.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { makeHome, PROFILE, type SupervisedHome } from '../../../test/supervised-home.ts'
import type { HostName } from '../../hosts/host.ts'
import type { HookReply } from '../../protocol/hook-wire.ts'
import { Supervisor } from '../../supervisor/supervisor.ts'
import type { EvaluationRecord, StepRecord } from '../../trace/record.ts'
import { answerHookCall } from './answer.ts'
import type { SupervisorProvider } from './supervisor-provider.ts'

let at: SupervisedHome
let supervisor: Supervisor
let provider: SupervisorProvider
let calls = 0
let undo: (() => void)[] = []

beforeAll(() => {
  at = makeHome()
  at.write(PROFILE, { enforcement: 'enforce', approvals: { waitMs: 0, unattendedWaitMs: 0 } })
  supervisor = new Supervisor({ home: at.home })
  provider = { find: () => supervisor, readMode: async () => 'enforce' }
})
afterAll(async () => {
  await supervisor.close()
  at.remove()
})
beforeEach(() => {
  for (const remove of undo) remove()
  undo = []
})

type Seen = { readonly point: string; readonly data: Record<string, unknown> }

/** Registers a hook that notes what it sees and answers. */
function watch(point: string, answer: (data: Record<string, unknown>) => unknown = () => 'pass'): Seen[] {
  const seen: Seen[] = []
  const handler = (step: { readonly point: string; readonly data: object }): unknown => {
    seen.push({ point: step.point, data: { ...step.data } })
    return answer(step.data as Record<string, unknown>)
  }
  undo.push(supervisor.engine.register(point as 'pre:tool', handler as never, { name: `own-${++calls}` }))
  return seen
}

async function send(host: HostName, event: string, fields: object): Promise<HookReply> {
  const base = { session_id: `s${++calls}`, cwd: at.project, hook_event_name: event }
  return answerHookCall({ host, event, payload: JSON.stringify({ ...base, ...fields }) }, provider)
}

const callTool = (tool_name: string, tool_input: object, event = 'PreToolUse'): Promise<HookReply> =>
  send('claude', event, { tool_name, tool_input, tool_use_id: `t${++calls}` })

const specific = ({ stdout }: HookReply) => JSON.parse(stdout).hookSpecificOutput

function lastStep(): { step: StepRecord; evaluations: readonly EvaluationRecord[] } {
  const found = supervisor.trace.get('last')
  if (found.found !== 'step') throw new Error(`no step: ${found.found}`)
  return { step: found.record, evaluations: found.evaluations }
}

const countSteps = (): number => supervisor.trace.counters().steps

describe('P2 a call that writes files is a file write', () => {
  it.each([
    ['claude', 'Write', { file_path: 'a.ts', content: 'one' }, { path: 'a.ts', content: 'one' }],
    [
      'claude',
      'Edit',
      { file_path: 'a.ts', old_string: 'x', new_string: 'y' },
      { path: 'a.ts', content: 'y', isPart: true },
    ],
    [
      'claude',
      'MultiEdit',
      {
        file_path: 'a.ts',
        edits: [
          { old_string: 'a', new_string: 'b' },
          { old_string: 'c', new_string: 'd' },
        ],
      },
      { path: 'a.ts', content: 'b\nd', isPart: true },
    ],
    [
      'claude',
      'NotebookEdit',
      { notebook_path: 'n.ipynb', new_source: 'y' },
      { path: 'n.ipynb', content: 'y', isPart: true },
    ],
    ['claude', 'mcp__fs__write_file', { path: 'a.md', content: 'one' }, { path: 'a.md', content: 'one' }],
    [
      'codex',
      'apply_patch',
      { command: '*** Begin Patch\n*** Add File: n.md\n+one\n+two\n*** End Patch' },
      { path: 'n.md', content: 'one\ntwo\n' },
    ],
    ['qwen', 'write_file', { file_path: 'a.ts', content: 'one' }, { path: 'a.ts', content: 'one' }],
  ] as const)('of %s with %s', async (host, tool_name, tool_input, expected) => {
    const seen = watch('pre:git:write')
    await send(host, 'PreToolUse', { tool_name, tool_input, tool_use_id: `t${++calls}`, permission_mode: 'default' })
    expect(seen).toEqual([{ point: 'pre:git:write', data: expected }])
  })

  it('of Gemini, Copilot, Cline, OpenCode and Cursor', async () => {
    const seen = watch('pre:git:write')
    const dir = at.project
    const send = (host: HostName, event: string, payload: object) =>
      answerHookCall({ host, event, payload: JSON.stringify(payload) }, provider)
    const gemini = { session_id: 'g', cwd: dir, hook_event_name: 'BeforeTool', timestamp: 'now', tool_name: 'replace' }
    await send('gemini', 'BeforeTool', { ...gemini, tool_input: { file_path: 'g', old_string: 'a', new_string: '1' } })
    const copilot = { sessionId: 'c', cwd: dir, toolName: 'create', toolArgs: { path: 'p', file_text: '2' } }
    await send('copilot', 'preToolUse', copilot)
    const call = { id: 'x', name: 'write_to_file', input: { path: 'l', content: '3' } }
    await send('cline', 'PreToolUse', { taskId: 't', workspaceRoots: [dir], tool_call: call })
    const input = { tool: 'edit', sessionID: 'o', callID: 'o1' }
    const args = { filePath: 'e', oldString: 'a', newString: '4' }
    await send('opencode', 'tool.execute.before', { input, output: { args }, directory: dir })
    const cursor = { conversation_id: 'u', hook_event_name: 'preToolUse', cwd: dir, tool_name: 'Write' }
    await send('cursor', 'preToolUse', { ...cursor, tool_input: { path: 'w', contents: '5' } })
    expect(seen.map(({ data }) => [data.path, data.content])).toEqual([
      ['g', '1'],
      ['p', '2'],
      ['l', '3'],
      ['e', '4'],
      ['w', '5'],
    ])
  })

  it('one step for each file, and none for a call that writes nothing', async () => {
    const seen = watch('pre:git:write')
    const patch =
      '*** Begin Patch\n*** Add File: a\n+x\n*** Update File: b\n@@\n-1\n+2\n*** Delete File: c\n*** End Patch'
    await callTool('apply_patch', { input: patch })
    await callTool('Read', { file_path: 'a.ts' })
    await callTool('Bash', { command: 'ls' })
    expect(seen.map(({ data }) => data)).toEqual([
      { path: 'a', content: 'x\n' },
      { path: 'b', content: '2\n', isPart: true },
    ])
  })

  it('stops the call, in one record of the call', async () => {
    watch('pre:git:write', () => ({ decision: 'block', reason: 'no secrets in files' }))
    const before = countSteps()
    const reply = await callTool('Write', { file_path: 'a.ts', content: 'password' })
    expect(specific(reply)).toMatchObject({ permissionDecision: 'deny' })
    expect(reply.stderr).toContain('no secrets in files')
    expect(countSteps()).toBe(before + 1)
    const { step, evaluations } = lastStep()
    expect(step).toMatchObject({ point: 'pre:tool', tool: 'Write', decision: 'block' })
    expect(evaluations.at(-1)).toMatchObject({ at: 'pre:git:write', decision: 'block', applied: true })
  })

  it('has its edit of the content in the input of the tool, and every hook sees the edits before it', async () => {
    const trim = ({ content }: Record<string, unknown>) => ({ modify: { content: String(content).trim() } })
    watch('pre:git:write', trim)
    const seen = watch('pre:git:write')
    const reply = await callTool('Write', { file_path: 'a.ts', content: ' one ' })
    expect(specific(reply).updatedInput).toEqual({ file_path: 'a.ts', content: 'one' })
    expect(seen[0]?.data.content).toBe('one')
    const patch = await callTool('apply_patch', { input: '*** Begin Patch\n*** Add File: a\n+ x \n*** End Patch' })
    expect(specific(patch).updatedInput).toEqual({ input: '*** Begin Patch\n*** Add File: a\n+x\n*** End Patch' })
  })

  it('E5 stops a call whose changed content the tool or the host cannot express, and says so', async () => {
    watch('pre:git:write', () => ({ modify: { content: 'other' } }))
    const patch = '*** Begin Patch\n*** Update File: b\n@@\n-1\n+2\n*** End Patch'
    const reply = await callTool('apply_patch', { input: patch })
    expect(specific(reply).permissionDecision).toBe('deny')
    expect(lastStep().step.decision).toBe('block')
    const write = { tool_name: 'write_file', tool_input: { file_path: 'a', content: '1' } }
    const qwen = await send('qwen', 'PreToolUse', { ...write, permission_mode: 'default', tool_use_id: `t${++calls}` })
    expect(qwen.exitCode).toBe(2)
    expect(qwen.stderr).toContain('"content":"other"')
    expect(lastStep().evaluations.at(-1)).toMatchObject({ decision: 'block', applied: true })
  })

  it('G2 a changed file is checked again before the host gets it', async () => {
    watch('pre:git:write', () => ({ modify: { content: 'evil' } }))
    const evaluations = lastEvaluations(await callTool('Write', { file_path: 'a.ts', content: 'good' }))
    expect(evaluations.filter(({ hook }) => hook === 'risk-detection')).toHaveLength(2)
    const check = ({ data }: { readonly data: object }) => (JSON.stringify(data).includes('evil') ? 'block' : 'pass')
    const guard = { name: `guard-${++calls}`, points: ['pre:tool'] as const, check, rechecksEdits: true } as const
    undo.push(supervisor.engine.register(guard as never))
    const reply = await callTool('Write', { file_path: 'a.ts', content: 'good' })
    expect(specific(reply).permissionDecision).toBe('deny')
  })

  it('reaches hooks after it was written', async () => {
    const seen = watch('post:git:write')
    await callTool('Write', { file_path: 'a.ts', content: 'one' }, 'PostToolUse')
    await callTool('Write', { file_path: 'a.ts', content: 'one' }, 'PostToolUseFailure')
    expect(seen).toEqual([{ point: 'post:git:write', data: { path: 'a.ts', content: 'one' } }])
  })

  it('Q5 is checked once by a hook of all points, and the built-in hooks check it once', async () => {
    const points: string[] = []
    const check = ({ point }: { readonly point: string }): undefined => void points.push(point)
    undo.push(supervisor.engine.register({ name: `every-${++calls}`, check }))
    watch('pre:git:write')
    const evaluations = lastEvaluations(await callTool('Write', { file_path: 'a.ts', content: 'one' }))
    expect(points).toEqual(['pre:tool'])
    expect(evaluations.filter(({ hook }) => hook === 'risk-detection')).toHaveLength(1)
  })
})

function lastEvaluations(_reply: HookReply): readonly EvaluationRecord[] {
  return lastStep().evaluations
}

describe('P2 a run', () => {
  it('starts with a prompt that is not blocked', async () => {
    const seen = watch('run:start')
    await send('claude', 'UserPromptSubmit', { prompt: 'go' })
    expect(seen).toEqual([{ point: 'run:start', data: { prompt: 'go' } }])
    watch('pre:message', () => 'block')
    await send('claude', 'UserPromptSubmit', { prompt: 'go on' })
    expect(seen).toHaveLength(1)
  })

  it.each([
    ['claude', 'Stop', { last_assistant_message: 'done' }],
    ['codex', 'Stop', { last_assistant_message: 'done', turn_id: 't' }],
    ['qwen', 'Stop', { last_assistant_message: 'done', permission_mode: 'default', timestamp: 'now' }],
    ['gemini', 'AfterAgent', { prompt_response: 'done', timestamp: 'now' }],
    ['cline', 'TaskComplete', { taskId: 't', turn: { outputText: 'done' } }],
  ] as const)('of %s has an answer and an end', async (host, event, fields) => {
    const seen = [watch('post:message'), watch('run:end')].map((list) => list)
    const ends = watch('pre:turn:end')
    await send(host, event, fields)
    expect(seen.flat().map(({ point, data }) => [point, data.output])).toEqual([
      ['post:message', 'done'],
      ['run:end', 'done'],
    ])
    expect(ends).toHaveLength(1)
  })

  it('does not end when the turn is continued; its answer reaches hooks all the same', async () => {
    const ends = watch('run:end')
    const answers = watch('post:message')
    watch('pre:turn:end', () => ({ decision: 'block', reason: 'tests are missing' }))
    const reply = await send('claude', 'Stop', { last_assistant_message: 'done' })
    expect(JSON.parse(reply.stdout).decision).toBe('block')
    expect([ends.length, answers.length]).toEqual([0, 1])
  })

  it('E5 records an edit of the answer as not applied where the host cannot carry it', async () => {
    watch('post:message', () => ({ modify: { output: 'better' } }))
    await send('claude', 'Stop', { last_assistant_message: 'done' })
    const { evaluations, step } = lastStep()
    expect(evaluations.find(({ modify }) => modify !== undefined)).toMatchObject({
      at: 'post:message',
      applied: false,
      dropped: [{ field: 'output', why: 'claude cannot change this here' }],
    })
    expect(step.decision).toBe('pass')
  })

  it('has its answer changed where the host takes it', async () => {
    watch('post:message', ({ output }) => ({ modify: { output: `${output}!` } }))
    const input = { sessionID: 'o', messageID: 'm', partID: `p${++calls}` }
    const payload = JSON.stringify({ input, output: { text: 'done' }, directory: at.project })
    const call = { host: 'opencode', event: 'experimental.text.complete', payload } as const
    expect(JSON.parse((await answerHookCall(call, provider)).stdout)).toEqual({ output: 'done!' })
    const copilot = { sessionId: `c${++calls}`, cwd: at.project, stopReason: 'end_turn', response: 'done' }
    const stop = { host: 'copilot', event: 'agentStop', payload: JSON.stringify(copilot) } as const
    expect(JSON.parse((await answerHookCall(stop, provider)).stdout)).toEqual({ modifiedResponse: 'done!' })
  })
})

describe('P2 the call that spawns an agent', () => {
  const task = { description: 'look', prompt: 'find it', subagent_type: 'Explore' }

  it('has the prompt and the type of the agent, and can be stopped', async () => {
    const seen = watch('pre:agent:spawn', () => ({ decision: 'block', reason: 'no agents here' }))
    const reply = await callTool('Task', task)
    expect(seen[0]?.data.config).toEqual({ ...task, type: 'Explore' })
    expect(specific(reply).permissionDecision).toBe('deny')
  })

  it.each([
    [{ prompt: 'be careful: find it' }, { ...task, prompt: 'be careful: find it' }],
    [
      { ...task, type: 'Plan' },
      { ...task, subagent_type: 'Plan' },
    ],
  ])('has %j as its input', async (config, expected) => {
    watch('pre:agent:spawn', () => ({ modify: { config } }))
    expect(specific(await callTool('Agent', task)).updatedInput).toEqual(expected)
  })

  it('E5 is stopped if its input cannot have the change', async () => {
    watch('pre:agent:spawn', ({ config }) => ({ modify: { config: { ...(config as object), budget: 3 } } }))
    expect(specific(await callTool('Task', task)).permissionDecision).toBe('deny')
  })
})

describe('P2 the phase of a session', () => {
  it('changes with the mode that the events tell', async () => {
    const seen = [...[watch('pre:session:phase')], watch('post:session:phase')]
    const session_id = `phase${++calls}`
    const tell = (permission_mode: string) =>
      send('claude', 'PreToolUse', {
        ...{ session_id, permission_mode, tool_use_id: `t${++calls}` },
        ...{ tool_name: 'Bash', tool_input: { command: 'ls' } },
      })
    await tell('plan')
    await tell('plan')
    await tell('acceptEdits')
    const data = { from: 'plan', to: 'acceptEdits' }
    expect(seen.flat()).toEqual([
      { point: 'pre:session:phase', data },
      { point: 'post:session:phase', data },
    ])
  })

  it('is not stopped once it has changed, and this is recorded', async () => {
    watch('pre:session:phase', () => 'block')
    const session_id = `phase${++calls}`
    for (const permission_mode of ['plan', 'default']) {
      const reply = await send('claude', 'UserPromptSubmit', { session_id, permission_mode, prompt: permission_mode })
      expect(reply.exitCode).toBe(0)
    }
    expect(lastStep().evaluations.find(({ at }) => at === 'pre:session:phase')).toMatchObject({
      decision: 'block',
      applied: false,
    })
  })

  it('is stopped at the call that would change it, and announced once', async () => {
    const before = watch('pre:session:phase')
    const after = watch('post:session:phase')
    const session_id = `phase${++calls}`
    const plan = { session_id, permission_mode: 'plan', tool_name: 'ExitPlanMode', tool_input: { plan: 'x' } }
    await send('claude', 'PreToolUse', { ...plan, tool_use_id: `t${++calls}` })
    await send('claude', 'Stop', { session_id, permission_mode: 'acceptEdits', last_assistant_message: 'ok' })
    expect(before.map(({ data }) => data)).toEqual([{ from: 'plan', to: 'default' }])
    expect(after.map(({ data }) => data)).toEqual([{ from: 'plan', to: 'acceptEdits' }])
    watch('pre:session:phase', () => 'block')
    const stopped = await callTool('ExitPlanMode', { plan: 'x' })
    expect(specific(stopped).permissionDecision).toBe('deny')
  })

  it('changes when the context is compacted', async () => {
    const seen = watch('pre:session:phase')
    await send('claude', 'PreCompact', { trigger: 'auto' })
    expect(seen.map(({ data }) => data.to)).toEqual(['compact'])
  })
})

describe('E4 the permissions of an agent', () => {
  const call = { tool_name: 'Bash', tool_input: { command: 'ls' }, tool_use_id: 'p1' }

  it.each(['claude', 'codex', 'qwen'] as const)(
    '%s asks: a block at pre:permission denies the request',
    async (host) => {
      const seen = watch('pre:permission:Bash', () => ({ decision: 'block', reason: 'ask nobody' }))
      await send(host, 'PreToolUse', call)
      expect(seen).toEqual([])
      const reply = await send(host, 'PermissionRequest', call)
      expect(seen).toMatchObject([{ point: 'pre:permission', data: { tool: 'Bash', args: { command: 'ls' } } }])
      expect(specific(reply).decision).toMatchObject({ behavior: 'deny' })
      expect(lastStep().evaluations.find(({ at }) => at === 'pre:permission')).toMatchObject({ applied: true })
    },
  )

  it('copilot asks', async () => {
    watch('pre:permission', () => ({ decision: 'block', reason: 'ask nobody' }))
    const event = 'permissionRequest'
    const call = { hookName: event, sessionId: 's', cwd: at.project, toolName: 'bash', toolInput: { command: 'ls' } }
    const reply = await answerHookCall({ host: 'copilot', event, payload: JSON.stringify(call) }, provider)
    expect(JSON.parse(reply.stdout)).toMatchObject({ behavior: 'deny', message: expect.stringContaining('ask nobody') })
  })

  it('a pass at pre:permission is no answer to the agent', async () => {
    expect(watch('pre:permission')).toEqual([])
    expect((await send('claude', 'PermissionRequest', call)).stdout).toBe('')
  })

  it.each(['claude', 'qwen'] as const)('%s tells that its reviewer refused a call', async (host) => {
    const seen = watch('post:permission', () => 'block')
    const failures = watch('post:tool:failure')
    await send(host, 'PostToolUseFailure', { ...call, error: 'no such file' })
    expect(seen).toEqual([])
    await send(host, 'PermissionDenied', { ...call, reason: 'too risky' })
    expect(seen).toMatchObject([{ data: { tool: 'Bash', isGranted: false, reason: 'too risky' } }])
    expect(failures).toHaveLength(2)
  })
})

describe('D11 an event whose further points have no hook', () => {
  it('is evaluated and recorded as before', async () => {
    const evaluations = lastEvaluations(await callTool('Write', { file_path: 'a.ts', content: 'one' }))
    expect(evaluations.map(({ at }) => at)).toEqual(evaluations.map(() => undefined))
  })
})
