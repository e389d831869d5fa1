// `npm run bench -- --only chaos [--faults a,b] [--pairs | --random-pairs N] [--seed N] [--seconds N] [--parallel N] [--pace N]`:
// calls by every way in while faults come and go. A round has one fault, or two at the same time; `--seconds` makes faults longer.
// Afterwards a ledger of all calls is compared with the trace: nothing lost without a gap record, nothing wrongly allowed,
// nothing recorded twice.

import { FAULTS } from './chaos/faults.mjs'
import { planRounds } from './chaos/plan.mjs'
import { printHead, printProblems, printRound } from './chaos/report.mjs'
import { playRound } from './chaos/round.mjs'
import { canMount } from './chaos/stage.mjs'

const PARALLEL = 3

/** Plays the rounds; says whether all held. */
export async function runChaos({ option, hasOption, isJson }) {
  const seed = Number(option('seed') ?? Date.now() % 2 ** 31)
  const wanted = option('faults')?.split(',') ?? Object.keys(FAULTS)
  const missing = wanted.filter((name) => !Object.hasOwn(FAULTS, name))
  if (missing.length > 0)
    throw new Error(`there is no fault ${missing.join(', ')}; there are ${Object.keys(FAULTS).join(', ')}`)
  const randomPairs = Number(option('random-pairs') ?? 0)
  const { rounds, skipped } = planRounds(wanted, { hasPairs: hasOption('pairs'), randomPairs, seed, canMount })
  const extraMs = Number(option('seconds') ?? 0) * 1_000
  const pace = Number(option('pace') ?? 1)
  if (!isJson) printHead({ seed, skipped })
  const results = []
  const waiting = [...rounds]
  const work = async () => {
    for (let names = waiting.shift(); names; names = waiting.shift()) {
      const result = await playRound(names, { extraMs, pace })
      results.push(result)
      if (!isJson) printRound(result)
    }
  }
  await Promise.all(Array.from({ length: Number(option('parallel') ?? PARALLEL) }, work))
  if (!isJson) printProblems(results)
  return { ok: results.every(({ ok }) => ok), seed, skipped, results }
}
