// How long `arc` takes to start, beside a bare node: real processes, in turn, medians.

import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ARC = fileURLToPath(new URL('../bin/arc', import.meta.url))
const RUNS = 20
const AT_MOST = 1.5

/** Measures starts; only `arc --version` has a limit, the other rows are for information. */
export function benchStartup(runs = RUNS) {
  const home = mkdtempSync(join(tmpdir(), 'arc-startup-'))
  const lines = {
    'node -e 0': ['-e', '0'],
    'arc --version': [ARC, '--version'],
    'arc profile list': [ARC, 'profile', 'list'],
    'arc logs': [ARC, 'logs', '--limit', '1'],
  }
  try {
    const samples = Object.fromEntries(Object.keys(lines).map((name) => [name, []]))
    for (let run = -2; run < runs; run++) {
      for (const [name, args] of Object.entries(lines)) {
        const time = timeOf(args, home)
        if (run >= 0) samples[name].push(time)
      }
    }
    const times = Object.fromEntries(Object.entries(samples).map(([name, all]) => [name, median(all)]))
    const ratio = times['arc --version'] / times['node -e 0']
    const limit = { case: 'start', of: 'arc --version', against: 'node -e 0', atMost: AT_MOST, ratio }
    return { rows: [{ case: 'start', times }], limits: [{ ...limit, ok: ratio <= AT_MOST }] }
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}

function timeOf(args, home) {
  const startedAt = process.hrtime.bigint()
  const { status, stderr } = spawnSync('/usr/bin/env', ['node', ...args], {
    encoding: 'utf8',
    env: { ...process.env, ARC_HOME: home },
  })
  if (status !== 0) throw new Error(`${args.join(' ')} ended with ${status}: ${stderr}`)
  return Number(process.hrtime.bigint() - startedAt)
}

function median(values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]
}
