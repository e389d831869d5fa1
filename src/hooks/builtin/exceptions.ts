// The verdict of a hook after the exceptions of the user: looked for only where the verdict would hold or block the step.

import { describe } from '../../engine/errors.ts'
import type { VerdictObject } from '../../engine/verdict.ts'
import type { ExceptionRequest, SupervisionServices } from './services.ts'

/** Whether a verdict holds or blocks. */
export function isStopping({ decision }: Pick<VerdictObject, 'decision'>): boolean {
  return decision === 'ask' || decision === 'block'
}

/**
 * A verdict that holds or blocks, or what becomes of it by an exception. `rest` is the verdict without the findings: it
 * applies if all of them are allowed. A failure to look for exceptions allows nothing.
 */
export function applyExceptions(
  verdict: VerdictObject,
  request: ExceptionRequest,
  { findExceptions }: Pick<SupervisionServices, 'findExceptions'>,
  rest: 'pass' | 'flag' = 'pass',
): VerdictObject {
  if (findExceptions === undefined || !isStopping(verdict)) return verdict
  const { suggestion: _suggestion, ...plain } = verdict
  try {
    const answer = findExceptions(request)
    if (answer.is === 'not-allowed') return { ...verdict, metadata: { ...verdict.metadata, allow: answer.note } }
    if (answer.is === 'approved') {
      const by = answer.by === undefined ? '' : ` by ${answer.by}`
      const reason = `allowed once${by} (approval ${answer.approval}): ${verdict.reason ?? ''}`
      // The approval gate uses the approval, after every hook has agreed.
      return { ...plain, decision: 'ask', reason, metadata: { ...verdict.metadata, allow: answer.note } }
    }
    const names = answer.exceptions.map(({ id }) => id)
    const why = answer.exceptions.find(({ reason }) => reason !== undefined)?.reason ?? verdict.reason ?? ''
    const reason = `allowed by you: ${why} (exception ${names.join(', ')})`
    const { isExact } = answer
    return { ...plain, decision: rest, reason, metadata: { ...verdict.metadata, exceptions: names, isExact } }
  } catch (error) {
    return { ...verdict, metadata: { ...verdict.metadata, exceptionsNotRead: describe(error) } }
  }
}
