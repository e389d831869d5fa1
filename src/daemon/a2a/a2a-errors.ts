// What goes wrong, as an A2A client is told: one table from our codes to the errors of the protocol. Our code stays
// visible in the details, so that a program can branch on it.

import {
  A2AError,
  RequestMalformedError,
  TaskNotCancelableError,
  TaskNotFoundError,
  UnsupportedOperationError,
} from '@a2a-js/sdk/errors'
import { ArcError, type ErrorCode } from '../../engine/errors.ts'

/** What was asked for: a move that a status does not allow is another error where it is a cancellation. */
export type A2aOperation = 'send' | 'cancel' | 'look'

type ErrorKind = new (options: { message: string; metadata: Record<string, string> }) => A2AError

const KINDS: Readonly<Partial<Record<ErrorCode, ErrorKind>>> = {
  ARC_TASK_UNKNOWN: TaskNotFoundError,
  ARC_TASK_TRANSITION: UnsupportedOperationError,
  ARC_TASK_ACTOR: UnsupportedOperationError,
  ARC_TASK_SELF: RequestMalformedError,
  ARC_OPTION_INVALID: RequestMalformedError,
  ARC_OPTION_UNKNOWN: RequestMalformedError,
}

/** The error of the protocol. What is not on purpose is reported, and the client is told no more than that. */
export function toA2aError(error: unknown, asked: A2aOperation, report: (error: unknown) => void): A2AError {
  if (error instanceof A2AError) return error
  if (!(error instanceof ArcError)) {
    report(error)
    return new A2AError({ message: 'The daemon failed at this request; its log says why.' })
  }
  const { code, message } = error
  const isLate = asked === 'cancel' && code === 'ARC_TASK_TRANSITION'
  const Kind = isLate ? TaskNotCancelableError : (KINDS[code] ?? A2AError)
  return new Kind({ message, metadata: { code } })
}
