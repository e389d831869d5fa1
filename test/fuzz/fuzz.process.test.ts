import { expect, it } from 'vitest'
import { runTarget, TARGETS } from './targets.ts'

// Cases for a plain parser; targets that cost more get fewer. `npm run bench -- --only fuzz` looks further.
const CASES = Number(process.env.FUZZ_CASES ?? 300)
const SEED = Number(process.env.FUZZ_SEED ?? 20_260_101)

it.each(TARGETS)(
  'holds for random input: $name',
  async (target) => {
    const { failure, cases } = await runTarget(target, { seed: SEED, cases: CASES })
    expect(failure).toBeUndefined()
    expect(cases).toBeGreaterThan(0)
  },
  120_000,
)
