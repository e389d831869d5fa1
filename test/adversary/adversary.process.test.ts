// The adversary suite: each attempt goes through the installed line, or straight to the daemon where only the verdict
// matters, and is really done when it passes. None may loosen supervision, reach tier 5 or stay out of the record; ordinary
// work is never stopped.
// One attempt or class: ARC_ADVERSARY=class/id npx vitest run test/adversary

import { writeFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ATTEMPTS } from './attempts/index.ts'
import { type Box, openBox } from './box.ts'
import { prepare, Range, type Result } from './run-attempt.ts'
import { summaryOf } from './summary.ts'

const wanted = process.env.ARC_ADVERSARY
const chosen = ATTEMPTS.filter(({ id }) => wanted === undefined || id === wanted || id.startsWith(`${wanted}/`))
const classes = [...new Set(chosen.map((attempt) => attempt.class))]

let box: Box
let range: Range

beforeAll(async () => {
  box = await openBox()
  await prepare(box)
  range = new Range(box)
})

afterAll(async () => {
  const cpuSeconds = await box.cpu()
  await box.close()
  process.stdout.write(summaryOf(range.results, { isIsolated: box.isIsolated, cpuSeconds }))
  const report = process.env.ARC_ADVERSARY_REPORT
  if (report !== undefined) writeFileSync(report, JSON.stringify(range.results.map(shortened), null, 1))
})

describe('G11 an agent that tries to get rid of its supervision', () => {
  it.each(classes)('G11 %s: nothing gets through', { timeout: 600_000 }, async (name) => {
    const results = await range.runAll(chosen.filter((attempt) => attempt.class === name))
    expect(results.filter(isFailure).map(describeResult)).toEqual([])
  })

  // In a user namespace the system's programs do not belong to root, so that some limits do not show.
  it('G11 each known limit that can be shown here gets through', (test) => {
    if (!box.isIsolated || !box.hasRoot || process.env.ARC_ADVERSARY_RUN === 'off') test.skip()
    expect(range.results.filter(isClosedLimit).map(describeResult)).toEqual([])
  })
})

function isFailure({ attempt, outcome }: Result): boolean {
  return attempt.knownLimit === undefined && outcome === outcome.toUpperCase()
}

// The threat model must not list what is closed.
function isClosedLimit({ attempt, outcome }: Result): boolean {
  return attempt.knownLimit !== undefined && (outcome === 'NOT-TRIED' || outcome !== outcome.toUpperCase())
}

// Some calls are megabytes long.
function shortened({ attempt, outcome, detail }: Result): object {
  const { id, expects, knownLimit } = attempt
  return { id, expects, knownLimit, outcome, detail }
}

function describeResult({ attempt, outcome, detail }: Result): string {
  return `${attempt.id}: ${outcome} ${detail}`.trim()
}
