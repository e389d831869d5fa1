// Calls by every way in while faults come and go: a short run of bench/chaos. The ledger of the calls is compared with the
// trace afterwards. `npm run bench -- --only chaos --pairs` plays all faults in pairs.

import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { runProgram } from './run-arc.ts'

const BENCH = fileURLToPath(new URL('../bench/run.mjs', import.meta.url))
const FAULTS = ['kill', 'stop', 'lock-immediate', 'disk-full', 'cut-meanwhile']
// Ends what hangs. A run takes half a minute on a quiet machine.
const LIMIT_MS = 400_000

interface Run {
  readonly chaos: {
    readonly seed: number
    readonly skipped: readonly string[]
    readonly results: readonly {
      readonly faults: readonly string[]
      readonly figures: Readonly<Record<string, unknown>>
      readonly problems: readonly { readonly kind: string; readonly message: string }[]
    }[]
  }
}

it(
  'Z1 no call is silently lost, recorded twice or wrongly allowed while daemon, database and disk fail',
  async () => {
    const seed = String(Date.now() % 2 ** 31)
    console.info(`chaos: seed ${seed}`)
    const fixed = '--random-pairs 1 --parallel 4 --pace 3'.split(' ')
    const options = ['--faults', FAULTS.join(','), '--seed', seed, ...fixed]
    const ran = await runProgram(process.execPath, [BENCH, '--only', 'chaos', '--json', ...options], {})
    const { results, skipped } = (JSON.parse(ran.stdout) as Run).chaos
    if (skipped.length > 0) console.info(`skipped, they need root: ${skipped.join(', ')}`)
    const problems = results.flatMap(({ faults, problems }) =>
      problems.map(({ kind, message }) => `${faults.join(' + ')} [${kind}] ${message}`),
    )
    expect(problems.slice(0, 10), `seed ${seed}`).toEqual([])
    expect(results).toHaveLength(FAULTS.length - skipped.length + 1)
    for (const { faults, figures } of results) {
      expect(figures.due, faults.join(' + ')).toBeGreaterThan(0)
      expect(figures.denied, faults.join(' + ')).toBe(figures.due)
    }
    expect(ran.code, ran.stderr).toBe(0)
  },
  LIMIT_MS,
)
