// Scores what an agent says at its end against the checklist that the risk of the turn calls for. Flags what is not
// convincing; in enforce a flag makes `runWithRetry` try again.

import * as z from 'zod'
import type { Step } from '../../engine/step.ts'
import type { StateStore } from '../../storage/ports.ts'
import { auditCompletion, CHECKLISTS, CHECKS, type CompletionAudit } from './audit.ts'
import { builtIn } from './built-in.ts'
import { INTENSITIES, type Intensity, readTurnRisk } from './turn-risk.ts'

const options = z.strictObject({
  minConfidence: z.number().min(0).max(1).default(0.4).describe('Below this an answer is flagged.'),
})

export const auditScore = builtIn<z.output<typeof options>>({
  name: 'audit-score',
  priority: 90,
  points: ['post:message', 'pre:turn:end', 'post:agent:complete'],
  summary: 'Scores whether an agent is done, by its own words and the checklist of the turn.',
  critical: true,
  options,
  create({ minConfidence }, { state }) {
    return {
      check(step) {
        const { output } = step.data as { readonly output?: unknown }
        // Hosts that do not pass the answer on leave nothing to score.
        if (typeof output !== 'string') return undefined
        const checklistIntensity = readIntensity(state, step)
        const audit = auditCompletion(output, checklistIntensity)
        const metadata = { audit, auditConfidence: audit.confidence, checklistIntensity }
        const reason = describeGaps(audit, checklistIntensity, minConfidence)
        return reason === undefined ? { decision: 'pass', metadata } : { decision: 'flag', reason, metadata }
      },
    }
  },
})

function readIntensity(state: StateStore, step: Step): Intensity {
  const kept = readTurnRisk(state, step)?.checklist
  const given = step.metadata.checklistIntensity
  const known = INTENSITIES.filter((intensity) => intensity === kept || intensity === given)
  return known.at(-1) ?? 'light'
}

function describeGaps(audit: CompletionAudit, intensity: Intensity, minConfidence: number): string | undefined {
  const { confidence, status, checksFailed, missingSteps, recommendation } = audit
  if (confidence < minConfidence) {
    const why = `${status}, confidence ${confidence}; not met: ${checksFailed.join(', ')}`
    return `the answer does not show that the work is done (${why}); ${recommendation}`
  }
  if (!CHECKLISTS[intensity].flags || missingSteps.length === 0) return undefined
  const asked = missingSteps.map((check) => CHECKS[check as keyof typeof CHECKS].asks).join('; ')
  return `after what this turn did, more is asked of its answer: ${asked}`
}
