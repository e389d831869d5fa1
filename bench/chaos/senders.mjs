// The ways by which a call reaches ARC, and what the host is answered.

import { request } from 'node:http'
import { ARC, runProgram } from './stage.mjs'

// curl of the launcher waits this long.
const SILENCE_MS = 2_000
// Ends a process that hangs; hosts wait for 60 s.
const PROCESS_LIMIT_MS = 60_000
const SEPARATOR = '\u001e'

/** Each sends one payload and resolves with the answer. */
export const SENDERS = {
  /** The request of the launcher. Without an answer the launcher starts Node. */
  socket: async (stage, caller, payload) => {
    const headers = {
      ...{ 'content-type': 'application/json', 'content-length': Buffer.byteLength(payload) },
      ...{ 'x-arc-cwd': caller.cwd, 'x-arc-caller': String(process.pid) },
    }
    let text = await send(stage, { method: 'POST', path: '/v1/hook/claude/-', headers }, payload)
    for (;;) {
      const [, code, stdout, stderr] = text?.split(SEPARATOR) ?? []
      if (code === undefined || !/^(?:wait|\d+)$/.test(code)) return { answer: 'none' }
      if (code !== 'wait') return readReply({ exitCode: Number(code), stdout, stderr })
      text = await send(stage, { method: 'GET', path: `/v1/hook-answer/${stdout}` })
    }
  },
  /** The line in the settings of the host: sh and curl, then Node, which may start a daemon. */
  launcher: async (stage, caller, input) =>
    readReply(
      await runProgram('/bin/sh', ['-c', stage.hookLine], {
        ...{ input, cwd: caller.cwd, limitMs: PROCESS_LIMIT_MS, env: stage.env },
      }),
    ),
  /** `arc hook` without a daemon. */
  process: async (stage, caller, input) =>
    readReply(
      await runProgram(process.execPath, [ARC, 'hook', 'claude'], {
        ...{ input, cwd: caller.cwd, limitMs: PROCESS_LIMIT_MS, env: { ...stage.env, ARC_DAEMON: 'off' } },
      }),
    ),
}

const DECISIONS = { allow: 'allowed', deny: 'denied', ask: 'held' }
const NOT_ON_RECORD = /not (?:on record|recorded)|could not be recorded|nothing (?:was|is) recorded/i
const NOT_CHECKED = /ARC could not check this/

/** What Claude Code does with the output of a hook process. A hook that ends with another exit code does not stop it. */
function readReply({ exitCode, stdout, stderr }) {
  const text = `${stdout}\n${stderr}`
  const decision = DECISIONS[/"permissionDecision":\s*"(\w+)"/.exec(stdout)?.[1]]
  const answer =
    exitCode === 2 ? 'denied' : exitCode === 0 ? (decision ?? 'allowed') : exitCode === undefined ? 'none' : 'error'
  const traceId = /\barc why ([0-9A-Z]{26})\b/.exec(text)?.[1]
  return {
    answer,
    ...(traceId !== undefined && { traceId }),
    ...(NOT_ON_RECORD.test(text) && { saysUnrecorded: true }),
    ...(NOT_CHECKED.test(text) && { saysUnchecked: true }),
    ...((answer !== 'allowed' || text.trim() !== '') && { text: text.trim().slice(0, 600) }),
  }
}

// The body; undefined without a whole answer.
function send({ socket }, { headers, ...options }, body) {
  return new Promise((resolve) => {
    const accept = { accept: 'application/vnd.arc.sh' }
    const sent = request({
      ...options,
      socketPath: socket,
      agent: false,
      timeout: SILENCE_MS,
      headers: { ...headers, ...accept },
    })
    sent.on('timeout', () => sent.destroy())
    sent.on('error', () => resolve(undefined))
    sent.on('response', (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (part) => (text += part))
      response.on('error', () => resolve(undefined))
      response.on('close', () => resolve(response.complete && response.statusCode === 200 ? text : undefined))
    })
    sent.end(body)
  })
}
