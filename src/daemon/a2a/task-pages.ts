// A page of tasks, last updated first. The page token is a time and an id, not an offset: a task that is updated meanwhile
// moves to the front and shifts no page.

import { type ListTasksRequest, TaskState } from '@a2a-js/sdk'
import { RequestMalformedError } from '@a2a-js/sdk/errors'
import type { Task } from '../../tasks/task.ts'
import { findStatuses } from './states.ts'
import { readContextId } from './task-metadata.ts'

/** A page and the token of the next page. */
export interface Page {
  readonly page: readonly Task[]
  /** Empty on the last page. */
  readonly nextPageToken: string
  readonly pageSize: number
  /** The number of tasks on all pages. */
  readonly totalSize: number
}

type PageQuery = Pick<ListTasksRequest, 'contextId' | 'status' | 'pageSize' | 'pageToken' | 'statusTimestampAfter'>

const PAGE_SIZE = 50

/** Reads the requested page. */
export function readPage(tasks: readonly Task[], query: PageQuery): Page {
  const { contextId, status, pageSize = PAGE_SIZE, pageToken, statusTimestampAfter } = query
  if (status === TaskState.UNRECOGNIZED) throw new RequestMalformedError('status is not a state of a task.')
  const statuses = status === TaskState.TASK_STATE_UNSPECIFIED ? undefined : findStatuses(status)
  const after = statusTimestampAfter === undefined ? Number.NEGATIVE_INFINITY : Date.parse(statusTimestampAfter)
  const wanted = tasks
    .filter((task) => statuses?.includes(task.status) ?? true)
    .filter((task) => task.updatedAt >= after && (contextId === '' || readContextId(task) === contextId))
    .sort(latestFirst)
  const position = pageToken === '' ? undefined : decodeToken(pageToken)
  const rest = position === undefined ? wanted : wanted.filter((task) => latestFirst(position, task) < 0)
  const page = rest.slice(0, pageSize)
  const last = page.at(-1)
  const nextPageToken = last === undefined || rest.length <= pageSize ? '' : encodeToken(last)
  return { page, nextPageToken, pageSize, totalSize: wanted.length }
}

type Position = Pick<Task, 'updatedAt' | 'id'>

function latestFirst(a: Position, b: Position): number {
  return b.updatedAt - a.updatedAt || (a.id < b.id ? 1 : a.id > b.id ? -1 : 0)
}

function encodeToken({ updatedAt, id }: Position): string {
  return Buffer.from(`${updatedAt} ${id}`).toString('base64url')
}

function decodeToken(token: string): Position {
  const [, time, id] = /^(\d{1,16}) (.+)$/s.exec(Buffer.from(token, 'base64url').toString()) ?? []
  if (time === undefined || id === undefined) throw new RequestMalformedError('pageToken is invalid.')
  return { updatedAt: Number(time), id }
}
