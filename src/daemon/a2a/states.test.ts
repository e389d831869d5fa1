import { readFileSync } from 'node:fs'
import { TaskState } from '@a2a-js/sdk'
import { expect, it } from 'vitest'
import { TASK_STATUSES } from '../../tasks/task.ts'
import { findStatuses, STATES } from './states.ts'

it('T2 every status has a state, and every state leads back to just the statuses that have it', () => {
  for (const status of TASK_STATUSES) expect(findStatuses(STATES[status])).toContain(status)
  const states = Object.values(TaskState).filter((state) => typeof state === 'number')
  expect(states.flatMap((state) => findStatuses(state)).sort()).toEqual([...TASK_STATUSES].sort())
  expect(findStatuses(TaskState.TASK_STATE_SUBMITTED)).toEqual(['created', 'assigned'])
  for (const state of [TaskState.TASK_STATE_REJECTED, TaskState.TASK_STATE_AUTH_REQUIRED, TaskState.UNRECOGNIZED]) {
    expect(findStatuses(state)).toEqual([])
  }
})

it('the guide has the table as it is', () => {
  const guide = readFileSync(new URL('../../../docs/guides/tasks.md', import.meta.url), 'utf8')
  const rows = [...guide.matchAll(/^\| (.+?) +\| `(TASK_STATE_\w+)` +\|$/gm)].map(([, statuses = '', state]) => [
    [...statuses.matchAll(/`([a-z-]+)`/g)].map(([, status]) => status),
    state,
  ])
  const kept = [...new Set(Object.values(STATES))].map((state) => [findStatuses(state), TaskState[state]])
  expect(rows).toEqual([...kept, [[], 'TASK_STATE_REJECTED']])
})
