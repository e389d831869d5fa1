// Sends a hook call to a running daemon over its socket. Without a complete reply the caller evaluates the call itself.

import { Agent, request } from 'node:http'
import { socketFile } from '../../daemon/process/paths.ts'
import {
  CALLER_HEADER,
  CWD_HEADER,
  decodeReply,
  HOOK_WIRE_TYPE,
  type HookReply,
  PROFILE_HEADER,
  SILENCE_MS,
} from '../../protocol/hook-wire.ts'

/** A hook call for a daemon. */
export interface DaemonRequest {
  readonly home: string
  /** Default: the socket of the home. */
  readonly socket?: string | undefined
  readonly host: string
  readonly event?: string | undefined
  readonly payload: string
  readonly cwd: string | undefined
  readonly profile: string | undefined
  readonly callerPid?: number | undefined
}

/** The daemon's reply; undefined if no daemon runs, it hangs, or its reply is invalid. */
export async function requestDaemon(call: DaemonRequest, signal: AbortSignal): Promise<HookReply | undefined> {
  const { host, event, payload, cwd, profile, callerPid } = call
  const socket = call.socket ?? socketFile(call.home)
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
    let reply = await send({ socket, path, method: 'POST', headers, agent, signal }, payload)
    while (reply !== undefined && 'ticket' in reply) {
      const next = `/v1/hook-answer/${encodeURIComponent(reply.ticket)}`
      reply = await send({ socket, path: next, method: 'GET', agent, signal })
    }
    return reply
  } finally {
    agent.destroy()
  }
}

interface SocketRequest {
  readonly socket: string
  readonly path: string
  readonly method: 'GET' | 'POST'
  readonly headers?: Readonly<Record<string, string | number>>
  readonly agent: Agent
  readonly signal: AbortSignal
}

function send(
  { socket, path, method, headers, agent, signal }: SocketRequest,
  body?: string,
): Promise<ReturnType<typeof decodeReply>> {
  const options = { socketPath: socket, path, method, agent, signal, timeout: SILENCE_MS }
  return new Promise((resolve) => {
    const sent = request({ ...options, headers: { ...headers, accept: HOOK_WIRE_TYPE } })
    // A daemon that is silent for this long hangs: a busy daemon replies with a ticket before.
    sent.on('timeout', () => sent.destroy())
    sent.on('error', () => resolve(undefined))
    sent.on('response', (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (part: string) => {
        text += part
      })
      response.on('error', () => resolve(undefined))
      response.on('close', () => resolve(response.statusCode === 200 ? decodeReply(text) : undefined))
    })
    sent.end(body)
  })
}
