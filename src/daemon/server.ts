// A daemon: one app behind a socket, which needs no token since only its owner can open it, and a port on loopback.

import { chmodSync, rmSync } from 'node:fs'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { ArcError, describe } from '../engine/errors.ts'
import { newId } from '../platform/ids.ts'
import { openStores } from '../storage/open-stores.ts'
import { Anchoring } from './anchors.ts'
import { Admission, type AdmissionLimits } from './hook-call/admission.ts'
import { SupervisorPool } from './hook-call/supervisors.ts'
import { makeApp } from './http/app.ts'
import { Gate, readToken } from './http/auth.ts'
import { Door, type DoorLimits, PORT_LIMITS, SOCKET_LIMITS } from './http/connections.ts'
import { isSignedIn, listenerOf, serverOf, socketDoor } from './http/listeners.ts'
import { closeDoors, type ManagedDoors, openDoors, publicOnly } from './http/managed-sockets.ts'
import { HookDesk, withHookCalls } from './http/routes/hook.ts'
import { type App, type Service, WorkInHand } from './http/service.ts'
import { pulseOf } from './live/snapshot.ts'
import { Streams } from './live/stream.ts'
import { TraceFollower } from './live/trace-tail.ts'
import { trimLog } from './process/background.ts'
import { Usage, untilUseless } from './process/idle.ts'
import {
  clearPlace,
  clearStaleNote,
  findDaemon,
  isOurPlace,
  type Presence,
  takePlace,
  updatePlace,
} from './process/lifecycle.ts'
import { LASTING_MS, noteGoodStart, onDemandOf } from './process/on-demand.ts'
import { loginFile, socketFile } from './process/paths.ts'
import { ownProcess } from './process/pid-file.ts'
import { TaskDesk } from './task-service.ts'

/** How a daemon is started. */
export interface DaemonOptions {
  readonly home: string
  readonly version: string
  /** Another port is taken when none is set and the usual one is in use. */
  readonly port?: number | undefined
  /** The folder of the built dashboard, if there is one. */
  readonly dashboard?: string | undefined
  readonly report: (message: string) => void
  /** How long a stop waits for what is under way; 5 s unless set. */
  readonly finishMs?: number | undefined
  /** How much it takes on at once. */
  readonly intake?: AdmissionLimits | undefined
  /** Other limits for connections than the usual ones. */
  readonly doors?: Partial<DoorLimits> | undefined
  /** How often a reader of the stream must answer a ping. */
  readonly pingMs?: number | undefined
  /** Set on a managed machine: two more sockets, and callers choose no profile. */
  readonly managed?: ManagedDoors | undefined
  /** Set for one that a hook started: it ends when it is of no use any more. */
  readonly onDemand?: { /** A file of the program that runs. */ readonly program: string } | undefined
}

/** A daemon that runs. */
export interface Daemon {
  readonly url: string
  /** What programs show at the port. */
  readonly token: string
  readonly socket: string
  /** A link that opens the page signed in, once. For a person: whoever prints it has checked that. */
  newLoginUrl(openedBy: object): string
  /** Resolves, with the reason, when one that a hook started is of no use any more. */
  readonly useless: Promise<string>
  /** Finishes what is under way, then lets go of everything; safe to call twice. */
  stop(): Promise<void>
}

/** The port where it is looked for first. */
const USUAL_PORT = 4_747
const LOOPBACK = '127.0.0.1'
// What a socket's path may be long at most, on Linux and elsewhere.
const MAX_SOCKET_PATH = 103
const FINISH_MS = 5_000
const STARTING_MS = 10_000
const LOOK_MS = 50
// For steps that were held, to be answered with a no.
const GIVE_UP_MS = 2_000

/** Starts a daemon; or says who runs already, or that a person wants none. */
export async function startDaemon(options: DaemonOptions): Promise<Daemon | Presence> {
  const { home } = options
  const token = readToken(home)
  const present = await takeHome(home, options.onDemand !== undefined)
  if (present !== undefined) return present
  // Looked at with the place taken: whoever stops it meanwhile either is seen here, or finds this process and ends it.
  if (options.onDemand !== undefined && isStopped(options)) {
    clearPlace(home)
    return { is: 'absent' }
  }
  try {
    return await serve(options, token)
  } catch (error) {
    clearPlace(home)
    throw error
  }
}

function isStopped({ home, report }: DaemonOptions): boolean {
  const stores = openStores(home, report)
  try {
    return onDemandOf(stores.state, Date.now()).is === 'stopped'
  } finally {
    stores.close()
  }
}

