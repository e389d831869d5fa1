// What a target of the fuzzing is, and how one is run: the tests and the bench run the same table.

import fc from 'fast-check'
import { describe } from '../../src/engine/errors.ts'

/** A property over hostile input. */
export interface FuzzTarget<Input = unknown> {
  readonly name: string
  readonly input: fc.Arbitrary<Input>
  /** The cost of a case, as a multiple of a case of a plain parser. The number of cases is divided by it. */
  readonly cost?: number
  /** Gets ready: a server, a folder. The property throws where it does not hold. */
  open(): Opened<Input> | Promise<Opened<Input>>
}

/** A target that is ready. */
interface Opened<Input> {
  check(input: Input): void | Promise<void>
  close?(): void | Promise<void>
}

/** How a run went. */
interface FuzzResult {
  readonly name: string
  readonly cases: number
  readonly ms: number
  readonly slowestMs: number
  /** What did not hold, with the seed and the smallest input that shows it. */
  readonly failure?: string
}

/** A target that needs no preparation. */
export function plainTarget<Input>(
  name: string,
  input: fc.Arbitrary<Input>,
  check: (input: Input) => void,
  cost = 1,
): FuzzTarget<Input> {
  return { name, input, cost, open: () => ({ check }) }
}

/** Runs a target for a number of cases, divided by its cost. */
export async function runTarget(target: FuzzTarget, { seed, cases }: { seed: number; cases: number }) {
  const opened = await target.open()
  const startedAt = performance.now()
  let slowestMs = 0
  const property = fc.asyncProperty(target.input, async (input) => {
    const beganAt = performance.now()
    await opened.check(input)
    slowestMs = Math.max(slowestMs, performance.now() - beganAt)
  })
  try {
    const numRuns = Math.max(1, Math.round(cases / (target.cost ?? 1)))
    const ran = await fc.check(property, { seed, numRuns, endOnFailure: false })
    const ms = performance.now() - startedAt
    const result: FuzzResult = { name: target.name, cases: ran.numRuns, ms, slowestMs }
    return ran.failed
      ? { ...result, failure: `${describe(ran.errorInstance)}\n${fc.defaultReportMessage(ran)}` }
      : result
  } finally {
    await opened.close?.()
  }
}
