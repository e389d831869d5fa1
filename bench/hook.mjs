// What a host waits for: from starting the hook to its answer, with a daemon and without, beside a bare node and beside
// cc-safety-net's hook; and the daemon itself, one call after the other, at a steady rate and with all it can take. Every
// answer comes after its trace is committed.

import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { ARC, callAtRate, callInTurn, callTogether, closeCalls, nextCall, quantile, withHome } from './daemon.mjs'

const PEER = fileURLToPath(new URL('../node_modules/cc-safety-net/dist/bin/cc-safety-net.js', import.meta.url))
const RUNS = 20
const CALLS = 500
const RATE = 200
const RATE_SECONDS = 5
const TOGETHER = { calls: 5_000, connections: 32 }
const AT_MOST = { with: 0.5, without: 2.5, medianMs: 2, p99Ms: 20 }
const AT_LEAST = { timesFaster: 6, perSecond: 2_000 }
// What `node -e 0` took where the limits in milliseconds and calls a second were set. They are printed as they are, and
// once more as a share of it, which is the same on a slower machine.
const NODE_THEN_MS = 25

/** Measures everything and returns rows (ns) and limits. */
export function benchHook() {
  return withHome(async ({ home, launcher, startDaemon }) => {
    const bare = { 'node -e 0': ['node', '-e', '0'] }
    const peer = { 'cc-safety-net': ['node', PEER, 'hook', '--claude-code'] }
    const without = measure({ ...bare, 'arc hook': ['node', ARC, 'hook', 'claude'], ...peer }, home, 'off')
    const daemon = await startDaemon()
    const withIt = measure({ ...bare, 'sh + curl': [launcher, 'hook', 'claude'], ...peer }, home, 'ask')
    const served = await benchDaemon(daemon)
    return {
      rows: [
        { case: 'no daemon', times: without },
        { case: 'daemon', times: withIt },
        { case: 'one connection', times: served.times },
      ],
      limits: [
        limit('without a daemon', 'arc hook', 'node -e 0', without['arc hook'] / without['node -e 0'], AT_MOST.without),
        limit('with a daemon', 'sh + curl', 'node -e 0', withIt['sh + curl'] / withIt['node -e 0'], AT_MOST.with),
        limit('with a daemon', 'cc-safety-net', 'sh + curl', withIt['cc-safety-net'] / withIt['sh + curl'], {
          atLeast: AT_LEAST.timesFaster,
        }),
        limit('keep-alive median, just started', 'ms', '1', served.times['just started'] / 1e6, AT_MOST.medianMs),
        limit('keep-alive median', 'ms', '1', served.times['keep-alive median'] / 1e6, AT_MOST.medianMs),
        limit("Claude's HTTP hook, median", 'ms', '1', served.times['over HTTP'] / 1e6, AT_MOST.medianMs),
        limit(`p99 at ${RATE}/s`, 'ms', '1', served.times[`p99 at ${RATE}/s`] / 1e6, AT_MOST.p99Ms),
        limit('traced calls a second, just started', 'calls', 's', served.early, { atLeast: AT_LEAST.perSecond }),
        limit('traced calls a second', 'calls', 's', served.perSecond, { atLeast: AT_LEAST.perSecond }),
        ...asShares(served, withIt['node -e 0'] / 1e6),
      ],
    }
  })
}

function asShares({ times, perSecond }, nodeMs) {
  const share = (name, ms, atMostMs) => limit('daemon', name, 'node -e 0', ms / nodeMs, atMostMs / NODE_THEN_MS)
  return [
    share('keep-alive median', times['keep-alive median'] / 1e6, AT_MOST.medianMs),
    share(`p99 at ${RATE}/s`, times[`p99 at ${RATE}/s`] / 1e6, AT_MOST.p99Ms),
    share('a call at full load', 1_000 / perSecond, 1_000 / AT_LEAST.perSecond),
  ]
}

function limit(name, of, against, ratio, bound) {
  const { atMost, atLeast } = typeof bound === 'number' ? { atMost: bound } : bound
  const ok = atMost === undefined ? ratio >= atLeast : ratio <= atMost
  return { case: name, of, against, ratio, ok, ...(atMost === undefined ? { atLeast } : { atMost }) }
}

// In turn, so that whatever else the machine does falls on all alike.
function measure(lines, home, daemon) {
  const samples = Object.fromEntries(Object.keys(lines).map((name) => [name, []]))
  for (let run = -2; run < RUNS; run++) {
    for (const [name, [program, ...args]] of Object.entries(lines)) {
      const startedAt = process.hrtime.bigint()
      const env = { ...process.env, ARC_HOME: home, ARC_PROFILE: '', ARC_DAEMON: daemon }
      const { status, stderr } = spawnSync(program, args, { input: nextCall(), env, encoding: 'utf8' })
      if (status !== 0) throw new Error(`${name} ended with ${status}: ${stderr}`)
      if (run >= 0) samples[name].push(Number(process.hrtime.bigint() - startedAt))
    }
  }
  return Object.fromEntries(Object.entries(samples).map(([name, all]) => [name, quantile(all, 0.5)]))
}

async function benchDaemon({ socket, http }) {
  await callInTurn(socket, 50)
  const times = await callInTurn(socket, CALLS)
  const paced = await callAtRate(socket, RATE, RATE_SECONDS)
  const early = await callTogether(socket, TOGETHER)
  // By now the code has run often enough to be compiled, as that of a daemon that has run for a day.
  const { perSecond } = await callTogether(socket, TOGETHER)
  const later = await callInTurn(socket, CALLS)
  await callInTurn(http, 50)
  const overHttp = await callInTurn(http, CALLS)
  closeCalls()
  return {
    early: early.perSecond,
    perSecond,
    times: {
      'just started': quantile(times, 0.5),
      'keep-alive median': quantile(later, 0.5),
      'over HTTP': quantile(overHttp, 0.5),
      [`p99 at ${RATE}/s`]: quantile(paced, 0.99),
    },
  }
}
