// `arc approvals`: what is held for a person, and the person's answer.

import { type AnswerSource, type Approval, type ApprovalServices, Approvals } from '../../approvals/approvals.ts'
import { recordEvent } from '../../hooks/pipeline-services.ts'
import { systemClock } from '../../platform/engine-services.ts'
import { arcHome } from '../../platform/home.ts'
import { newId } from '../../platform/ids.ts'
import { openStores } from '../../storage/open-stores.ts'
import { canonicalize } from '../../trace/canonical.ts'
import { heldStepLines, heldStepSummary } from '../approval-text.ts'
import colors from '../colors.ts'
import { confirm, requirePerson } from '../confirm.ts'
import { openState } from '../home-stores.ts'
import { print, printJson, report, tell } from '../output.ts'

interface JsonOption {
  readonly json?: boolean
}

/** Lists what waits for an answer. */
export async function listApprovals({ json }: JsonOption): Promise<number> {
  return withApprovals((approvals) => {
    printPending(approvals.pending(), json === true)
    return 0
  })
}

/** Prints the steps that wait. */
export function printPending(pending: readonly Approval[], isJson: boolean): void {
  if (isJson) printJson(pending.map(jsonOf))
  else if (pending.length === 0) tell('Nothing is held for a person. What was: arc logs --decision ask')
  else for (const line of pending.flatMap(linesOf)) print(line)
}

function linesOf(approval: Approval): string[] {
  const { preview } = approval.step
  const lines = [...heldStepLines(approval)]
  if (preview !== undefined) {
    lines.push(
      colors.yellow(`  This is a preview: the arguments are ${preview.bytes} bytes long. SHA-256 ${preview.sha256}`),
    )
  }
  return lines
}

/** Answers for one step, by its id or the beginning of it. */
export async function answerApproval(id: string, word: 'approve' | 'deny', { json }: JsonOption): Promise<number> {
  const approval = withApprovals((approvals) => approvals.open(findId(approvals, id)))
  const confirmed =
    word === 'deny'
      ? requirePerson('deny a step')
      : await confirm('approve a step', {
          show: () => tell(linesOf(approval).join('\n')),
          question: 'Let exactly this step happen, once?',
        })
  if (confirmed === undefined) return 1
  const answered = answer(approval.id, word, confirmed)
  if (json === true) printJson({ ...jsonOf(answered), status: answered.status })
  else printAnswer(answered)
  return 0
}

/** Prints what became of a step. */
export function printAnswer(approval: Approval): void {
  tell(`${approval.status}: ${heldStepSummary(approval)}`)
}

// With the record open: an answer is recorded when it is given, whether or not somebody waits for it.
function answer(id: string, word: 'approve' | 'deny', source: AnswerSource): Approval {
  const { state, trace, close } = openStores(arcHome(), report)
  try {
    const record: ApprovalServices['record'] = (event) => recordEvent(trace, event, { time: Date.now() })
    return new Approvals({ state, clock: systemClock, newId, canonicalize, record }).answer(id, word, source)
  } finally {
    close()
  }
}

function withApprovals<T>(work: (approvals: Approvals) => T): T {
  const { state, close } = openState()
  try {
    return work(new Approvals({ state, clock: systemClock, newId, canonicalize }))
  } finally {
    close()
  }
}

function findId(approvals: Approvals, given: string): string {
  const ids = approvals.pending().flatMap(({ id }) => (id.startsWith(given) ? [id] : []))
  return ids.length === 1 && ids[0] !== undefined ? ids[0] : given
}

/** An approval as --json prints it. */
export function jsonOf({ id, step, reason, hook, createdAt, expiresAt }: Approval) {
  const times = { createdAt: new Date(createdAt).toISOString(), expiresAt: new Date(expiresAt).toISOString() }
  return { id, step, reason: reason ?? null, hook: hook ?? null, ...times }
}
