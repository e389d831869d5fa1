import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ArcError } from '../engine/errors.ts'
import { MemoryTaskStore } from '../storage/memory/task-store.ts'
import { TASK_STATUSES, type Task, type TaskStatus } from './task.ts'
import {
  advanceTask,
  isTaskOver,
  openTask,
  type TaskAction,
  type TaskMove,
  type TaskRole,
  TRANSITIONS,
} from './transitions.ts'

const ROLES = ['delegator', 'assignee', 'arc', 'stranger'] as const
const ACTORS = { delegator: 'lead', assignee: 'reviewer', arc: undefined, stranger: 'mallory' } as const
const ACTIONS = Object.keys(TRANSITIONS) as TaskAction[]

// Written out by hand and apart from the table: all that is allowed, and nothing else is.
const ALLOWED = [
  'created assigned delegator',
  'created cancelled delegator',
  'assigned working assignee',
  'assigned cancelled delegator',
  'working completed assignee',
  'working failed assignee',
  'working input-required assignee',
  'working cancelled delegator',
  'working assigned arc',
  'working failed arc',
  'input-required working delegator',
  'input-required cancelled delegator',
]

function taskAt(status: TaskStatus): Task {
  const { task } = openTask('t', { from: 'lead', to: 'reviewer', description: 'Review' }, 0)
  return { ...task, status, ...(status === 'working' && { lease: { holder: 'w', ms: 1, expiresAt: 1 } }) }
}

function outcomeOf(task: Task, move: TaskMove): string {
  try {
    return advanceTask(task, move).task.status
  } catch (error) {
    if (!(error instanceof ArcError)) throw error
    return error.code
  }
}

describe('the state machine of tasks', () => {
  it('T2 allows exactly twelve of all ways from status to status by whomever', () => {
    const found: string[] = []
    const codes = new Set<string>()
    for (const status of TASK_STATUSES) {
      for (const action of ACTIONS) {
        for (const role of ROLES) {
          const after = outcomeOf(taskAt(status), { action, actor: ACTORS[role], at: 9, text: 'x', holder: 'w' })
          if (after.startsWith('ARC_')) codes.add(after)
          else found.push(`${status} ${after} ${role}`)
          const isMine = TRANSITIONS[action].by === (role as TaskRole)
          if (!isMine) expect([status, action, role, after]).toEqual([status, action, role, 'ARC_TASK_ACTOR'])
        }
      }
    }
    expect(found.sort()).toEqual([...ALLOWED].sort())
    expect([...codes].sort()).toEqual(['ARC_TASK_ACTOR', 'ARC_TASK_TRANSITION'])
  })

  it('T2 leaves no way out of an end', () => {
    for (const status of TASK_STATUSES.filter(isTaskOver)) {
      expect(Object.values(TRANSITIONS).filter(({ from }) => (from as readonly string[]).includes(status))).toEqual([])
    }
    expect(TASK_STATUSES.filter(isTaskOver)).toEqual(['completed', 'failed', 'cancelled'])
  })

  it('T2 says who may, what it is and what to do', () => {
    const task = taskAt('completed')
    expect(() => advanceTask(task, { action: 'complete', actor: 'mallory', at: 0 })).toThrow(
      /Task t cannot complete: that is for "reviewer", to whom it was given, not for "mallory".*\[ARC_TASK_ACTOR\]/,
    )
    expect(() => advanceTask(task, { action: 'cancel', actor: 'lead', at: 0 })).toThrow(
      /it is completed, and would have to be created or assigned or .*arc task show.*\[ARC_TASK_TRANSITION\]/,
    )
  })

  it.each(['lead', 'LEAD', ' lead ', 'ｌｅａｄ'])('T2 refuses that lead delegates to %j', (to) => {
    expect(() => openTask('t', { from: 'lead', to, description: 'x' }, 0)).toThrow(/ARC_TASK_SELF/)
  })

  it('T2 takes no agent for ARC itself, whatever it is called', () => {
    for (const actor of ['arc', 'ARC', 'system', 'undefined', 'null', '']) {
      expect(outcomeOf(taskAt('working'), { action: 'return', actor, at: 9 })).toBe('ARC_TASK_ACTOR')
    }
  })

  it('needs a question and an answer to be there', () => {
    const ask = { action: 'request-input', actor: 'reviewer', holder: 'w', at: 0 } as const
    expect(() => advanceTask(taskAt('working'), ask)).toThrow(/question must be a text/)
    expect(() => advanceTask(taskAt('working'), { ...ask, text: ' ' })).toThrow(/question must not be empty/)
    expect(() => advanceTask(taskAt('working'), { ...ask, text: 'x'.repeat(1_000_001) })).toThrow(/at most 1000000/)
  })

  it('a clock set back makes no task older than it was', () => {
    const { task } = advanceTask(
      { ...taskAt('assigned'), updatedAt: 100 },
      { action: 'accept', actor: 'reviewer', at: 50 },
    )
    expect(task.updatedAt).toBe(100)
  })
})

describe('tasks in memory', () => {
  it('T2 whatever is tried, the history is the sequence of what succeeded and every step of it is allowed', () => {
    const operation = fc.record({
      action: fc.constantFrom(...ACTIONS),
      role: fc.constantFrom(...ROLES),
      holder: fc.constantFrom('w1', 'w2', undefined),
      leaseMs: fc.constantFrom(10, undefined),
      later: fc.nat(20),
      text: fc.option(fc.string(), { nil: undefined }),
    })
    fc.assert(
      fc.property(fc.array(operation, { maxLength: 40 }), (operations) => {
        const store = new MemoryTaskStore()
        store.create('t', { from: 'lead', to: 'reviewer', description: 'x' }, 0)
        const succeeded = ['created', 'assigned']
        let at = 0
        for (const { action, role, holder, leaseMs, later, text } of operations) {
          at += later
          const before = store.get('t')
          try {
            const after = store.move('t', { action, actor: ACTORS[role], at, holder, leaseMs, text })
            expect(ALLOWED).toContain(`${before?.status} ${after.status} ${role}`)
            succeeded.push(after.status)
          } catch (error) {
            expect(error).toBeInstanceOf(ArcError)
            expect(store.get('t')).toBe(before)
          }
        }
        const history = store.history('t')
        expect(history.map(({ to }) => to)).toEqual(succeeded)
        expect(history.map(({ from }) => from)).toEqual([null, ...succeeded.slice(0, -1)])
        expect(history.map(({ version }) => version)).toEqual(succeeded.map((_, index) => index + 1))
        expect(store.get('t')).toMatchObject({ status: succeeded.at(-1), version: succeeded.length })
      }),
    )
  })
})
