// `arc approvals`: lists the steps that wait for approval, and answers them.

import { type AnswerSource, type Approval, type ApprovalServices, Approvals } from '../../approvals/approvals.ts'
import { announceInBackground } from '../../daemon/notify/background-announcer.ts'
import { recordEvent } from '../../hooks/pipeline-services.ts'
import { systemClock } from '../../platform/engine-services.ts'
import { arcHome } from '../../platform/home.ts'
import { newId } from '../../platform/ids.ts'
import { openStores } from '../../storage/open-stores.ts'
import { canonicalize } from '../../trace/canonical.ts'
import { heldStepLines, heldStepSummary } from '../approval-text.ts'
import colors from '../colors.ts'
import { confirm, requirePerson } from '../confirm.ts'
import { context } from '../context.ts'
import { openState } from '../home-stores.ts'
import { fromNow, info, oneLine, print, printJson, report } from '../output.ts'
import { findPending } from './approvals/find-pending.ts'

interface JsonOption {
  readonly json?: boolean
}

/** The options of `approve` and `deny`. */
export interface AnswerOptions extends JsonOption {
  /** A text for the agent. */
  readonly message?: string
}

/** Lists the pending approvals. */
export async function listApprovals({ json }: JsonOption): Promise<number> {
  return withApprovals((approvals) => {
    printPending(approvals.pending(), json === true)
    return 0
  })
}

/** Prints pending approvals. */
export function printPending(pending: readonly Approval[], isJson: boolean): void {
  if (isJson) printJson(pending.map(approvalJson))
  else if (pending.length === 0) info('Nothing waits for approval. Past approvals: arc logs --decision ask')
  else for (const line of pending.flatMap(approvalLines)) print(line)
}

function approvalLines(approval: Approval): string[] {
  const { preview } = approval.step
  const lines = [...heldStepLines(approval)]
  if (preview !== undefined) {
    lines.push(
      colors.yellow(`  Preview only: the arguments are ${preview.bytes} bytes long (SHA-256 ${preview.sha256}).`),
    )
  }
  return lines
}

/** Approves or denies a step, given its id or a unique prefix; without an id, the only step that waits. */
export async function answerApproval(
  given: string | undefined,
  word: 'approve' | 'deny',
  { json, message }: AnswerOptions,
): Promise<number> {
  const approval = withApprovals((approvals) => choosePending(given, approvals))
  const confirmed =
    word === 'deny'
      ? requirePerson('deny a step')
      : await confirm('approve a step', {
          show: () => info(approvalLines(approval).join('\n')),
          question: 'Approve exactly this step, once?',
        })
  if (confirmed === undefined) return 1
  const answered = answer(approval.id, word, { ...confirmed, message })
  if (json === true) printJson({ ...approvalJson(answered), status: answered.status })
  else printAnswer(answered)
  return 0
}

/** Prints the new status of an approval. */
export function printAnswer(approval: Approval): void {
  info(`${approval.status}: ${heldStepSummary(approval)}`)
  const { status, appliesTo, step, expiresAt } = approval
  if (status !== 'approved') return
  const where = step.workspace === undefined ? '' : ` in ${oneLine(step.workspace, 300)}`
  if (appliesTo === 'next') info(`The agent may now make the same call once${where}: it expires ${fromNow(expiresAt)}.`)
  if (appliesTo === 'prompt') info('The prompt of the agent stays open: answer it there too.')
}

// The answer is recorded at once, even if no process waits for it any more.
function answer(id: string, word: 'approve' | 'deny', source: AnswerSource): Approval {
  const { state, trace, close } = openStores(arcHome(), report)
  try {
    const record: ApprovalServices['record'] = (event) => recordEvent(trace, event, { time: Date.now() })
    const announcer = { home: arcHome(), program: context().program, report }
    const onChange = (approval: Approval): void => announceInBackground(approval, announcer)
    return new Approvals({ state, clock: systemClock, newId, canonicalize, record, onChange }).answer(id, word, source)
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

function choosePending(given: string | undefined, approvals: Approvals): Approval {
  return findPending(given, {
    pending: approvals.pending(),
    others: approvals.list().filter(({ status }) => status !== 'pending'),
  })
}

/** An approval as --json prints it. */
export function approvalJson({ id, step, reason, hook, createdAt, expiresAt }: Approval) {
  const times = { createdAt: new Date(createdAt).toISOString(), expiresAt: new Date(expiresAt).toISOString() }
  return { id, step, reason: reason ?? null, hook: hook ?? null, ...times }
}
