// The first part of a plugin that ARC writes for agents without command hooks: JavaScript that asks `arc hook` about an
// event. It runs in the agent's process, so it imports nothing of ours.

import type { HostName } from '../facts/list.ts'
import type { InstallOptions } from './install-file.ts'
import { OWN_MARK } from './own-file.ts'

// Longer than ARC's own limit: only a process that hangs is given up here.
const PLUGIN_LIMIT_MS = 60_000

/** The script: `consult(event, payload, canStop)` gives the reply as an object, with `deny` if the action is to stop. */
export function askingScript(host: HostName, { command, failClosed }: InstallOptions): string {
  return `// ${OWN_MARK}
import { spawn } from 'node:child_process'

const ARC = ${JSON.stringify(command)}
const FAIL_CLOSED = ${failClosed === true}

// Asks \`arc hook ${host} EVENT\`; gives { code, stdout, stderr }, or { failure } when it could not be asked.
function ask(event, payload) {
  return new Promise((resolve) => {
    const child = spawn(ARC, ['hook', '${host}', event], { windowsHide: true })
${BODY}`
}

// What does not depend on the agent.
const BODY = `    const timer = setTimeout(() => child.kill('SIGKILL'), ${PLUGIN_LIMIT_MS})
    let stdout = ''
    let stderr = ''
    child.stdout.setEncoding('utf8').on('data', (data) => (stdout += data))
    child.stderr.setEncoding('utf8').on('data', (data) => (stderr += data))
    child.on('error', (error) => (clearTimeout(timer), resolve({ failure: error.message })))
    child.on('close', (code, signal) => {
      clearTimeout(timer)
      resolve(code === null ? { failure: 'ended by ' + signal } : { code, stdout, stderr })
    })
    child.stdin.on('error', () => {}) // It answered before it had read everything.
    child.stdin.end(JSON.stringify(payload))
  })
}

// The reply as an object. With \`deny\` the action must not happen.
async function consult(event, payload, canStop) {
  return read(await ask(event, payload), canStop)
}

function read(answer, canStop) {
  let said
  try {
    said = answer.stdout?.trim() ? JSON.parse(answer.stdout) : {}
  } catch {
    answer.failure = 'it answered what is not JSON'
  }
  const isBroken = answer.failure !== undefined || (answer.code !== 0 && answer.code !== 2)
  if (isBroken) {
    const why = 'ARC could not be asked: ' + (answer.failure ?? (answer.stderr.trim() || 'exit code ' + answer.code))
    return FAIL_CLOSED && canStop ? { deny: why } : { notice: why }
  }
  if (!canStop) return { ...said, deny: undefined }
  return answer.code === 2 && said.deny === undefined ? { ...said, deny: answer.stderr.trim() } : said
}
`
