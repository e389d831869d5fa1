// The actors of a soak. Each actor works until the end and notes what was acknowledged.

import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { WebSocket } from 'ws'
import { ARC } from './daemon.mjs'

const REVIEWER = {
  name: 'reviewer',
  event: 'pre_tool_use',
  matcher: 'deploy_site',
  command: `echo '{"decision":"ask"}'`,
}
const LINTER = { name: 'linter', event: 'pre_tool_use', matcher: 'read', command: 'cat >/dev/null', timeout_secs: 10 }
const GOOD = JSON.stringify({ enforcement: 'enforce', commands: [REVIEWER, LINTER] })
const EDITS = [
  GOOD,
  JSON.stringify({ enforcement: 'enforce', hooks: { timeout: 4000 }, commands: [REVIEWER, LINTER] }),
  GOOD.slice(0, 40),
  '{ "enforcement": "enforced" }',
  '',
  '{',
]
const HARMLESS = ['git status --short', 'ls -la', 'echo "never rm -rf /"', 'npm test', 'cat package.json | head']

export const ACTORS = {
  daemon: keepDaemon,
  'http 1': (place) => callOverDaemon(place, 'http-1', false),
  'http 2': (place) => callOverDaemon(place, 'http-2', false),
  socket: (place) => callOverDaemon(place, 'socket-1', true),
  'hook 1': (place) => callByProcess(place, 'hook-1'),
  'hook 2': (place) => callByProcess(place, 'hook-2'),
  asker: askPerson,
  person: answerAsPerson,
  tasks: moveTasks,
  editor: editProfile,
  follower: followLog,
  stream: followStream,
}

let calls = 0

function nextCall(session, tool, input) {
  const id = `${session}-call-${++calls}`
  const call = { session_id: session, cwd: '/', hook_event_name: 'PreToolUse', tool_use_id: id }
  return { id, payload: JSON.stringify({ ...call, tool_name: tool, tool_input: input }) }
}

function anyCall(session) {
  const dice = Math.random()
  if (dice < 0.1) return { ...nextCall(session, 'Bash', { command: 'rm -rf /' }), isDangerous: true }
  if (dice < 0.2) return nextCall(session, 'Read', { file_path: '/etc/hostname' })
  return nextCall(session, 'Bash', { command: pick(HARMLESS) })
}

async function keepDaemon({ home, daemon, ledger, endsAt, killsUntil }) {
  writeFileSync(join(home, 'profiles/default.json'), GOOD)
  await daemon.start()
  while (Date.now() < endsAt) {
    await sleep(Math.min(between(4_000, 12_000), Math.max(0, endsAt - Date.now())))
    if (Date.now() > killsUntil) {
      // The first look after the last start is the one to compare with.
      ledger.figures['memory under load, last third (MB)'] ??= []
      ledger.figures['memory under load, last third (MB)'].push(daemon.look()?.megabytes)
      continue
    }
    const signal = pick(['SIGKILL', 'SIGTERM'])
    await daemon.kill(signal)
    ledger.count(`daemon ended with ${signal}`)
    await sleep(between(0, 1_500))
    await daemon.start()
  }
}

// A host with one connection that it keeps.
async function callOverDaemon({ daemon, ledger, endsAt }, session, isLocal) {
  const client = daemon.client(isLocal)
  while (Date.now() < endsAt) {
    const call = anyCall(session)
    const answer = await client.send('POST', '/v1/hook/claude/PreToolUse', call.payload)
    if (answer === undefined) {
      ledger.count('calls without an answer (daemon gone)')
      await sleep(100)
    } else if (answer.status !== 200) ledger.complain(`status ${answer.status}: ${answer.text}`)
    else noteAnswer(ledger, call, JSON.parse(answer.text))
    await sleep(between(0, 20))
  }
  client.close()
}

// As hosts without a connection do: a process for each call, some of which are killed.
async function callByProcess({ daemon, ledger, endsAt }, session) {
  while (Date.now() < endsAt) {
    const call = anyCall(session)
    const isKilled = Math.random() < 0.1
    const ran = await runArc(daemon, ['hook', 'claude'], call.payload, isKilled ? between(20, 400) : undefined)
    if (isKilled) ledger.count('hook processes killed')
    else noteAnswer(ledger, call, ran)
    await sleep(between(0, 200))
  }
}

