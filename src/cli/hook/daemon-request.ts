// Asks a running daemon over its socket. Anything but a whole answer is none: the caller then judges itself.

import { Agent, request } from 'node:http'
import { socketFile } from '../../daemon/process/paths.ts'
import {
  CALLER_HEADER,
  CWD_HEADER,
  decodeReply,
  HOOK_WIRE_TYPE,
  PROFILE_HEADER,
  SILENCE_MS,
  type WireReply,
} from '../../protocol/hook-wire.ts'

/** What is asked. */
export interface DaemonRequest {
  readonly home: string
  /** Another socket than that of the home. */
  readonly socket?: string | undefined
  readonly host: string
  readonly event?: string | undefined
  readonly payload: string
  readonly cwd: string | undefined
  readonly profile: string | undefined
  readonly callerPid?: number | undefined
}

/** The daemon's answer; undefined when none runs, it hangs, or what it says cannot be used. */
export async function requestDaemon(question: DaemonRequest, signal: AbortSignal): Promise<WireReply | undefined> {
  const { host, event, payload, cwd, profile, callerPid } = question
  const socket = question.socket ?? socketFile(question.home)
  const headers = {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(payload),
    ...(cwd !== undefined && { [CWD_HEADER]: encodeURIComponent(cwd) }),
    ...(profile !== undefined && { [PROFILE_HEADER]: encodeURIComponent(profile) }),
    ...(callerPid !== undefined && { [CALLER_HEADER]: String(callerPid) }),
  }
  const path = `/v1/hook/${encodeURIComponent(host)}/${encodeURIComponent(event ?? '-')}`
  const agent = new Agent({ keepAlive: true })
  try {
    let answer = await send({ socket, path, method: 'POST', headers, agent, signal }, payload)
    while (answer !== undefined && 'ticket' in answer) {
      const next = `/v1/hook-answer/${encodeURIComponent(answer.ticket)}`
      answer = await send({ socket, path: next, method: 'GET', agent, signal })
    }
    return answer
  } finally {
    agent.destroy()
  }
}

interface Sent {
  readonly socket: string
  readonly path: string
  readonly method: 'GET' | 'POST'
  readonly headers?: Readonly<Record<string, string | number>>
  readonly agent: Agent
  readonly signal: AbortSignal
}

function send(
  { socket, path, method, headers, agent, signal }: Sent,
  body?: string,
): Promise<ReturnType<typeof decodeReply>> {
  const options = { socketPath: socket, path, method, agent, signal, timeout: SILENCE_MS }
  return new Promise((resolve) => {
    const asked = request({ ...options, headers: { ...headers, accept: HOOK_WIRE_TYPE } })
    // Silence for so long means that it hangs: one that is busy says so before.
    asked.on('timeout', () => asked.destroy())
    asked.on('error', () => resolve(undefined))
    asked.on('response', (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (part: string) => {
        text += part
      })
      response.on('error', () => resolve(undefined))
      response.on('close', () => resolve(response.statusCode === 200 ? decodeReply(text) : undefined))
    })
    asked.end(body)
  })
}
