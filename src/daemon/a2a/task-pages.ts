// One page of tasks, those that moved last first. The place in the list is a time and an id, not a number: a task that
// moves while somebody reads comes to the front and shifts nothing.

import { type ListTasksRequest, TaskState } from '@a2a-js/sdk'
import { RequestMalformedError } from '@a2a-js/sdk/errors'
import type { Task } from '../../tasks/task.ts'
import { findStatuses } from './states.ts'
import { readContextId } from './task-metadata.ts'

/** A page, and where the next one begins. */
export interface Page {
  readonly page: readonly Task[]
  /** Empty on the last page. */
  readonly nextPageToken: string
  readonly pageSize: number
  /** How many there are on all pages. */
  readonly totalSize: number
}

type PageQuery = Pick<ListTasksRequest, 'contextId' | 'status' | 'pageSize' | 'pageToken' | 'statusTimestampAfter'>

const PAGE_SIZE = 50

/** The page that is asked for. */
export function readPage(tasks: readonly Task[], query: PageQuery): Page {
  const { contextId, status, pageSize = PAGE_SIZE, pageToken, statusTimestampAfter } = query
  if (status === TaskState.UNRECOGNIZED) throw new RequestMalformedError('status is none of the states of a task.')
  const statuses = status === TaskState.TASK_STATE_UNSPECIFIED ? undefined : findStatuses(status)
  const after = statusTimestampAfter === undefined ? Number.NEGATIVE_INFINITY : Date.parse(statusTimestampAfter)
  const wanted = tasks
    .filter((task) => statuses?.includes(task.status) ?? true)
    .filter((task) => task.updatedAt >= after && (contextId === '' || readContextId(task) === contextId))
    .sort(latestFirst)
  const place = pageToken === '' ? undefined : placeIn(pageToken)
  const rest = place === undefined ? wanted : wanted.filter((task) => latestFirst(place, task) < 0)
  const page = rest.slice(0, pageSize)
  const last = page.at(-1)
  const nextPageToken = last === undefined || rest.length <= pageSize ? '' : tokenOf(last)
  return { page, nextPageToken, pageSize, totalSize: wanted.length }
}

type Place = Pick<Task, 'updatedAt' | 'id'>

function latestFirst(a: Place, b: Place): number {
  return b.updatedAt - a.updatedAt || (a.id < b.id ? 1 : a.id > b.id ? -1 : 0)
}

function tokenOf({ updatedAt, id }: Place): string {
  return Buffer.from(`${updatedAt} ${id}`).toString('base64url')
}

function placeIn(token: string): Place {
  const [, time, id] = /^(\d{1,16}) (.+)$/s.exec(Buffer.from(token, 'base64url').toString()) ?? []
  if (time === undefined || id === undefined) throw new RequestMalformedError('pageToken is none that was given here.')
  return { updatedAt: Number(time), id }
}