// An allowed call must be in the trace. A denied call is dangerous or could not be evaluated, and names its record if it has one.
function noteAnswer(ledger, call, { exitCode, stdout, stderr }) {
  const isDenied = exitCode === 2 || /"permissionDecision":\s*"(deny|ask)"/.test(stdout)
  if (!isDenied && exitCode !== 0) return ledger.complain(`${call.id} ended with ${exitCode}: ${stderr}`)
  if (!isDenied && call.isDangerous) return ledger.complain(`${call.id} may run rm -rf /: ${stdout} ${stderr}`)
  const [, id] = /arc why (\S+?)[\s").\\]/.exec(`${stdout} ${stderr} `) ?? []
  if (isDenied && id !== undefined && id !== 'last') ledger.named.add(id)
  if (!isDenied) ledger.acknowledged.add(call.id)
  if (isDenied && !call.isDangerous) ledger.count('harmless calls denied (could not be evaluated)')
  ledger.count(isDenied ? 'calls denied' : 'calls allowed')
}

async function askPerson({ daemon, ledger, endsAt }) {
  const client = daemon.client(true)
  while (Date.now() < endsAt - 5_000) {
    const { payload } = nextCall('asker', 'deploy_site', { to: 'production' })
    const answer = await client.send('POST', '/v1/hook/codex/PreToolUse', payload)
    if (answer !== undefined) ledger.count(`held: answered with exit code ${JSON.parse(answer.text).exitCode}`)
    await sleep(between(100, 1_000))
  }
  client.close()
}

async function answerAsPerson({ daemon, ledger, endsAt }) {
  const client = daemon.client(false)
  while (Date.now() < endsAt) {
    await sleep(between(100, 700))
    const listed = await client.send('GET', '/v1/approvals')
    if (listed?.status !== 200) continue
    for (const { id } of JSON.parse(listed.text)) await answerOne({ daemon, ledger, client }, id)
  }
  client.close()
}

async function answerOne({ daemon, ledger, client }, id) {
  const word = pick(['approve', 'deny'])
  if (Math.random() < 0.3) {
    const { exitCode, stderr } = await runArc(daemon, ['approvals', word, id])
    // The waiting process may have ended.
    if (exitCode > 1) ledger.complain(`arc approvals ${word} ended with ${exitCode}: ${stderr}`)
  } else {
    const answer = await client.send('POST', `/v1/approvals/${id}/${word}`)
    if (answer !== undefined && ![200, 404, 409].includes(answer.status)) {
      ledger.complain(`${word}: status ${answer.status} ${answer.text}`)
    }
  }
  ledger.count('approvals answered')
}

async function moveTasks({ daemon, ledger, endsAt }) {
  const steps = (id) => [
    ['accept', id, '--as', 'b'],
    ['request-input', id, '--as', 'b', 'which?'],
    ['provide-input', id, '--as', 'a', 'that'],
    ['complete', id, '--as', 'b', 'done'],
  ]
  while (Date.now() < endsAt - 10_000) {
    const made = await runArc(daemon, ['task', 'delegate', '--from', 'a', '--to', 'b', '--json', 'Look at it'])
    if (made.exitCode !== 0) {
      ledger.complain(`task delegate ended with ${made.exitCode}: ${made.stderr}`)
      continue
    }
    const { id } = JSON.parse(made.stdout)
    for (const step of steps(id)) {
      const { exitCode, stderr } = await runArc(daemon, ['task', ...step])
      if (exitCode !== 0) ledger.complain(`task ${step[0]} ended with ${exitCode}: ${stderr}`)
    }
    ledger.count('tasks completed')
    await sleep(between(0, 1_000))
  }
}

async function editProfile({ home, ledger, endsAt }) {
  const file = join(home, 'profiles/default.json')
  while (Date.now() < endsAt) {
    await sleep(between(300, 2_000))
    writeFileSync(file, pick(EDITS))
    ledger.count('edits of the profile')
  }
  writeFileSync(file, GOOD)
}

// `arc logs --follow`, closed and opened again; its lines are JSON to the last whole one.
async function followLog({ daemon, ledger, endsAt }) {
  while (Date.now() < endsAt) {
    const child = spawn(process.execPath, [ARC, 'logs', '--follow', '--json'], { env: daemon.env })
    let text = ''
    child.stdout.setEncoding('utf8').on('data', (part) => (text += part))
    child.stderr.resume()
    const ended = new Promise((resolve) => child.on('close', resolve))
    await sleep(Math.min(between(2_000, 8_000), Math.max(0, endsAt - Date.now())))
    child.kill(pick(['SIGTERM', 'SIGINT', 'SIGKILL']))
    await ended
    for (const line of text.split('\n').slice(0, -1)) JSON.parse(line)
    ledger.count('log followers')
  }
}

// Comes back after every break with the last number it saw, and must miss nothing.
async function followStream({ daemon, ledger, endsAt }) {
  let after = 0
  while (Date.now() < endsAt) {
    if (daemon.url === undefined) {
      await sleep(100)
      continue
    }
    const headers = { authorization: `Bearer ${daemon.token}` }
    const client = new WebSocket(`${daemon.url.replace('http', 'ws')}/v1/stream?after=${after}`, { headers })
    client.on('error', () => undefined)
    client.on('message', (data) => {
      const message = JSON.parse(String(data))
      if (message.type === 'gap') ledger.complain(`the stream has a gap: ${data}`)
      if (message.type !== 'rows') return
      for (const { seq } of message.rows) {
        if (seq !== after + 1) ledger.complain(`the stream went from ${after} to ${seq}`)
        after = seq
        ledger.count('rows streamed')
      }
    })
    const closed = new Promise((resolve) => client.on('close', resolve))
    await Promise.race([closed, sleep(between(2_000, 20_000))])
    client.terminate()
    await closed
    await sleep(50)
  }
}

/** Runs `arc` to its end, or until it is killed after so long. */
function runArc(daemon, args, input = '', killAfterMs) {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [ARC, ...args], { env: daemon.env })
    let [stdout, stderr] = ['', '']
    child.stdout.setEncoding('utf8').on('data', (text) => (stdout += text))
    child.stderr.setEncoding('utf8').on('data', (text) => (stderr += text))
    child.stdin.on('error', () => undefined)
    child.stdin.end(input)
    const timer = killAfterMs && setTimeout(() => child.kill(pick(['SIGKILL', 'SIGTERM'])), killAfterMs)
    child.on('close', (exitCode) => {
      clearTimeout(timer)
      resolve({ exitCode, stdout, stderr })
    })
  })
}

function pick(list) {
  return list[Math.floor(Math.random() * list.length)]
}

function between(least, most) {
  return least + Math.random() * (most - least)
}
