// Maps ARC's error codes to the errors of A2A: one table. The details contain ARC's code, so that a program can use it.

import {
  A2AError,
  RequestMalformedError,
  TaskNotCancelableError,
  TaskNotFoundError,
  UnsupportedOperationError,
} from '@a2a-js/sdk/errors'
import { ArcError, type ErrorCode } from '../../engine/errors.ts'

/** The requested operation: an invalid transition has another error for a cancellation. */
export type A2aOperation = 'send' | 'cancel' | 'read'

type ErrorKind = new (options: { message: string; metadata: Record<string, string> }) => A2AError

const KINDS: Readonly<Partial<Record<ErrorCode, ErrorKind>>> = {
  ARC_TASK_UNKNOWN: TaskNotFoundError,
  ARC_TASK_TRANSITION: UnsupportedOperationError,
  ARC_TASK_ACTOR: UnsupportedOperationError,
  ARC_TASK_SELF: RequestMalformedError,
  ARC_OPTION_INVALID: RequestMalformedError,
  ARC_OPTION_UNKNOWN: RequestMalformedError,
}

/** The A2A error. An unexpected error is reported, and the client gets no details. */
export function toA2aError(error: unknown, operation: A2aOperation, report: (error: unknown) => void): A2AError {
  if (error instanceof A2AError) return error
  if (!(error instanceof ArcError)) {
    report(error)
    return new A2AError({ message: 'The daemon failed at this request. Its log has the reason.' })
  }
  const { code, message } = error
  const isLate = operation === 'cancel' && code === 'ARC_TASK_TRANSITION'
  const Kind = isLate ? TaskNotCancelableError : (KINDS[code] ?? A2AError)
  return new Kind({ message, metadata: { code } })
}
