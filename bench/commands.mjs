// A command hook next to a bare spawn of the same line, and a keep-alive process next to both, compared as ratios.

import { spawn } from 'node:child_process'
import { commandHandler, createEngine } from '../dist/index.js'

const CALL = { tool: 'shell', args: { command: 'git status --short' } }
const CONTEXT = { session: 'session-1', turn: 'turn-1', workspace: '/srv/project', host: 'claude' }
const ANSWER = '{"decision":"pass"}'
// What a hook does at the least: read the step, answer.
const LINE = `cat >/dev/null; echo '${ANSWER}'`
// A program that reads its input in blocks: sh would ask the system for every single byte of it.
const HELPER = [process.execPath, '-e', helperCode()]

const WARM_UP = 40
const TURNS = 300

/** Measures a command handler and a keep-alive process, each next to the bare spawn: rows (ns per step) and limits. */
export async function benchCommands() {
  const helper = commandHandler({ command: HELPER, keepAlive: true })
  try {
    const perStep = await benchCase('command', { arc: dispatcher(commandHandler({ command: LINE })) }, 1.15)
    const kept = await benchCase('command, keepAlive', { 'arc keepAlive': dispatcher(helper) }, 0.15)
    return { rows: [perStep.row, kept.row], limits: [perStep.limit, kept.limit] }
  } finally {
    helper.dispose()
  }
}

async function benchCase(name, own, atMost) {
  const times = await measureInTurns({ ...own, spawn: bareSpawn })
  const [of] = Object.keys(own)
  const ratio = times[of] / times.spawn
  return {
    row: { case: name, times },
    limit: { case: name, of, against: 'spawn', atMost, ratio, ok: ratio <= atMost },
  }
}

function helperCode() {
  return `require('node:readline')
    .createInterface({ input: process.stdin })
    .on('line', () => process.stdout.write('${ANSWER}\\n'))`
}

function dispatcher(handler) {
  const engine = createEngine({ mode: 'enforce' })
  engine.register('pre:tool', handler)
  return async () => {
    const { decision } = await engine.dispatch('pre:tool', CALL, CONTEXT)
    if (decision !== 'pass') throw new Error(`the command decided ${decision}`)
  }
}

// The same line with the same input: its output read, its end waited for, and nothing else.
const { tool: tool_name, args: tool_input } = CALL
const { session: session_id, workspace: cwd } = CONTEXT
const STEP = { id: '01HZZZZZZZZZZZZZZZZZZZZZZZ', point: 'pre:tool', ...CONTEXT, data: CALL, metadata: {} }
const INPUT = `${JSON.stringify({ ...STEP, session_id, cwd, hook_event: 'pre_tool_use', tool_name, tool_input })}\n`

function bareSpawn() {
  return new Promise((resolve, reject) => {
    const child = spawn('sh', ['-c', LINE])
    let text = ''
    child.stdout.setEncoding('utf8').on('data', (chunk) => {
      text += chunk
    })
    child.on('error', reject)
    child.on('close', () => resolve(text))
    child.stdin.end(INPUT)
  })
}

// The machine is shared, so the contestants take turns, and the median of each counts. Who comes first changes each
// time: a measurement right after a spawn finds the machine still busy with its end.
async function measureInTurns(runs) {
  const samples = Object.fromEntries(Object.keys(runs).map((name) => [name, []]))
  const order = Object.entries(runs)
  for (let turn = -WARM_UP; turn < TURNS; turn++) {
    for (const [name, run] of order.reverse()) {
      const time = await timeOf(run)
      if (turn >= 0) samples[name].push(time)
    }
  }
  return Object.fromEntries(Object.entries(samples).map(([name, times]) => [name, median(times)]))
}

async function timeOf(run) {
  const startedAt = process.hrtime.bigint()
  await run()
  return Number(process.hrtime.bigint() - startedAt)
}

function median(values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]
}
