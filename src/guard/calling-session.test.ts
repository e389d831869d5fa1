import { describe, expect, it } from 'vitest'
import { findCallingSession } from './calling-session.ts'
import type { ProcessDetails, ProcessTable } from './process-table.ts'

function tableOf(parents: Readonly<Record<number, number>>): ProcessTable {
  const read = (pid: number): ProcessDetails | undefined =>
    parents[pid] === undefined
      ? undefined
      : ({ pid, parent: parents[pid], start: String(pid), program: 'x', args: [], tty: 0, session: 0 } as never)
  return { read } as never
}

const claude = { pid: 10, start: '10', host: 'claude', session: 'c1' }
const codex = { pid: 20, start: '20', host: 'codex', session: 'x1' }

describe('the session that runs a command', () => {
  const table = tableOf({ 30: 20, 20: 10, 10: 1, 40: 1 })

  it('R1 is that of the nearest agent above, as its variable has it now', () => {
    const agents = [claude, codex]
    const env = { CLAUDE_CODE_SESSION_ID: 'c2' }
    expect(findCallingSession(30, { table, agents, env })).toEqual({ host: 'codex', session: 'x1' })
    expect(findCallingSession(10, { table, agents, env })).toEqual({ host: 'claude', session: 'c2' })
  })

  it('R1 is that of the variable where no agent is recorded, if it is the only one', () => {
    const facts = { table, agents: [] }
    expect(findCallingSession(40, { ...facts, env: { GEMINI_SESSION_ID: 'g' } })).toEqual({
      host: 'gemini',
      session: 'g',
    })
    const both = { GEMINI_SESSION_ID: 'g', CODEX_THREAD_ID: 'x' }
    expect(findCallingSession(40, { ...facts, env: both })).toBeUndefined()
    expect(findCallingSession(40, { ...facts, env: {} })).toBeUndefined()
  })
})
