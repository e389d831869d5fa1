// One round: calls by every way in while one or two faults come and go, then the comparison of ledger and trace.

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { gunzipSync } from 'node:zlib'
import { verifyExport } from '../../dist/trace.js'
import { Caller } from './calls.mjs'
import { compareLedger } from './compare.mjs'
import { FAULTS } from './faults.mjs'
import { Ledger } from './ledger.mjs'
import { findProcesses } from './processes.mjs'
import { SENDERS } from './senders.mjs'
import { Stage, waitUntil } from './stage.mjs'

// Projects with their way in, and the pause between two calls. Where calls are slow, more of them are dangerous: a fault
// lasts until each way in had a denial that was due.
const ACTORS = [
  { name: 'a', way: 'socket', pauseMs: 20 },
  { name: 'b', way: 'socket', pauseMs: 30 },
  { name: 'c', way: 'socket', pauseMs: 40 },
  { name: 'd', way: 'launcher', pauseMs: 250, dangerousEvery: 4 },
  { name: 'e', way: 'process', pauseMs: 1_000, dangerousEvery: 2 },
]
const NO_ANSWER_PAUSE_MS = 200
const WARM_UP_MS = 1_000
const SECOND_FAULT_AFTER_MS = 1_000
const AFTERWARDS_MS = 1_000
// Ends waits for what never comes; a daemon that hooks start may have to wait 15 s after the last start.
const ON_DEMAND_LIMIT_MS = 40_000
const UNAIDED_LIMIT_MS = 6_000
const RECOVERY_LIMIT_MS = 30_000
const DUE_LIMIT_MS = 20_000
const LEFT_LIMIT_MS = 5_000

/**
 * Plays one round; what was sent, what is on record, and every problem. `extraMs`: more time under the faults; `pace`: the
 * factor of the pauses between calls on the socket.
 */
export async function playRound(names, { extraMs = 0, pace = 1 } = {}) {
  const faults = names.map((name) => ({ name, ...FAULTS[name] }))
  const stage = new Stage()
  const ledger = new Ledger(join(stage.root, 'ledger.jsonl'))
  const problems = []
  stage.complain = (message) => problems.push({ kind: 'other', message })
  try {
    await stage.prepareRound(faults)
    const { destroyedBefore, recovery } = await playWithTraffic(faults, { stage, ledger, extraMs, pace })
    await checkEnd(stage)
    const { figures, verify, ...compared } = await inspect(stage, ledger, { destroyedBefore, faults })
    problems.push(...compared.problems)
    const ok = problems.length === 0
    return { faults: names, ok, figures: { ...figures, recovery }, verify, problems, folder: stage.root }
  } finally {
    ledger.close()
    await stage.remove({ keepFolder: problems.length > 0 && process.env.CHAOS_KEEP === '1' })
  }
}

async function playWithTraffic(faults, { stage, ledger, extraMs, pace }) {
  for (const { name, isFromStart } of faults) if (isFromStart) ledger.faults.add(name)
  const traffic = startTraffic(stage, ledger, pace)
  try {
    const destroyedBefore = await playFaults(faults, { stage, ledger, extraMs })
    const recovery = await recover(faults, { stage, ledger })
    await sleep(AFTERWARDS_MS)
    return { destroyedBefore, recovery }
  } finally {
    await traffic.end()
  }
}

function startTraffic(stage, ledger, pace) {
  let hasEnded = false
  const work = async ({ name, way, pauseMs, dangerousEvery }, at) => {
    const caller = new Caller({ name, cwd: stage.projects[at], isEnforced: stage.isEnforced, dangerousEvery })
    while (!hasEnded) {
      const call = caller.next()
      const { answer } = await ledger.note(way, call, () => SENDERS[way](stage, caller, call.payload))
      await sleep(answer === 'none' ? NO_ANSWER_PAUSE_MS : pauseMs * (way === 'socket' ? pace : 1))
    }
  }
  const all = ACTORS.map(work)
  return {
    end: async () => {
      hasEnded = true
      await Promise.all(all)
    },
  }
}

// The second fault starts while the first is active. Returns since when the record is whole.
async function playFaults(faults, { stage, ledger, extraMs }) {
  await sleep(WARM_UP_MS)
  let destroyedBefore
  const play = async ({ name, start, stop, forMs, destroys }, at) => {
    await sleep(at * SECOND_FAULT_AFTER_MS)
    ledger.faults.add(name)
    const started = await start(stage)
    if (destroys) destroyedBefore = Date.now()
    await started?.ready
    await sleep(forMs + extraMs)
    await waitUntil(() => hasEachWay(stage, ledger, name), DUE_LIMIT_MS)
    await stop?.(stage, started)
    ledger.faults.delete(name)
  }
  await Promise.all(faults.map(play))
  return destroyedBefore
}