// The place of one that died is taken; of two who start at once, one gets it.
async function takeHome(home: string, isOnDemand: boolean): Promise<Presence | undefined> {
  const note = { ...ownProcess(), startedAt: Date.now(), isOnDemand }
  for (const until = Date.now() + STARTING_MS; Date.now() < until; await sleep(LOOK_MS)) {
    const presence = await findDaemon(home)
    // One that has only just begun will answer soon.
    const isStarting = presence.is === 'silent' && Math.abs(Date.now() - presence.note.startedAt) < STARTING_MS
    if (isStarting) continue
    if (presence.is !== 'absent') return presence
    if (takePlace(home, note)) return undefined
    // A note without a living process behind it.
    if ((await findDaemon(home)).is === 'absent') clearStaleNote(home)
  }
  throw new ArcError('ARC_DAEMON_FAILED', 'Another daemon starts at this moment.')
}

async function serve(options: DaemonOptions, token: string): Promise<Daemon> {
  const { home, version, report } = options
  const startedAt = performance.now()
  const held = new AbortController()
  const gate = new Gate(token)
  const pool = new SupervisorPool(home, report)
  const work = new WorkInHand()
  const trace = async () => (await pool.find(undefined, undefined)).trace
  const follower = new TraceFollower({ home, report, trace })
  const tasks = new TaskDesk({ home, pool, work, report })
  const socket = socketFile(home)
  let url: string | undefined
  const newLoginUrl = (openedBy: object): string => `${url}/login?code=${gate.newCode(openedBy).code}`
  const service: Service = {
    ...{ home, version, pool, gate, work, tasks, follower, socket, signal: held.signal },
    intake: new Admission(options.intake),
    url: () => url,
    managed: options.managed,
    loginUrl: () => (url === undefined ? undefined : newLoginUrl({ channel: 'control-socket' })),
    uptimeMs: () => Math.round(performance.now() - startedAt),
  }
  const hooks = new HookDesk(service, report)
  const app = makeApp(service, { dashboard: options.dashboard, hooks, report })
  const pulse = async () => pulseOf(service, await pool.find(undefined, undefined))
  const streams = new Streams({ gate, version, follower, report, trace, pulse, pingMs: options.pingMs })
  const usage = new Usage()
  const { local, remote } = makeServers({ app, hooks, usage, streams }, gate, options.doors)
  const port = await listenOnPort(remote, options.port)
  gate.port = port
  url = `http://${LOOPBACK}:${port}`
  await listenOnSocket(local, socket)
  const doors = options.managed === undefined ? [] : await openManaged(options.managed, { app, hooks, usage, streams })
  const isOnDemand = options.onDemand !== undefined
  updatePlace(home, { ...ownProcess(), url, startedAt: Date.now(), isOnDemand })
  // Also makes the supervisor that most calls need.
  await note(pool, 'daemon:start', `version ${version} as process ${process.pid} at ${url}`, report)
  tasks.watch()
  const anchoring = new Anchoring({ home, pool, report })
  const useless = watchUse(options, { pool, usage, work })
  const stop = once(async () => {
    useless.stop()
    streams.close()
    follower.close()
    await closeServers([local, remote, ...doors], work, held, options.finishMs)
    await tasks.close()
    await note(pool, 'daemon:stop', `process ${process.pid} after ${service.uptimeMs()} ms`, report)
    // One that others keep ending is not to be started again and again.
    if (!isOnDemand) await noteLasting(pool, report)
    await anchoring.stop()
    await pool.close()
    rmSync(loginFile(home), { force: true })
    if (isOurPlace(home)) clearPlace(home)
    if (options.managed !== undefined) closeDoors(options.managed)
  })
  return { url, token, newLoginUrl, socket, useless: useless.why, stop }
}

interface Routes {
  readonly app: App
  readonly hooks: HookDesk
  readonly usage: Usage
  readonly streams: Streams
}

function makeServers(
  { app, hooks, usage, streams }: Routes,
  gate: Gate,
  limits: Partial<DoorLimits> | undefined,
): { readonly local: Server; readonly remote: Server } {
  const socketOwn = new Door({ ...SOCKET_LIMITS, ...limits }, () => true)
  const port = new Door({ ...PORT_LIMITS, ...limits }, ({ headers }) => isSignedIn(gate, headers))
  const local = serverOf(withHookCalls(hooks, listenerOf(app, true)), usage, socketOwn)
  const remote = serverOf(listenerOf(app, false), usage, port)
  streams.serve(local, { isLocal: true })
  streams.serve(remote, { isLocal: false })
  return { local, remote }
}

