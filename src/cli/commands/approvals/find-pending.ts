// Which pending approval a command means: by its id, a unique prefix, or as the only one.

import { type Approval, notPending } from '../../../approvals/approval.ts'
import { ArcError, show } from '../../../engine/errors.ts'
import { heldStepSummary } from '../../approval-text.ts'
import { info } from '../../output.ts'

/** The approvals to choose from. */
export interface ApprovalChoice {
  readonly pending: readonly Approval[]
  /** Approvals that are over, to say so. */
  readonly others?: readonly Approval[]
}

/** The pending approval of this id or prefix; without one, the only pending approval. Throws if there is not exactly one. */
export function findPending(given: string | undefined, { pending, others = [] }: ApprovalChoice): Approval {
  const found = given === undefined ? pending : matching(pending, given)
  const [first] = found
  if (first !== undefined && found.length === 1) return first
  if (first !== undefined) throw ambiguous(given, found)
  if (given === undefined) throw new ArcError('ARC_APPROVAL_UNKNOWN', 'No step waits for approval.')
  const [over, ...more] = matching(others, given)
  if (over !== undefined && more.length === 0) throw notPending(over)
  throw new ArcError('ARC_APPROVAL_UNKNOWN', `There is no approval ${show(given)}.`)
}

function matching(all: readonly Approval[], given: string): readonly Approval[] {
  const exact = all.filter(({ id }) => id === given)
  return exact.length > 0 || given === '' ? exact : all.filter(({ id }) => id.startsWith(given))
}

// The steps are listed first: the error alone would not help to choose.
function ambiguous(given: string | undefined, found: readonly Approval[]): ArcError {
  for (const approval of found) info(`${approval.id}  ${heldStepSummary(approval)}`)
  const what =
    given === undefined ? `${found.length} steps wait for approval` : `${show(given)} fits ${found.length} of them`
  return new ArcError('ARC_APPROVAL_AMBIGUOUS', `${what}; nothing was changed.`)
}
