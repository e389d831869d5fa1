// Requests to the sockets of a managed daemon, for accounts that cannot enter its home.

import { request } from 'node:http'
import { ArcError, describe } from '../engine/errors.ts'
import { isRecord } from '../engine/plain-data.ts'

/** A request. */
export interface Asked {
  readonly socket: string
  readonly method?: 'GET' | 'POST'
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
}

const ANSWER_MS = 10_000

/** The JSON of the answer. Throws with the daemon's own message where it refuses, and with the cause where it cannot be asked. */
export async function askManaged(asked: Asked): Promise<unknown> {
  const { status, text } = await send(asked).catch((error: NodeJS.ErrnoException) => {
    throw new ArcError('ARC_MANAGED', whyNot(asked.socket, error))
  })
  const answer = parse(text)
  if (status === 200) return answer
  const { message } = (isRecord(answer) && isRecord(answer.error) ? answer.error : {}) as { message?: unknown }
  throw new ArcError('ARC_MANAGED', `The daemon refused: ${typeof message === 'string' ? message : `status ${status}`}`)
}

function whyNot(socket: string, error: NodeJS.ErrnoException): string {
  if (error.code === 'EACCES') return `${socket} is for approvers only, and this account is not one of them.`
  if (error.code === 'ENOENT' || error.code === 'ECONNREFUSED') {
    return `The daemon of this machine does not run (${socket}): hook calls are refused until it does.`
  }
  return `The daemon of this machine could not be asked at ${socket}: ${describe(error)}.`
}

function send({ socket, method = 'GET', path, headers }: Asked): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const options = { socketPath: socket, method, path, headers, timeout: ANSWER_MS, agent: false }
    const sent = request(options, (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (part: string) => {
        text += part
      })
      response.on('error', reject)
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }))
    })
    sent.on('timeout', () => sent.destroy(new Error(`no answer within ${ANSWER_MS / 1_000} s`)))
    sent.on('error', reject)
    sent.end()
  })
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // Not JSON: the status says enough.
    return undefined
  }
}