// On a busy machine a fault lasts until each way in had its due denial.
function hasEachWay({ isEnforced }, { calls }, name) {
  const under = calls.filter(({ kind, faults }) => faults.includes(name) && (kind === 'dangerous' || !isEnforced))
  return Object.keys(SENDERS).every((way) => under.some((call) => call.way === way))
}

// Afterwards a daemon answers again, and a call is allowed and on record. Where hooks start none in time, a person does.
async function recover(faults, { stage, ledger }) {
  const startedAt = performance.now()
  const isOnDemand = faults.some((fault) => fault.isOnDemand)
  const isBack = await waitUntil(
    () => stage.isReachable(),
    isOnDemand && faults.length === 1 ? ON_DEMAND_LIMIT_MS : UNAIDED_LIMIT_MS,
  )
  if (!isBack) await stage.startDaemon()
  if (!isBack && isOnDemand && faults.length === 1) stage.complain('no hook started a daemon')
  if (!(await waitUntil(() => stage.isReachable(), RECOVERY_LIMIT_MS)))
    stage.complain('no daemon answers after the fault')
  const caller = new Caller({ name: 'probe', cwd: stage.projects[0] })
  const isWell = await waitUntil(
    async () => {
      const call = caller.build('harmless')
      const noted = await ledger.note('launcher', call, () => SENDERS.launcher(stage, caller, call.payload))
      return noted.answer === 'allowed' && !noted.saysUnrecorded && !noted.saysUnchecked
    },
    RECOVERY_LIMIT_MS,
    250,
  )
  if (!isWell)
    stage.complain(`calls are not allowed and recorded again after the fault: ${JSON.stringify(ledger.calls.at(-1))}`)
  return { ms: Math.round(performance.now() - startedAt), by: isBack ? 'hooks' : 'a person' }
}

async function checkEnd(stage) {
  if (!(await stage.endDaemon())) stage.complain('the daemon did not end on request')
  const left = () => findProcesses(`ARC_HOME=${stage.home}`)
  await waitUntil(() => left().length === 0, LEFT_LIMIT_MS)
  for (const { pid, command } of left()) stage.complain(`a process is left: ${pid} ${command}`)
}

async function inspect(stage, ledger, { destroyedBefore, faults }) {
  const lines = await exportLines(stage)
  const setAside = []
  for (const { folder, until } of stage.setAside) {
    setAside.push({ until, records: readRecords(await exportLines(stage, { ARC_HOME: folder })) })
  }
  const { figures, problems } = compareLedger({
    ...{ calls: ledger.calls, records: readRecords([...readArchives(stage), ...lines]), setAside, destroyedBefore },
  })
  const chain = verifyExport(lines)
  if (!chain.ok) problems.push({ kind: 'chain', message: `the chain is broken: ${JSON.stringify(chain.firstBad)}` })
  const verified = await stage.arc(['trace', 'verify', '--json'])
  const verify = verified.exitCode === 0 ? 'ok' : 'notices'
  const expected = faults.map((fault) => fault.verify ?? 'ok')
  if (!isExpected(verify, expected)) {
    const message = `arc trace verify: expected ${expected.join(', ')}, got ${verified.stdout}${verified.stderr}`
    problems.push({ kind: 'verify', message })
  }
  return { figures, problems, verify }
}

// A pair is noticed when one of its faults must be.
function isExpected(verify, expected) {
  if (expected.includes('notices')) return verify === 'notices'
  return expected.includes('either') || verify === 'ok'
}

async function exportLines(stage, env = {}) {
  const { stdout } = await stage.arc(['trace', 'export'], { env })
  return stdout.split('\n').filter((line) => line !== '')
}

function readArchives({ archive }) {
  if (!existsSync(archive)) return []
  const files = readdirSync(archive).filter((name) => name.endsWith('.gz'))
  const texts = files.map((name) => gunzipSync(readFileSync(join(archive, name))).toString())
  return texts.flatMap((text) => text.split('\n').filter((line) => line !== ''))
}

function readRecords(lines) {
  return lines.flatMap((line) => JSON.parse(line).record ?? [])
}
