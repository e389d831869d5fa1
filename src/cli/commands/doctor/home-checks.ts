// Checks the home: exists, private, and its database can be written.

import { statSync } from 'node:fs'
import { join } from 'node:path'
import { describe } from '../../../engine/errors.ts'
import { readUnattendedHome } from '../../../guard/unattended-home.ts'
import type { Check } from '../../../hosts/check.ts'
import { checkAnchors } from '../../../storage/anchor-check.ts'
import { checkGaps, describeGaps } from '../../../storage/gap-check.ts'
import { loadDriver } from '../../../storage/sqlite/driver/load-driver.ts'
import { SqliteTraceStore } from '../../../storage/sqlite/trace-store.ts'

const SOON_MS = 2_000

/** The checks of a home, each as soon as its result is known. */
export function* homeChecks(home: string): Generator<Check> {
  yield folderCheck(home)
  if (statSync(home, { throwIfNoEntry: false })?.isDirectory() !== true) return
  yield databaseCheck(home)
  yield anchorCheck(home)
  yield gapCheck(home)
  yield* confirmCheck(home)
}

function folderCheck(home: string): Check {
  const stats = statSync(home, { throwIfNoEntry: false })
  const name = 'home'
  if (stats === undefined) return { name, ok: false, detail: `${home} does not exist`, fix: 'arc install' }
  if (!stats.isDirectory())
    return { name, ok: false, detail: `${home} is not a folder`, fix: 'Set ARC_HOME to a folder.' }
  const isOpen = process.platform !== 'win32' && (stats.mode & 0o077) !== 0
  return isOpen
    ? { name, ok: false, detail: `other users can read ${home}`, fix: `chmod 700 ${home}` }
    : { name, ok: true, detail: home }
}

// A deliberate setting, so not a failure, but it must be visible.
function confirmCheck(home: string): Check[] {
  if (readUnattendedHome(home) === undefined) return []
  const detail = 'warning: approving and loosening need no confirmation in this home (arc init --confirm none)'
  return [{ name: 'confirmations', ok: true, detail, fix: 'arc init --confirm ask' }]
}

function databaseCheck(home: string): Check {
  const name = 'database'
  const file = join(home, 'arc.db')
  const fix = 'Check for a full disk or a program that locks the file; arc trace verify checks the records.'
  const driver = driverCheck()
  if (!driver.ok) return driver
  let store: SqliteTraceStore | undefined
  try {
    store = new SqliteTraceStore(file, { waitMs: SOON_MS })
    const { records } = store.counters({ hours: 1 })
    return { name, ok: true, detail: `${file}, ${records} records, ${driver.detail}` }
  } catch (error) {
    return { name, ok: false, detail: describe(error), fix }
  } finally {
    store?.close()
  }
}

// The message names each driver that was tried and why it failed.
function driverCheck(): Check {
  const name = 'database'
  try {
    return { name, ok: true, detail: `SQLite by ${loadDriver().name}` }
  } catch (error) {
    const fix =
      'Use Node 22.16 or newer, or install arc-supervisor again on this machine: npm install -g arc-supervisor'
    return { name, ok: false, detail: describe(error), fix }
  }
}

// Runs after the check above, which moves a damaged database aside.
function anchorCheck(home: string): Check {
  const name = 'record'
  try {
    const { checked, mismatch } = checkAnchors(home)
    if (mismatch === undefined) return { name, ok: true, detail: `${checked} anchors match` }
    const fix = 'arc trace verify shows the expected value; see docs/guides/the-trace.md.'
    return { name, ok: false, detail: mismatch.message, fix }
  } catch (error) {
    return { name, ok: false, detail: describe(error), fix: 'Check for a program that locks the database.' }
  }
}

// A gap that is recorded and closed stays visible, but only a gap of now is a failure.
function gapCheck(home: string): Check {
  const name = 'gaps'
  try {
    const gaps = checkGaps(home)
    const detail = describeGaps(gaps)
    if (detail === undefined) return { name, ok: true, detail: 'no step is missing from the trace' }
    if (gaps.pending.length === 0) return { name, ok: true, detail: `warning: ${detail} (arc logs --action trace:gap)` }
    const fix = 'Free disk space, or end the program that locks the database; the gap is recorded by the next call.'
    return { name, ok: false, detail, fix }
  } catch (error) {
    return { name, ok: false, detail: describe(error), fix: 'Check for a program that locks the database.' }
  }
}
