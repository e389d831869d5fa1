// The two sockets of a managed daemon. Everyone may open the public one, and it answers hook calls, health and status only.
// Only the group of approvers may open the control socket. File permissions are the authentication: Node cannot ask the
// kernel who is at the other end.

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
import { modeOf } from '../../guard/managed.ts'

/** Where a managed daemon listens. */
export interface ManagedSockets {
  /** The folder of the sockets: owned by the daemon's user, writable for nobody else. */
  readonly run: string
  readonly socket: string
  readonly control: string
  /** The group of approvers. */
  readonly gid: number
}

/** Everyone may connect. */
const PUBLIC_MODE = 0o666
/** The daemon's user and the group of approvers may connect. */
const CONTROL_MODE = 0o660
/** Approvers may create files here, and nobody but the daemon may list or remove those of others. */
const PROOF_MODE = 0o1730

/** Opens both sockets. `listen` must make them without permissions for others; they are given here. */
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

// Whoever could write to the folder could put a socket of their own in the daemon's place.
function requireOwnFolder(run: string): void {
  let folder: number | undefined
  try {
    folder = openSync(run, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW)
    const stats = fstatSync(folder)
    if (stats.uid === process.getuid?.() && (stats.mode & 0o022) === 0) return
    const message = `${run} belongs to user ${stats.uid} with mode ${modeOf(stats)}; expected this daemon's user and 0755.`
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

const HOMES_KNOWN_MS = 60_000

/** What the process that a caller names tells about the caller. */
interface Caller {
  readonly callerPid: number | undefined
  readonly home: string | undefined
}

/**
 * Who calls, by the process that the caller names. It could name another one, but only one that runs: what is found is the
 * home of some account in any case. Processes of root and of the daemon are never taken for an agent.
 */
export class CallerAccounts {
  #homes: ReadonlyMap<number, string> = new Map()
  #readAt = Number.NEGATIVE_INFINITY

  /** The process and the home of its account; neither when there is no such process. */
  find(pid: number | undefined): Caller {
    const uid = pid === undefined ? undefined : statSync(`/proc/${pid}`, { throwIfNoEntry: false })?.uid
    if (uid === undefined) return { callerPid: undefined, home: undefined }
    if (performance.now() - this.#readAt > HOMES_KNOWN_MS) this.#read()
    const isSystem = uid === 0 || uid === process.getuid?.()
    return { callerPid: isSystem ? undefined : pid, home: this.#homes.get(uid) }
  }

  #read(): void {
    this.#readAt = performance.now()
    const rows = accounts().map(({ uid, home }) => [uid, home] as const)
    this.#homes = new Map(rows.filter(([, home]) => home.startsWith('/')))
  }
}

/** The name of an account; its number where the name is not in the file, as with directory services. */
export function findAccountName(uid: number): string {
  return accounts().find((account) => account.uid === uid)?.name ?? `uid ${uid}`
}

function accounts(): { readonly name: string; readonly uid: number; readonly home: string }[] {
  const lines = readFileSync('/etc/passwd', 'utf8').split('\n')
  return lines.map((line) => {
    const [name = '', , uid, , , home = ''] = line.split(':')
    return { name, uid: Number(uid), home }
  })
}

/** Where approvers prove who they are. */
export function proofFolder(run: string): string {
  return join(run, 'answers')
}

/** The header that names the proof. */
export const PROOF_HEADER = 'x-arc-proof'

/** What a proof must contain, so that a file made for something else is worth nothing. */
export function proofText(id: string, word: string): string {
  return `${word} ${id}\n`
}

/**
 * Who gives an answer: the owner of a file that the approver created for exactly this answer. The kernel sets the owner, so
 * it cannot be forged. Undefined when there is no such file.
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
    // Not there or not readable: no proof.
    return undefined
  } finally {
    if (file !== undefined) closeSync(file)
    rmSync(path, { force: true })
  }
}
