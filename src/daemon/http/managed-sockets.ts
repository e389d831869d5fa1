// The two sockets of a managed daemon. Every user may open the public socket, for hook calls, health and status only.
// Only the group of approvers may open the control socket. File permissions are the authentication: Node cannot read the
// peer's credentials from the kernel.

import {
  chmodSync,
  chownSync,
  closeSync,
  constants,
  fstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
} from 'node:fs'
import type { RequestListener, Server } from 'node:http'
import { join } from 'node:path'
import { ArcError, describe } from '../../engine/errors.ts'
import { formatMode } from '../../guard/managed-install.ts'

/** The sockets of a managed daemon. */
export interface ManagedSockets {
  /** The folder of the sockets: owned by the daemon's user and writable only for that user. */
  readonly run: string
  readonly socket: string
  readonly control: string
  /** The group of approvers. */
  readonly gid: number
}

/** Every user may connect. */
const PUBLIC_MODE = 0o666
/** The daemon's user and the group of approvers may connect. */
const CONTROL_MODE = 0o660
/** Approvers may create files here; only the daemon may list or remove files of others. */
const PROOF_MODE = 0o1730

/** Opens both sockets. `listen` must create them without permissions for others; this function grants those. */
export async function openManagedSockets(
  sockets: ManagedSockets,
  { publicServer, controlServer }: { readonly publicServer: Server; readonly controlServer: Server },
  listen: (server: Server, path: string) => Promise<void>,
): Promise<void> {
  requireOwnFolder(sockets.run)
  const uid = process.getuid?.() ?? -1
  try {
    const proofs = proofFolder(sockets.run)
    rmSync(proofs, { recursive: true, force: true })
    mkdirSync(proofs, { mode: 0o700 })
    chownSync(proofs, uid, sockets.gid)
    chmodSync(proofs, PROOF_MODE)
    await listen(controlServer, sockets.control)
    chownSync(sockets.control, uid, sockets.gid)
    chmodSync(sockets.control, CONTROL_MODE)
    await listen(publicServer, sockets.socket)
    chmodSync(sockets.socket, PUBLIC_MODE)
  } catch (error) {
    throw new ArcError('ARC_DAEMON_FAILED', `The sockets in ${sockets.run} cannot be opened: ${describe(error)}.`)
  }
}

/** Removes both sockets. */
export function removeManagedSockets({ run, socket, control }: ManagedSockets): void {
  for (const path of [socket, control, proofFolder(run)]) rmSync(path, { recursive: true, force: true })
}

// A user who can write to the folder could replace the daemon's socket.
function requireOwnFolder(run: string): void {
  let folder: number | undefined
  try {
    folder = openSync(run, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW)
    const stats = fstatSync(folder)
    if (stats.uid === process.getuid?.() && (stats.mode & 0o022) === 0) return
    const message = `${run} belongs to user ${stats.uid} with mode ${formatMode(stats)}; expected this daemon's user and 0755.`
    throw new ArcError('ARC_DAEMON_FAILED', message)
  } catch (error) {
    if (error instanceof ArcError) throw error
    const message = `The folder ${run} cannot be used: ${describe(error)}. Start the daemon as root, which creates it.`
    throw new ArcError('ARC_DAEMON_FAILED', message)
  } finally {
    if (folder !== undefined) closeSync(folder)
  }
}

// Names begin with a letter or digit: `..` in an address would lead to another route.
const NAME = '\\w[\\w.:-]*'
const PUBLIC_ROUTES = new RegExp(
  `^(?:GET /health|GET /v1/status|POST /v1/hook/${NAME}(?:/${NAME})?|POST /v1/hook/${NAME}/-|GET /v1/hook-answer/\\w+)$`,
)

const REFUSED = JSON.stringify({
  error: {
    code: 'ARC_PUBLIC_SOCKET',
    message: 'This socket answers hook calls, health and status only; everything else takes the control socket.',
  },
})

/** Lets the public routes through, exactly as written; refuses everything else. */
export function publicOnly(routes: RequestListener): RequestListener {
  return (request, response) => {
    if (PUBLIC_ROUTES.test(`${request.method} ${request.url}`)) return void routes(request, response)
    response.writeHead(403, { 'content-type': 'application/json', connection: 'close' }).end(REFUSED)
  }
}

const ACCOUNTS_TTL_MS = 60_000

/** The caller's process and home. */
interface Caller {
  readonly callerPid: number | undefined
  readonly home: string | undefined
}

/**
 * Finds the account of a caller by the pid that the caller names. A caller can name another pid, but only of a running
 * process: the result is always the home of an account. Processes of root and of the daemon are never agents.
 */
export class CallerAccounts {
  #homes: ReadonlyMap<number, string> = new Map()
  #readAt = Number.NEGATIVE_INFINITY

  /** The process and the home of its account; neither if there is no such process. */
  find(pid: number | undefined): Caller {
    const uid = pid === undefined ? undefined : statSync(`/proc/${pid}`, { throwIfNoEntry: false })?.uid
    if (uid === undefined) return { callerPid: undefined, home: undefined }
    if (performance.now() - this.#readAt > ACCOUNTS_TTL_MS) this.#read()
    const isSystem = uid === 0 || uid === process.getuid?.()
    return { callerPid: isSystem ? undefined : pid, home: this.#homes.get(uid) }
  }

  #read(): void {
    this.#readAt = performance.now()
    const rows = readAccounts().map(({ uid, home }) => [uid, home] as const)
    this.#homes = new Map(rows.filter(([, home]) => home.startsWith('/')))
  }
}

/** The name of an account; its uid if /etc/passwd does not have the name, as with directory services. */
export function findAccountName(uid: number): string {
  return readAccounts().find((account) => account.uid === uid)?.name ?? `uid ${uid}`
}

function readAccounts(): { readonly name: string; readonly uid: number; readonly home: string }[] {
  const lines = readFileSync('/etc/passwd', 'utf8').split('\n')
  return lines.map((line) => {
    const [name = '', , uid, , , home = ''] = line.split(':')
    return { name, uid: Number(uid), home }
  })
}

/** The folder of the proofs of approvers. */
export function proofFolder(run: string): string {
  return join(run, 'answers')
}

/** The header that names the proof. */
export const PROOF_HEADER = 'x-arc-proof'

/** The required content of a proof: a file that was created for another purpose is no proof. */
export function formatProof(id: string, word: string): string {
  return `${word} ${id}\n`
}

/**
 * The uid of the approver: the owner of a file that the approver created for exactly this answer. The kernel sets the owner,
 * so it cannot be forged. Undefined without such a file.
 */
export function readProof(run: string, name: string | undefined, expected: string): number | undefined {
  if (name === undefined || !/^[0-9a-f]{32}$/.test(name)) return undefined
  const path = join(proofFolder(run), name)
  let file: number | undefined
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    const stats = fstatSync(file)
    const isProof = stats.isFile() && stats.nlink === 1 && stats.size <= 200
    return isProof && readFileSync(file, 'utf8') === expected ? stats.uid : undefined
  } catch {
    // Missing or not readable: no proof.
    return undefined
  } finally {
    if (file !== undefined) closeSync(file)
    rmSync(path, { force: true })
  }
}
