// Admission: a call beyond the limit is refused at once and never passes without a decision.

import { Agent, request } from 'node:http'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ARC, runProgram } from '../../../test/run-arc.ts'
import { makeHome, PROFILE, type SupervisedHome } from '../../../test/supervised-home.ts'
import { installLauncher } from '../../cli/hook/launcher.ts'
import { HOST_JSON_TYPE } from '../../protocol/hook-wire.ts'
import { type Daemon, startDaemon } from '../server.ts'
import { Admission } from './admission.ts'

describe('admission', () => {
  it('is limited by calls and by bytes, and a released call makes room', () => {
    const admission = new Admission({ maxCalls: 3, maxBytes: 100 })
    const leave = admission.enter(60)
    expect(admission.enter(50)).toBeUndefined()
    admission.enter(20)
    admission.enter(20)
    expect(admission.enter(0)).toBeUndefined()
    leave?.()
    expect(admission.enter(50)).toBeDefined()
  })

  it('a call whose body has not arrived is cancelled for another, the oldest first; a complete call is not', () => {
    const admission = new Admission({ maxCalls: 9, maxBytes: 100 })
    const given: string[] = []
    const arriving = (name: string, complete: boolean) => ({ complete, cancel: () => void given.push(name) })
    admission.enter(30, arriving('whole', true))
    const leave = admission.enter(30, arriving('first', false))
    admission.enter(30, arriving('second', false))
    expect(admission.enter(40)).toBeDefined()
    expect(given).toEqual(['first'])
    leave?.()
    expect(admission.calls).toBe(3)
    expect(admission.enter(100)).toBeUndefined()
    expect(given).toEqual(['first', 'second'])
  })

  it('a single call is admitted whatever its size', () => {
    expect(new Admission({ maxCalls: 3, maxBytes: 100 }).enter(1_000)).toBeDefined()
  })
})

describe('a daemon at its limit', () => {
  let at: SupervisedHome
  let daemon: Daemon
  const agent = new Agent({ keepAlive: true })

  beforeEach(async () => {
    at = makeHome()
    // Until the test is over.
    const command = `until [ -e '${at.root}/over' ]; do sleep 0.05; done`
    const slow = { name: 'slow', event: 'pre_tool_use', matcher: 'read', command, timeout_secs: 60 }
    at.write(PROFILE, { enforcement: 'enforce', commands: [slow] })
    const options = { home: at.home, version: '0', port: 0, report: () => undefined, finishMs: 1 }
    daemon = (await startDaemon({ ...options, admission: { maxCalls: 2, maxBytes: 1e9 } })) as Daemon
  })

  afterEach(async () => {
    at.write('over', '')
    await daemon.stop()
    agent.destroy()
    at.remove()
  })

  interface Answer {
    readonly status: number
    readonly body: string
  }

  function post(path: string, body: string, accept = 'application/json'): Promise<Answer> {
    const options = { socketPath: daemon.socket, path, method: 'POST', agent, headers: { accept } }
    return new Promise((resolve, reject) => {
      const asked = request(options, (response) => {
        let text = ''
        response.setEncoding('utf8').on('data', (part: string) => {
          text += part
        })
        response.on('end', () => resolve({ status: response.statusCode ?? 0, body: text }))
      })
      asked.on('error', reject)
      asked.end(body)
    })
  }

  let calls = 0
  const payload = (tool: string, input: object): string => {
    const call = { session_id: 's', cwd: at.project, hook_event_name: 'PreToolUse', tool_use_id: `t${++calls}` }
    return JSON.stringify({ ...call, tool_name: tool, tool_input: input })
  }
  const hook = (body: string, accept?: string) => post('/v1/hook/claude/PreToolUse', body, accept)
  const list = () => payload('Bash', { command: 'ls' })
  const isOver = ({ status }: Answer): boolean => status === 503

  async function fill(): Promise<void> {
    for (let call = 0; call < 2; call++) hook(payload('Read', { file_path: 'a' })).catch(() => undefined)
    while (!isOver(await hook(list()))) await new Promise((resolve) => setTimeout(resolve, 20))
  }

  it('refuses the call, and the hook command evaluates it in its own process', async () => {
    await fill()
    const { status, body } = await hook(list())
    expect(status).toBe(503)
    expect(JSON.parse(body).error.code).toBe('ARC_DAEMON_BUSY')
    const step = JSON.stringify({ point: 'pre:tool', data: { tool: 'shell', args: { command: 'ls' } } })
    expect((await post('/v1/dispatch', step)).status).toBe(503)
    const launcher = installLauncher({ home: at.home, node: process.execPath, arc: ARC })
    const input = payload('Bash', { command: 'git reset --hard' })
    const denied = await runProgram(launcher, ['hook', 'claude'], { input, env: { ARC_DAEMON: 'ask' } })
    expect(denied.stderr).toContain('uncommitted')
    expect(denied.code).toBe(2)
  })

  it('replies to a host itself as to a call without a decision: a host takes an error for permission', async () => {
    await fill()
    const { status, body } = await hook(list(), HOST_JSON_TYPE)
    expect(status).toBe(200)
    const { permissionDecision, permissionDecisionReason } = JSON.parse(body).hookSpecificOutput
    expect(permissionDecision).toBe('deny')
    expect(permissionDecisionReason).toContain('the daemon is busy')
  })

  it('answers each call of a burst, and releases all of them', async () => {
    const all = await Promise.all(Array.from({ length: 500 }, () => hook(list())))
    const statuses = new Set(all.map(({ status }) => status))
    expect([...statuses].every((status) => status === 200 || status === 503)).toBe(true)
    expect(all.some(({ status }) => status === 200)).toBe(true)
    expect((await hook(list())).status).toBe(200)
    expect((await hook(payload('Bash', { command: 'git reset --hard' }))).body).toContain('uncommitted')
  })
})