// The public socket has no stream: the record is for approvers.
async function openManaged(doors: ManagedDoors, { app, hooks, usage, streams }: Routes): Promise<readonly Server[]> {
  const publicServer = serverOf(publicOnly(withHookCalls(hooks, listenerOf(app, true))), usage, socketDoor())
  const controlServer = serverOf(withHookCalls(hooks, listenerOf(app, true, 'control')), usage, socketDoor())
  streams.serve(controlServer, { isLocal: true })
  await openDoors(doors, { publicServer, controlServer }, listenOnSocket)
  return [publicServer, controlServer]
}

interface InUse {
  readonly pool: SupervisorPool
  readonly usage: Usage
  readonly work: WorkInHand
}

// One that a person started goes on until a person ends it.
function watchUse({ home, onDemand, report }: DaemonOptions, { pool, usage, work }: InUse) {
  if (onDemand === undefined) return { why: new Promise<string>(() => undefined), stop: () => undefined }
  const idleMs = async (): Promise<number> => (await pool.find(undefined, undefined)).config.daemon.idleMs
  const lasting = setTimeout(() => void noteLasting(pool, report), LASTING_MS).unref()
  const { why, stop } = untilUseless({ home, usage, work, idleMs, ...onDemand, onLook: () => trimLog(home) })
  return {
    why: why.then(async (reason) => {
      await noteLasting(pool, report)
      return reason
    }),
    stop: () => {
      clearTimeout(lasting)
      stop()
    },
  }
}

// It lasts, or ends by itself: the next hook need not wait before it starts another.
async function noteLasting(pool: SupervisorPool, report: DaemonOptions['report']): Promise<void> {
  try {
    noteGoodStart((await pool.find(undefined, undefined)).state)
  } catch (error) {
    report(`That it lasted could not be noted: ${describe(error)}`)
  }
}

// A daemon without a record runs all the same.
async function note(pool: SupervisorPool, action: string, reason: string, report: DaemonOptions['report']) {
  try {
    const { trace, config } = await pool.find(undefined, undefined)
    const when = { id: newId(), time: Date.now(), profile: config.profile }
    trace.append({ ...when, component: 'daemon', action, level: 'info', reason })
  } catch (error) {
    report(`The record could not be written: ${describe(error)}`)
  }
}

async function listenOnPort(server: Server, wanted: number | undefined): Promise<number> {
  try {
    await listen(server, { host: LOOPBACK, port: wanted ?? USUAL_PORT })
  } catch (error) {
    const isTaken = (error as NodeJS.ErrnoException).code === 'EADDRINUSE'
    if (wanted !== undefined || !isTaken) {
      throw new ArcError('ARC_DAEMON_FAILED', `The port ${wanted ?? USUAL_PORT} cannot be used: ${describe(error)}.`)
    }
    await listen(server, { host: LOOPBACK, port: 0 })
  }
  return (server.address() as AddressInfo).port
}

// Made without rights for others from the start: between listening and chmod somebody could get in.
async function listenOnSocket(server: Server, path: string): Promise<void> {
  if (Buffer.byteLength(path) > MAX_SOCKET_PATH) {
    const message = `The path of the socket is too long for this system (${Buffer.byteLength(path)} bytes): ${path}.`
    throw new ArcError('ARC_DAEMON_FAILED', message)
  }
  // Nobody answers there: it was left behind.
  rmSync(path, { force: true })
  const before = process.umask(0o177)
  try {
    await listen(server, { path })
  } finally {
    process.umask(before)
  }
  chmodSync(path, 0o600)
}

function listen(server: Server, where: { host: string; port: number } | { path: string }): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(where, () => {
      server.removeListener('error', reject)
      resolve()
    })
  })
}

// No new work, then the work in hand, then whatever waits for a person.
async function closeServers(
  servers: readonly Server[],
  work: WorkInHand,
  held: AbortController,
  finishMs = FINISH_MS,
): Promise<void> {
  for (const server of servers) {
    server.close()
    server.closeIdleConnections()
  }
  await work.finish(finishMs)
  held.abort()
  await work.finish(GIVE_UP_MS)
  // Answers go out before their connections are cut.
  await new Promise((resolve) => setImmediate(resolve))
  for (const server of servers) server.closeIdleConnections()
  await new Promise((resolve) => setTimeout(resolve, 20))
  for (const server of servers) server.closeAllConnections()
}

function once(work: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined
  return () => {
    done ??= work()
    return done
  }
}
