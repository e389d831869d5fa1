// `npm run bench -- --only soak [--minutes 3]`: hosts, people, followers and editors at work on one home while the daemon
// and hook processes are killed at random. Afterwards everything that was acknowledged must be there, and nothing else left.

import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DaemonKeeper } from './soak/daemon.mjs'
import { inspect } from './soak/inspect.mjs'
import { Ledger } from './soak/ledger.mjs'
import { ACTORS } from './soak/traffic.mjs'

/** Plays the traffic, then looks at what is left; says whether all is well. */
export async function runSoak({ option, isJson }) {
  const minutes = Number(option('minutes') ?? 3)
  const home = mkdtempSync(join(tmpdir(), 'arc-soak-'))
  mkdirSync(join(home, 'profiles'))
  const ledger = new Ledger()
  const daemon = new DaemonKeeper(home, ledger)
  // The daemon lives through the last third: its memory and descriptors are measured there.
  const endsAt = Date.now() + minutes * 60_000
  const place = { home, daemon, ledger, endsAt, killsUntil: Date.now() + minutes * 40_000 }
  try {
    await Promise.all(Object.entries(ACTORS).map(([name, work]) => runActor(name, work, place)))
    const report = await inspect(place)
    if (!isJson) print(report)
    return report
  } finally {
    await daemon.stop()
    rmSync(home, { recursive: true, force: true, maxRetries: 10 })
  }
}

async function runActor(name, work, place) {
  try {
    await work(place)
  } catch (error) {
    place.ledger.complain(`${name} broke: ${error.stack}`)
  }
}

function print({ ok, counts, figures, problems }) {
  for (const [what, count] of Object.entries({ ...counts, ...figures })) {
    process.stdout.write(`${what.padEnd(40)} ${count}\n`)
  }
  for (const problem of problems) process.stdout.write(`PROBLEM ${problem}\n`)
  process.stdout.write(ok ? 'ok: everything acknowledged is on record, nothing is left over\n\n' : '\n')
}
