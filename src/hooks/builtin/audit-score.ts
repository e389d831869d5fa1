// Scores the final answer of an agent against the checklist for the risk of the turn. Flags an answer with a low score;
// in enforce a flag makes `runWithRetry` try again. In a turn with a blocked step the answer cannot say that the work is
// done, so nothing is flagged.

import * as z from 'zod'
import type { Step } from '../../engine/step.ts'
import type { StateStore } from '../../storage/ports.ts'
import { auditCompletion, CHECKLISTS, CHECKS, type CompletionAudit } from './audit.ts'
import { builtIn } from './built-in.ts'
import { INTENSITIES, type Intensity, readTurnRisk } from './turn-risk.ts'

const options = z.strictObject({
  minConfidence: z.number().min(0).max(1).default(0.4).describe('Answers below this confidence are flagged.'),
})

export const auditScore = builtIn<z.output<typeof options>>({
  name: 'audit-score',
  priority: 90,
  points: ['post:message', 'pre:turn:end', 'post:agent:complete'],
  summary: 'Scores whether the work is done, by the answer of the agent and the checklist of the turn.',
  critical: true,
  options,
  create({ minConfidence }, { state }) {
    return {
      check(step) {
        const { output } = step.data as { readonly output?: unknown }
        // Some hosts do not pass the answer.
        if (typeof output !== 'string') return undefined
        const checklistIntensity = readIntensity(state, step)
        const audit = auditCompletion(output, checklistIntensity)
        const metadata = { audit, auditConfidence: audit.confidence, checklistIntensity }
        if (readTurnRisk(state, step)?.hasBlock === true) {
          return { decision: 'pass', metadata: { ...metadata, auditOf: 'a turn with a blocked step' } }
        }
        const reason = describeGaps(audit, checklistIntensity, minConfidence)
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

function describeGaps(audit: CompletionAudit, intensity: Intensity, minConfidence: number): string | undefined {
  const { confidence, status, checksFailed, missingSteps, recommendation } = audit
  if (confidence < minConfidence) {
    const why = `${status}, confidence ${confidence}; failed checks: ${checksFailed.join(', ')}`
    return `The answer does not show that the work is done (${why}). Recommendation: ${recommendation}.`
  }
  if (!CHECKLISTS[intensity].flags || missingSteps.length === 0) return undefined
  const missing = missingSteps.map((check, index) => `(${index + 1}) ${CHECKS[check as keyof typeof CHECKS].says}`)
  return `The answer does not say ${missing.join(', ')}.`
}
