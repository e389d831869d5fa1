// `arc approvals`: what is held for a person, and the person's answer.

import colors from 'picocolors'
import { systemClock } from '../../runtime/engine-services.ts'
import { arcHome } from '../../runtime/home.ts'
import { newId } from '../../runtime/ids.ts'
import { recordEvent } from '../../runtime/services.ts'
import { openStores } from '../../runtime/stores.ts'
import {
  type AnswerSource,
  type Approval,
  type ApprovalServices,
  Approvals,
  type HeldStep,
} from '../../supervision/approvals.ts'
import { canonicalize } from '../../trace/canonical.ts'
import { confirm, requirePerson } from '../confirm.ts'
import { openState } from '../kept.ts'
import { fromNow, oneLine, print, printJson, report, tell } from '../output.ts'

interface JsonOption {
  readonly json?: boolean
}

/** Lists what waits for an answer. */
export async function listApprovals({ json }: JsonOption): Promise<number> {
  return withApprovals((approvals) => {
    const pending = approvals.pending()
    if (json === true) printJson(pending.map(jsonOf))
    else if (pending.length === 0) tell('Nothing is held for a person. What was: arc logs --decision ask')
    else for (const approval of pending) printWhole(approval)
    return 0
  })
}

function printWhole(approval: Approval): void {
  printApproval(approval)
  const { preview } = approval.step
  if (preview === undefined) return
  print(colors.yellow(`  This is a preview: the arguments are ${preview.bytes} bytes long. SHA-256 ${preview.sha256}`))
}

/** Answers for one step, by its id or the beginning of it. */
export async function answerApproval(id: string, word: 'approve' | 'deny', { json }: JsonOption): Promise<number> {
  const approval = withApprovals((approvals) => approvals.open(findId(approvals, id)))
  const confirmed =
    word === 'deny'
      ? requirePerson('deny a step')
      : await confirm('approve a step', {
          show: () => onStderr(() => printWhole(approval)),
          question: 'Let exactly this step happen, once?',
        })
  if (confirmed === undefined) return 1
  const answered = answer(approval.id, word, confirmed)
  if (json === true) printJson({ ...jsonOf(answered), status: answered.status })
  else tell(`${answered.status}: ${actionOf(answered.step)}`)
  return 0
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

// What is asked about is shown where the question is.
function onStderr(show: () => void): void {
  const { write } = process.stdout
  process.stdout.write = process.stderr.write.bind(process.stderr) as typeof write
  try {
    show()
  } finally {
    process.stdout.write = write
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

function jsonOf({ id, step, reason, hook, createdAt, expiresAt }: Approval) {
  const times = { createdAt: new Date(createdAt).toISOString(), expiresAt: new Date(expiresAt).toISOString() }
  return { id, step, reason: reason ?? null, hook: hook ?? null, ...times }
}

// The whole of it: whoever says yes must have seen what it is said to.
function printApproval({ id, step, reason, hook, expiresAt }: Approval): void {
  print(`${colors.magenta('?')} ${colors.bold(id)}  ${step.point} ${step.tool ?? ''}  ends ${fromNow(expiresAt)}`)
  print(`  ${actionOf(step)}`)
  if (step.workspace !== undefined) print(colors.dim(`  in ${oneLine(step.workspace, WHOLE)}`))
  if (reason !== undefined) print(`  ${hook ?? 'held'}: ${oneLine(reason, WHOLE)}`)
}

const WHOLE = Number.POSITIVE_INFINITY

function actionOf({ args }: HeldStep): string {
  const { command } = (args ?? {}) as { readonly command?: unknown }
  return oneLine(typeof command === 'string' ? command : JSON.stringify(args), WHOLE)
}
