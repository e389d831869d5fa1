// Requests to the sockets of a managed daemon, for accounts that cannot read its home.

import { request } from 'node:http'
import { ArcError, describe } from '../engine/errors.ts'
import { isRecord } from '../engine/plain-data.ts'

/** A request to a socket. */
export interface SocketRequest {
  readonly socket: string
  readonly method?: 'GET' | 'POST'
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
}

const TIMEOUT_MS = 10_000

/** Sends a request and returns the JSON of the response. Throws if the daemon refuses or cannot be reached. */
export async function requestManaged(asked: SocketRequest): Promise<unknown> {
  const { status, text } = await send(asked).catch((error: NodeJS.ErrnoException) => {
    throw new ArcError('ARC_MANAGED', describeFailure(asked.socket, error))
  })
  const answer = parse(text)
  if (status === 200) return answer
  const { message } = (isRecord(answer) && isRecord(answer.error) ? answer.error : {}) as { message?: unknown }
  throw new ArcError('ARC_MANAGED', `The daemon refused: ${typeof message === 'string' ? message : `status ${status}`}`)
}

function describeFailure(socket: string, error: NodeJS.ErrnoException): string {
  if (error.code === 'EACCES') return `${socket} is for approvers only, and this account is not one of them.`
  if (error.code === 'ENOENT' || error.code === 'ECONNREFUSED') {
    return `The daemon of this machine is not running (${socket}): all hook calls are refused.`
  }
  return `The daemon of this machine cannot be reached at ${socket}: ${describe(error)}.`
}

function send({ socket, method = 'GET', path, headers }: SocketRequest): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const options = { socketPath: socket, method, path, headers, timeout: TIMEOUT_MS, agent: false }
    const sent = request(options, (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (part: string) => {
        text += part
      })
      response.on('error', reject)
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }))
    })
    sent.on('timeout', () => sent.destroy(new Error(`no answer within ${TIMEOUT_MS / 1_000} s`)))
    sent.on('error', reject)
    sent.end()
  })
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // Not JSON: the caller reports the status.
    return undefined
  }
}
