// Scores the final answer of an agent against the checklist for the risk of the turn. Flags an answer with a low score; in
// enforce such an answer makes the agent continue with the reasons, at most `maxAttempts` times per turn. In a turn with a
// blocked step the answer cannot say that the work is done, so nothing is flagged.

import * as z from 'zod'
import type { Step } from '../../engine/step.ts'
import type { VerdictObject } from '../../engine/verdict.ts'
import type { StateStore } from '../../storage/ports.ts'
import { auditCompletion, CHECKLISTS, CHECKS, type CompletionAudit } from './audit.ts'
import { builtIn } from './built-in.ts'
import { limitContinues } from './turn-limit.ts'
import { INTENSITIES, type Intensity, NO_RISK, readTurnRisk, turnRiskKey } from './turn-risk.ts'

const options = z.strictObject({
  minConfidence: z.number().min(0).max(1).default(0.4).describe('Answers below this confidence are flagged.'),
  maxAttempts: z
    .int()
    .min(0)
    .max(100)
    .default(3)
    .describe('How often such an answer makes one turn continue in enforce; then the turn ends, marked as capped.'),
})

export const auditScore = builtIn<z.output<typeof options>>({
  name: 'audit-score',
  priority: 90,
  points: ['post:message', 'pre:turn:end', 'post:agent:complete'],
  summary: 'Scores whether the work is done, by the answer of the agent and the checklist of the turn.',
  critical: true,
  options,
  create({ minConfidence, maxAttempts }, { state }) {
    return {
      check(step, { mode }) {
        const { output } = step.data as { readonly output?: unknown }
        // Some hosts do not pass the answer.
        if (typeof output !== 'string') return undefined
        const checklistIntensity = readIntensity(state, step)
        const audit = auditCompletion(output, checklistIntensity)
        const metadata = { audit, auditConfidence: audit.confidence, checklistIntensity }
        if (readTurnRisk(state, step)?.hasBlock === true) {
          return { decision: 'pass', metadata: { ...metadata, auditOf: 'a turn with a blocked step' } }
        }
        const retry = audit.confidence < minConfidence ? describeRetry(audit) : undefined
        if (retry !== undefined && mode === 'enforce' && step.point === 'pre:turn:end' && step.session !== undefined) {
          return addMetadata(sendOn(state, step, retry, maxAttempts), metadata)
        }
        const reason = retry ?? describeGaps(audit, checklistIntensity)
        return reason === undefined ? { decision: 'pass', metadata } : { decision: 'flag', reason, metadata }
      },
    }
  },
})

function readIntensity(state: StateStore, step: Step): Intensity {
  const stored = readTurnRisk(state, step)?.checklist
  const given = step.metadata.checklistIntensity
  const known = INTENSITIES.filter((intensity) => intensity === stored || intensity === given)
  return known.at(-1) ?? 'light'
}

// The turn continues with the reason, until it had all its attempts.
function sendOn(state: StateStore, step: Step, reason: string, max: number): VerdictObject {
  const { continues } = step.data as { readonly continues?: unknown }
  const key = step.session === undefined ? undefined : turnRiskKey(step.session, step.turn)
  const byHost = typeof continues === 'number' ? continues : 0
  const released = limitContinues({ state, key, initial: NO_RISK, continues: byHost, max }, reason)
  return released ?? { decision: 'block', reason }
}

function addMetadata(verdict: VerdictObject, metadata: Readonly<Record<string, unknown>>): VerdictObject {
  return { ...verdict, metadata: { ...metadata, ...verdict.metadata } }
}

function describeRetry({ confidence, status, checksFailed, recommendation }: CompletionAudit): string {
  const why = `${status}, confidence ${confidence}; failed checks: ${checksFailed.join(', ')}`
  return `The answer does not show that the work is done (${why}). Recommendation: ${recommendation}.`
}

function describeGaps({ missingSteps }: CompletionAudit, intensity: Intensity): string | undefined {
  if (!CHECKLISTS[intensity].flags || missingSteps.length === 0) return undefined
  const missing = missingSteps.map((check, index) => `(${index + 1}) ${CHECKS[check as keyof typeof CHECKS].says}`)
  return `The answer does not say ${missing.join(', ')}.`
}
