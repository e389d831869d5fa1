// Writes decisions into a record at a steady rate, as agents without a daemon do: from a separate process.
//   node flood-writer.mjs DATABASE PER_SECOND SECONDS [SESSIONS]
// Prints the number it wrote. With a failing or blocking one among every ten.

import { setTimeout as sleep } from 'node:timers/promises'
import { SqliteTraceStore } from '../../dist/trace.js'

const [, , file, perSecond, seconds, sessions = '5'] = process.argv
const EVERY_MS = 25
const HOOKS = ['source-classify', 'interagent-routing', 'watchdog-pause', 'risk-detection', 'attempt-tracker']

const store = new SqliteTraceStore(file, { waitMs: 10_000 })
const total = Number(perSecond) * Number(seconds)
const startedAt = performance.now()
let written = 0
while (written < total) {
  const due = Math.min(total, Math.floor(((performance.now() - startedAt) / 1_000) * Number(perSecond)))
  if (due > written) await Promise.all(Array.from({ length: due - written }, () => store.append(entry(written++))))
  await sleep(EVERY_MS)
}
store.close()
process.stdout.write(`${written}\n`)

function entry(number) {
  const decision = number % 10 === 0 ? 'block' : 'pass'
  const data = { tool: 'Bash', args: { command: `echo flood ${number}` } }
  const step = {
    id: `flood-${number}`,
    point: 'pre:tool',
    session: `flood-${number % Number(sessions)}`,
    host: 'claude',
    data,
    metadata: {},
  }
  const evaluations = HOOKS.map((hook, at) => ({
    ...{ hook, point: 'pre:tool', priority: at, mode: 'enforce', cause: 'policy', durationMs: 0.2 },
    decision: hook === 'risk-detection' ? decision : 'pass',
    applied: hook === 'risk-detection' && decision === 'block',
  }))
  const isBlocked = decision === 'block'
  const outcome = { decision, blocked: isBlocked, control: isBlocked ? 'stop' : 'proceed', data, metadata: {} }
  const decider = isBlocked ? { hook: 'risk-detection', reason: `number ${number}` } : {}
  return { step, evaluations, outcome: { ...outcome, ...decider }, time: Date.now() }
}
