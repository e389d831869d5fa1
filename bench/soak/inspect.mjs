// What is left after a soak: the record, the database, processes, descriptors, memory.

import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import Database from 'libsql'
import { verifyExport } from '../../dist/trace.js'
import { ARC } from './daemon.mjs'

// A watcher more or less, a connection that is just being closed.
const SPARE_DESCRIPTORS = 8
const SETTLE_MS = 3_000

/** Looks at everything and reports it. */
export async function inspect({ home, daemon, ledger }) {
  // Clients are gone: what the daemon still holds open is its own.
  await sleep(SETTLE_MS)
  const figures = { ...ledger.figures, ...(await lookAtDaemon(daemon, ledger)) }
  await daemon.stop()
  const { lines, records } = readRecord(daemon, ledger)
  figures['records in the chain'] = records
  checkAcknowledged(lines, ledger)
  checkDatabase(join(home, 'arc.db'), ledger)
  await checkProcesses(home, ledger)
  figures['acknowledged calls'] = ledger.acknowledged.size
  const { counts, problems } = ledger
  return { ok: problems.length === 0, counts, figures, problems }
}

async function lookAtDaemon(daemon, ledger) {
  const before = daemon.look()
  const client = daemon.client(true)
  const health = await client.send('GET', '/health')
  if (health?.status !== 200) ledger.complain('the daemon does not answer at the end')
  // As after a start: one connection was opened and is closed again.
  client.close()
  await sleep(500)
  const after = daemon.look()
  if (before === undefined || after === undefined) return {}
  const fresh = await freshDescriptors(daemon)
  const { descriptors, megabytes } = before
  if (descriptors > fresh.descriptors + SPARE_DESCRIPTORS) {
    ledger.complain(`the daemon holds ${descriptors} descriptors, a fresh one ${fresh.descriptors}`)
  }
  return {
    'descriptors at the end / of a fresh one': `${descriptors} / ${fresh.descriptors}`,
    'memory at the end / of a fresh one (MB)': `${megabytes} / ${fresh.megabytes}`,
  }
}

// One that has just been started and asked once.
async function freshDescriptors(daemon) {
  await daemon.stop()
  await daemon.start()
  const client = daemon.client(true)
  await client.send('GET', '/v1/status')
  client.close()
  await sleep(SETTLE_MS)
  return daemon.look() ?? { descriptors: 0, megabytes: 0 }
}

function readRecord(daemon, ledger) {
  const run = (args) =>
    spawnSync(process.execPath, [ARC, ...args], { env: daemon.env, encoding: 'utf8', maxBuffer: 1 << 30 })
  const verified = run(['trace', 'verify', '--json'])
  const { ok, records, firstBad } = JSON.parse(verified.stdout)
  if (!ok || verified.status !== 0) ledger.complain(`the chain does not verify: ${JSON.stringify(firstBad)}`)
  const lines = run(['trace', 'export'])
    .stdout.split('\n')
    .filter((line) => line !== '')
  const exported = verifyExport(lines)
  if (!exported.ok) ledger.complain(`the export does not verify: ${JSON.stringify(exported.firstBad)}`)
  return { lines, records }
}

function checkAcknowledged(lines, ledger) {
  const calls = new Set()
  const ids = new Set()
  for (const line of lines) {
    const { record } = JSON.parse(line)
    ids.add(record.id)
    if (record.data?.callId !== undefined) calls.add(record.data.callId)
  }
  const lost = [...ledger.acknowledged].filter((id) => !calls.has(id))
  const unknown = [...ledger.named].filter((id) => !ids.has(id))
  const report = (what, all) => {
    if (all.length > 0) ledger.complain(`${what}: ${all.length}, such as ${all.slice(0, 3).join(', ')}`)
  }
  report('calls were allowed and are not on record', lost)
  report('denials name records that are not there', unknown)
}

function checkDatabase(file, ledger) {
  const db = new Database(file)
  try {
    const result = db.pragma('integrity_check')[0].integrity_check
    if (result !== 'ok') ledger.complain(`integrity_check: ${result}`)
    const foreign = db.pragma('foreign_key_check')
    if (foreign.length > 0) ledger.complain(`foreign_key_check: ${JSON.stringify(foreign[0])}`)
  } finally {
    db.close()
  }
}

// Every process of the soak, and whatever those started, has its home in the environment.
async function checkProcesses(home, ledger) {
  const isQuiet = () => processesOf(home).length === 0 && heldHere().length === 0
  for (let tries = 0; tries < 20 && !isQuiet(); tries++) await sleep(250)
  for (const command of processesOf(home)) ledger.complain(`a process is left: ${command}`)
  if (heldHere().length > 0) ledger.complain(`this process still holds ${heldHere().join(', ')}`)
}

// Besides its own outputs, and what this very wait needs.
function heldHere() {
  return process.getActiveResourcesInfo().filter((name) => !/^(TTYWrap|PipeWrap|FSReqCallback|Immediate)$/.test(name))
}

function processesOf(home) {
  return numbersIn('/proc').flatMap((pid) => {
    try {
      const variables = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0')
      const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim()
      return variables.includes(`ARC_HOME=${home}`) && command !== '' ? [`${pid} ${command}`] : []
    } catch {
      // It ended meanwhile, or belongs to somebody else.
      return []
    }
  })
}

function numbersIn(folder) {
  try {
    return readdirSync(folder).filter((name) => /^\d+$/.test(name))
  } catch {
    // A system without /proc.
    return []
  }
}
