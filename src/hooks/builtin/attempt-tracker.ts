// Limits the attempts of an agent in one turn. An attempt is an answer or the end of a turn; hosts report one or both, so
// both are counted and the higher count applies. The last allowed attempt passes and sets `shouldRetry: false`; the next
// message is blocked, unless a person wrote it: hosts without turn ids may call a whole session one turn.

import * as z from 'zod'
import type { Step } from '../../engine/step.ts'
import type { VerdictObject } from '../../engine/verdict.ts'
import type { StateStore } from '../../storage/ports.ts'
import { type Attempts, countAttempt, readAttempts } from './attempts.ts'
import { builtIn } from './built-in.ts'
import { readSource } from './source-classify.ts'

const options = z.strictObject({
  maxAttempts: z.int().min(1).max(1_000).default(3).describe('The most attempts per turn.'),
})

const COUNTED = ['post:message', 'pre:turn:end'] as const

export const attemptTracker = builtIn<z.output<typeof options>>({
  name: 'attempt-tracker',
  priority: 20,
  points: ['pre:message', ...COUNTED],
  summary: 'Counts attempts per session and turn, and blocks endless retries.',
  critical: true,
  options,
  create({ maxAttempts }, { state }) {
    return {
      check(step) {
        const attempts = countAttempts(state, step)
        if (attempts === undefined) return undefined
        if (step.point !== 'pre:message') return afterAttempt(attempts, maxAttempts)
        if (readSource(step) === 'human') return { decision: 'pass', metadata: buildMetadata(attempts, maxAttempts) }
        return beforeAttempt(attempts, maxAttempts)
      },
    }
  },
})

function countAttempts(state: StateStore, { point, session, turn }: Step): Attempts | undefined {
  if (session === undefined) return undefined
  const each = COUNTED.map((counted) => {
    const scope = { kind: `attempts:${counted}`, session, turn }
    return point === counted ? countAttempt(state, scope) : readAttempts(state, scope)
  })
  const inTurn = Math.max(...each.map((attempts) => attempts.turn ?? 0))
  return { turn: turn === undefined ? undefined : inTurn, session: Math.max(...each.map(({ session: all }) => all)) }
}

function beforeAttempt(attempts: Attempts, maxAttempts: number): VerdictObject {
  const { turn: count = 0 } = attempts
  const metadata = buildMetadata(attempts, maxAttempts)
  if (count < maxAttempts) return { decision: 'pass', metadata }
  return { decision: 'block', reason: `this turn had ${count} attempts; the limit is ${maxAttempts}`, metadata }
}

// At most a flag: blocking the end of a turn would make the turn continue.
function afterAttempt(attempts: Attempts, maxAttempts: number): VerdictObject {
  const { turn: count = 0 } = attempts
  const metadata = buildMetadata(attempts, maxAttempts)
  if (count <= maxAttempts) return { decision: 'pass', metadata }
  return { decision: 'flag', reason: `attempt ${count} in this turn; the limit is ${maxAttempts}`, metadata }
}

function buildMetadata({ turn, session }: Attempts, maxAttempts: number): Readonly<Record<string, unknown>> {
  // Without turn ids a retry cannot be recognised, so there is no limit.
  const shouldRetry = turn === undefined || turn < maxAttempts
  return { attemptCount: turn ?? session, sessionAttempts: session, maxAttempts, shouldRetry }
}
