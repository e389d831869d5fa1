// `arc approvals` on a managed machine, for members of the approver group: over the control socket.

import { randomBytes } from 'node:crypto'
import { chmodSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Approval } from '../../../approvals/approvals.ts'
import { formatProof, PROOF_HEADER, proofFolder } from '../../../daemon/http/managed-sockets.ts'
import { ArcError, describe } from '../../../engine/errors.ts'
import type { ManagedInstall } from '../../../guard/managed-install.ts'
import { managedForOthers } from '../../managed-access.ts'
import { requestManaged } from '../../managed-client.ts'
import { printJson } from '../../output.ts'
import { type AnswerOptions, approvalJson, printAnswer, printPending } from '../approvals.run.ts'
import { findPending } from './find-pending.ts'

interface JsonOption {
  readonly json?: boolean
}

/** Lists the pending approvals. */
export async function listApprovals({ json }: JsonOption): Promise<number> {
  printPending(await fetchPending(requireManaged()), json === true)
  return 0
}

/** Approves or denies a step, given its id or a unique prefix; without an id, the only step that waits. */
export async function answerApproval(
  given: string | undefined,
  word: 'approve' | 'deny',
  { json, message }: AnswerOptions,
): Promise<number> {
  const managed = requireManaged()
  const { id } = findPending(given, { pending: await fetchPending(managed) })
  const query = message === undefined ? '' : `?message=${encodeURIComponent(message)}`
  const approval = await withProof(managed, formatProof(id, word), (proof) =>
    requestManaged({
      socket: managed.control,
      method: 'POST',
      path: `/v1/control/approvals/${encodeURIComponent(id)}/${word}${query}`,
      headers: { [PROOF_HEADER]: proof },
    }),
  )
  const answered = approval as Approval
  if (json === true) printJson({ ...approvalJson(answered), status: answered.status })
  else printAnswer(answered)
  return 0
}

async function fetchPending({ control }: ManagedInstall): Promise<readonly Approval[]> {
  return (await requestManaged({ socket: control, path: '/v1/control/approvals' })) as readonly Approval[]
}

// The proof is a file of this account: the kernel sets its owner, so the daemon knows who answered.
async function withProof<T>(
  { run, group }: ManagedInstall,
  text: string,
  work: (name: string) => Promise<T>,
): Promise<T> {
  const name = randomBytes(16).toString('hex')
  const path = join(proofFolder(run), name)
  try {
    writeFileSync(path, text, { flag: 'wx' })
    chmodSync(path, 0o644)
  } catch (error) {
    throw new ArcError('ARC_MANAGED', `Only members of ${group} may answer approvals: ${describe(error)}.`)
  }
  try {
    return await work(name)
  } finally {
    rmSync(path, { force: true })
  }
}

function requireManaged(): ManagedInstall {
  const managed = managedForOthers()
  if (managed === undefined) throw new ArcError('ARC_MANAGED', 'This machine is no longer managed.')
  return managed
}
