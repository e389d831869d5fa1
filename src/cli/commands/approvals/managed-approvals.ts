// `arc approvals` on a managed machine, for members of the group of approvers: over the control socket.

import { randomBytes } from 'node:crypto'
import { chmodSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Approval } from '../../../approvals/approvals.ts'
import { formatProof, PROOF_HEADER, proofFolder } from '../../../daemon/http/managed-sockets.ts'
import { ArcError, describe } from '../../../engine/errors.ts'
import type { ManagedInstall } from '../../../guard/managed-install.ts'
import { managedForOthers } from '../../managed-access.ts'
import { askManaged } from '../../managed-client.ts'
import { printJson } from '../../output.ts'
import { jsonOf, printAnswer, printPending } from '../approvals.run.ts'

interface JsonOption {
  readonly json?: boolean
}

/** Lists what waits for an answer. */
export async function listApprovals({ json }: JsonOption): Promise<number> {
  printPending(await pendingOf(here()), json === true)
  return 0
}

/** Answers for one step, by its id or the beginning of it. */
export async function answerApproval(given: string, word: 'approve' | 'deny', { json }: JsonOption): Promise<number> {
  const managed = here()
  const ids = (await pendingOf(managed)).flatMap(({ id }) => (id.startsWith(given) ? [id] : []))
  const id = ids.length === 1 && ids[0] !== undefined ? ids[0] : given
  const approval = await withProof(managed, formatProof(id, word), (proof) =>
    askManaged({
      socket: managed.control,
      method: 'POST',
      path: `/v1/control/approvals/${encodeURIComponent(id)}/${word}`,
      headers: { [PROOF_HEADER]: proof },
    }),
  )
  const answered = approval as Approval
  if (json === true) printJson({ ...jsonOf(answered), status: answered.status })
  else printAnswer(answered)
  return 0
}

async function pendingOf({ control }: ManagedInstall): Promise<readonly Approval[]> {
  return (await askManaged({ socket: control, path: '/v1/control/approvals' })) as readonly Approval[]
}

// A file of this account tells the daemon whose answer it is: the kernel sets the owner.
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
    throw new ArcError('ARC_MANAGED', `Only members of ${group} may answer: ${describe(error)}.`)
  }
  try {
    return await work(name)
  } finally {
    rmSync(path, { force: true })
  }
}

function here(): ManagedInstall {
  const managed = managedForOthers()
  if (managed === undefined) throw new ArcError('ARC_MANAGED', 'This machine is not managed any more.')
  return managed
}
