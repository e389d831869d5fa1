// The check over tables of processes that cannot all be started in a test: logins, schedulers, desktops.

import { describe, expect, it } from 'vitest'
import { checkHumanCaller, type SupervisedAgent } from './human-caller.ts'
import { openProcessTable, type ProcessDetails, type ProcessTable } from './process-table.ts'

interface Row {
  readonly name: string
  /** When it began. */
  readonly at?: number
  readonly tty?: number
  readonly uid?: number
  readonly exe?: string
  readonly args?: readonly string[]
  readonly env?: readonly string[]
}

const OTHER_UID = process.getuid?.() === 0 ? 1_000 : 0

// A chain of processes from the top; the first is a child of process 1. The agent is a separate process that began at 100.
function tableOf(line: readonly Row[], more: readonly ProcessDetails[] = []): ProcessTable {
  const rows = [{ name: 'systemd', at: 1, uid: 0 } as Row, ...line]
  const all = rows.map((row, index) => detailsOf(row, index + 1, index))
  const agent = detailsOf({ name: 'node', at: 100 }, 900, 1)
  const map = new Map([...all, agent, ...more].map((one) => [one.pid, one]))
  return { read: (pid) => map.get(pid), pids: () => [...map.keys()] }
}

function detailsOf(row: Row, pid: number, parent: number): ProcessDetails {
  const { name, at = 200, tty = 0, uid = process.getuid?.(), exe = `/usr/bin/${name}`, args = [name], env = [] } = row
  return {
    ...{ pid, parent, group: pid, session: pid, tty, start: String(at) },
    program: name,
    exe,
    args,
    uid,
    environment: env,
  }
}

const AGENTS: readonly SupervisedAgent[] = [{ pid: 900, start: '100', host: 'claude' }]
const check = (line: readonly Row[], agents = AGENTS) =>
  checkHumanCaller(line.length + 1, { table: tableOf(line), agents })

const ARC: Row = { name: 'node', tty: 5 }
const SSH = 'SSH_CONNECTION=10.0.0.9 1 10.0.0.1 22'

describe('human callers', () => {
  it.each<readonly [string, readonly Row[]]>([
    ['a terminal that is older than the agent', [{ name: 'myterm', at: 50 }, { name: 'bash', tty: 5 }, ARC]],
    ['a shell that is older than the agent', [{ name: 'myterm', at: 50 }, { name: 'bash', at: 60, tty: 5 }, ARC]],
    ['a login over ssh', [{ name: 'sshd', at: 9, uid: 0 }, { name: 'bash', tty: 5, env: [SSH] }, ARC]],
    ['a console', [{ name: 'login', uid: 0 }, { name: 'bash', tty: 5 }, ARC]],
    [
      'sudo in a terminal',
      [{ name: 'myterm', at: 9 }, { name: 'bash', tty: 4 }, { name: 'sudo', tty: 4, uid: 0 }, ARC],
    ],
  ])('G4 %s may', (_name, line) => {
    expect(check(line)).toMatchObject({ isHuman: true })
  })

  it.each<readonly [string, readonly Row[]]>([
    ['cron', [{ name: 'cron', at: 9, uid: 0 }, { name: 'cron', uid: 0 }, { name: 'sh' }, ARC]],
    ['at', [{ name: 'atd', at: 9, uid: 0 }, { name: 'sh' }, ARC]],
    ['a service manager', [{ name: 'systemd', at: 9 }, { name: 'sh' }, ARC]],
    [
      'a program with the name of a terminal',
      [{ name: 'xterm', exe: '/home/x/xterm', uid: OTHER_UID === 0 ? 1 : 0 }, ARC],
    ],
    [
      'a terminal inside a terminal',
      [{ name: 'myterm', at: 9 }, { name: 'bash', tty: 4 }, { name: 'script', tty: 4 }, ARC],
    ],
    [
      'ssh to itself',
      [{ name: 'sshd', at: 9, uid: 0 }, { name: 'bash', tty: 5, env: ['SSH_CONNECTION=::1 1 ::1 22'] }, ARC],
    ],
    ['ssh without its environment', [{ name: 'sshd', at: 9, uid: 0 }, { name: 'bash', tty: 5 }, ARC]],
    ['a multiplexer that nobody is attached to', [{ name: 'tmux: server' }, { name: 'bash', tty: 5 }, ARC]],
  ])('G4 %s may not while an agent runs', (name, line) => {
    if (name.startsWith('a program with') && process.getuid?.() === 0) return
    expect(check(line)).toMatchObject({ isHuman: false, kind: 'orphan' })
    expect(check(line, [{ ...AGENTS[0], start: '99' } as SupervisedAgent])).toMatchObject({ isHuman: true })
  })

  it.each<readonly [string, Row]>([
    ['claude', { name: 'claude', at: 9 }],
    ['a script of an agent', { name: 'node', at: 9, args: ['node', '--max-old-space-size=1', '/usr/bin/gemini'] }],
    ['a package of an agent', { name: 'node', at: 9, args: ['node', '/l/@openai/codex/bin/x.js'] }],
    ['a variable of an agent', { name: 'bash', at: 9, env: ['CLAUDECODE=1'] }],
  ])('G4 a child of %s may not, also where no agent is noted', (_name, row) => {
    expect(check([row, { name: 'bash', tty: 5 }, ARC], [])).toMatchObject({ isHuman: false, kind: 'agent' })
  })

  it('G4 an attached client shows the owner of a new multiplexer', () => {
    const line = [{ name: 'tmux: server' }, { name: 'bash', tty: 5 }, ARC]
    const terminal = detailsOf({ name: 'myterm', at: 50 }, 20, 1)
    const client = detailsOf({ name: 'tmux: client', tty: 3 }, 21, 20)
    expect(checkHumanCaller(4, { table: tableOf(line, [terminal, client]), agents: AGENTS })).toMatchObject({
      isHuman: true,
    })
    const own = detailsOf({ name: 'tmux: client', tty: 3 }, 21, 900)
    expect(checkHumanCaller(4, { table: tableOf(line, [own]), agents: AGENTS })).toMatchObject({ isHuman: false })
  })

  it('G4 an unreadable process table proves nothing', () => {
    expect(checkHumanCaller(1, { table: undefined, agents: [] })).toMatchObject({ isHuman: false, kind: 'unknown' })
  })

  it.skipIf(process.platform === 'win32')('reads the process that runs this', () => {
    const own = openProcessTable()?.read(process.pid)
    expect(own).toMatchObject({ pid: process.pid, parent: process.ppid, uid: process.getuid?.() })
  })
})
