// A daemon: one HTTP app behind a Unix socket and a port on loopback. The socket needs no token: only its owner can open it.

import { existsSync, rmSync } from 'node:fs'
import type { Server } from 'node:http'
import type { Server as NetServer } from 'node:net'
import { describe } from '../engine/errors.ts'
import { newId } from '../platform/ids.ts'
import { openStores } from '../storage/open-stores.ts'
import { AnchorSender } from './anchor-sender.ts'
import { Admission, type AdmissionLimits } from './hook-call/admission.ts'
import { SupervisorPool } from './hook-call/supervisor-pool.ts'
import { makeApp } from './http/app.ts'
import { Authenticator, loadToken } from './http/auth.ts'
import { type ConnectionLimits, Connections, PORT_LIMITS, SOCKET_LIMITS } from './http/connections.ts'
import {
  closeServers,
  createHttpServer,
  createListener,
  createSocketConnections,
  isSignedIn,
  LOOPBACK,
  listenAgain,
  listenOnPort,
  listenOnSocket,
} from './http/listeners.ts'
import { type ManagedSockets, openManagedSockets, publicOnly, removeManagedSockets } from './http/managed-sockets.ts'
import { HookEndpoint, withHookCalls } from './http/routes/hook.ts'
import type { HttpApp, Service } from './http/service.ts'
import { buildOverview } from './live/overview.ts'
import { Streams } from './live/stream.ts'
import { TraceTail } from './live/trace-tail.ts'
import { Announcer } from './notify/announcer.ts'
import type { InstalledBuild } from './process/build.ts'
import { Usage } from './process/idle.ts'
import { InFlight } from './process/in-flight.ts'
import { claimHome, type DaemonPresence, ownsPidFile, removeRunFiles, updatePidFile } from './process/lifecycle.ts'
import { type Ending, watchLifetime } from './process/lifetime.ts'
import { readOnDemandState, recordGoodStart, STABLE_MS } from './process/on-demand.ts'
import { loginFile, socketFile } from './process/paths.ts'
import { currentProcess } from './process/pid-file.ts'
import type { RunFilesOptions } from './process/run-files.ts'
import { RetentionSchedule } from './retention-schedule.ts'
import { TaskService } from './task-service.ts'
import { TraceScrub } from './trace-scrub.ts'

/** How to start a daemon. */
export interface DaemonOptions {
  readonly home: string
  readonly version: string
  /** Default: 4747, or a free port if 4747 is in use. */
  readonly port?: number | undefined
  /** The folder of the built dashboard, if there is one. */
  readonly dashboard?: string | undefined
  readonly report: (message: string) => void
  /** How long a stop waits for the work in flight; default 5 s. */
  readonly finishMs?: number | undefined
  /** How many calls and bytes are accepted at once. */
  readonly admission?: AdmissionLimits | undefined
  /** Limits for connections that differ from the defaults. */
  readonly connectionLimits?: Partial<ConnectionLimits> | undefined
  /** How often a reader of the stream must answer a ping. */
  readonly pingMs?: number | undefined
  /** When retention first runs. */
  readonly retentionMs?: number | undefined
  /** Set on a managed machine: two more sockets, and callers choose no profile. */
  readonly managed?: ManagedSockets | undefined
  /** Set for a daemon that a hook started: it ends when it is idle. */
  readonly onDemand?: { /** A file of the running program. */ readonly program: string } | undefined
  /** The build of the running program, if it is known. */
  readonly build?: InstalledBuild | undefined
  /** Without a terminal: the daemon is replaced when another build is installed. */
  readonly isBackground?: boolean | undefined
  /** How often the files of the daemon are checked; default 2 s. */
  readonly checkMs?: number | undefined
}

/** A running daemon. */
export interface Daemon {
  readonly url: string
  /** The token for programs that use the port. */
  readonly token: string
  readonly socket: string
  /** A link that opens the page signed in, once. The caller has checked that a person asked for it. */
  newLoginUrl(openedBy: object): string
  /** Resolves when the daemon should end without a signal. */
  readonly ended: Promise<Ending>
  /** Finishes the work in flight, then releases everything; safe to call twice. */
  stop(): Promise<void>
}

type Report = DaemonOptions['report']

const FINISH_MS = 5_000

/** Starts a daemon. Returns the presence of the running daemon instead, or `absent` when a person stopped the daemon. */
export async function startDaemon(options: DaemonOptions): Promise<Daemon | DaemonPresence> {
  const { home } = options
  const token = loadToken(home)
  const present = await claimHome(home, { isOnDemand: options.onDemand !== undefined })
  if (present !== undefined) return present
  // Checked after the claim: a stop at this moment is either seen here, or finds this process and ends it.
  if (options.onDemand !== undefined && isStopped(options)) {
    removeRunFiles(home)
    return { is: 'absent' }
  }
  try {
    return await serve(options, token)
  } catch (error) {
    removeRunFiles(home)
    throw error
  }
}

function isStopped({ home, report }: DaemonOptions): boolean {
  const stores = openStores(home, report)
  try {
    return readOnDemandState(stores.state, Date.now()).is === 'stopped'
  } finally {
    stores.close()
  }
}

async function serve(options: DaemonOptions, token: string): Promise<Daemon> {
  const { home, version, report, managed, onDemand, build } = options
  const stopping = new AbortController()
  const address: { url?: string } = {}
  const service = createService(options, { token, address, signal: stopping.signal })
  const { pool, auth, inFlight, tasks, traceTail, socket } = service
  const routes = createRoutes(service, options)
  const { local, remote } = createServers(routes, auth, options.connectionLimits)
  const port = await listenOnPort(remote, options.port)
  auth.port = port
  const url = `http://${LOOPBACK}:${port}`
  address.url = url
  await listenOnSocket(local, socket)
  const managedServers = managed === undefined ? [] : await openManaged(managed, routes)
  const isOnDemand = onDemand !== undefined
  const isBackground = isOnDemand || options.isBackground === true
  const pidRecord = { ...currentProcess(), url, startedAt: Date.now(), isOnDemand, isBackground }
  updatePidFile(home, pidRecord)
  // Also creates the supervisor that most calls need.
  await record(pool, 'daemon:start', `version ${build?.build ?? version} as process ${process.pid} at ${url}`, report)
  tasks.watch()
  const anchors = new AnchorSender({ home, pool, report })
  const retention = new RetentionSchedule({ home, pool, report, firstMs: options.retentionMs })
  const scrub = new TraceScrub({ home, stores: async () => (await pool.find(undefined, undefined)).stores, report })
  const again: NetServer[] = []
  const listen = async (): Promise<void> => void again.push(await listenAgain(local, socket))
  const life = watchUse(options, {
    pool,
    usage: routes.usage,
    inFlight,
    token,
    record: pidRecord,
    listen,
    isBackground,
  })
  const stop = once(async () => {
    life.stop()
    for (const server of again) server.close()
    routes.streams.close()
    traceTail.close()
    const servers = [local, remote, ...managedServers]
    await closeServers(servers, { inFlight, stopping, finishMs: options.finishMs ?? FINISH_MS })
    scrub.stop()
    await retention.stop()
    await tasks.close()
    // Writing to a home that was removed would create it.
    if (existsSync(home))
      await record(pool, 'daemon:stop', `process ${process.pid} after ${service.uptimeMs()} ms`, report)
    // An on-demand daemon that others keep ending must not be started again and again.
    if (!isOnDemand && existsSync(home)) await recordStable(pool, report)
    await service.announcer.stop()
    await anchors.stop()
    await pool.close()
    rmSync(loginFile(home), { force: true })
    if (ownsPidFile(home)) removeRunFiles(home)
    if (managed !== undefined) removeManagedSockets(managed)
  })
  const newLoginUrl = (openedBy: object): string => loginUrl(url, auth, openedBy)
  return { url, token, newLoginUrl, socket, ended: life.ended, stop }
}

interface ServiceFacts {
  readonly token: string
  /** Filled in when the port is known. */
  readonly address: { readonly url?: string }
  readonly signal: AbortSignal
}

function createService(options: DaemonOptions, { token, address, signal }: ServiceFacts): Service {
  const { home, version, report, managed } = options
  const startedAt = performance.now()
  const auth = new Authenticator(token)
  const announcer = new Announcer()
  const pool = new SupervisorPool(home, report, { announce: (announcement) => announcer.announce(announcement) })
  const inFlight = new InFlight()
  return {
    ...{ home, version, pool, announcer, auth, inFlight, signal, managed, build: options.build?.build },
    tasks: new TaskService({ home, pool, inFlight, report }),
    traceTail: new TraceTail({ home, report, trace: async () => (await pool.find(undefined, undefined)).trace }),
    admission: new Admission(options.admission),
    socket: socketFile(home),
    url: () => address.url,
    loginUrl: () => address.url && loginUrl(address.url, auth, { channel: 'control-socket' }),
    uptimeMs: () => Math.round(performance.now() - startedAt),
  }
}

function loginUrl(url: string, auth: Authenticator, openedBy: object): string {
  return `${url}/login?code=${auth.createLoginCode(openedBy).code}`
}

interface Routes {
  readonly app: HttpApp
  readonly hooks: HookEndpoint
  readonly usage: Usage
  readonly streams: Streams
}

function createRoutes(service: Service, { dashboard, report, version, pingMs }: DaemonOptions): Routes {
  const { pool, auth, traceTail } = service
  const hooks = new HookEndpoint(service, report)
  const trace = async () => (await pool.find(undefined, undefined)).trace
  const overview = async () => buildOverview(service, await pool.find(undefined, undefined))
  return {
    hooks,
    app: makeApp(service, { dashboard, hooks, report }),
    streams: new Streams({ auth, version, traceTail, report, trace, overview, pingMs }),
    usage: new Usage(),
  }
}

function createServers(
  { app, hooks, usage, streams }: Routes,
  auth: Authenticator,
  limits: Partial<ConnectionLimits> | undefined,
): { readonly local: Server; readonly remote: Server } {
  const onSocket = new Connections({ ...SOCKET_LIMITS, ...limits })
  const onPort = new Connections({ ...PORT_LIMITS, ...limits }, ({ headers }) => isSignedIn(auth, headers))
  const local = createHttpServer(withHookCalls(hooks, createListener(app, true)), usage, onSocket)
  const remote = createHttpServer(createListener(app, false), usage, onPort)
  streams.serve(local, { isLocal: true })
  streams.serve(remote, { isLocal: false })
  return { local, remote }
}

// The public socket has no stream: the trace is for approvers.
async function openManaged(sockets: ManagedSockets, { app, hooks, usage, streams }: Routes): Promise<Server[]> {
  const publicRoutes = publicOnly(withHookCalls(hooks, createListener(app, true)))
  const controlRoutes = withHookCalls(hooks, createListener(app, true, 'control'))
  const publicServer = createHttpServer(publicRoutes, usage, createSocketConnections())
  const controlServer = createHttpServer(controlRoutes, usage, createSocketConnections())
  streams.serve(controlServer, { isLocal: true })
  await openManagedSockets(sockets, { publicServer, controlServer }, listenOnSocket)
  return [publicServer, controlServer]
}

interface InUse extends Pick<RunFilesOptions, 'token' | 'record' | 'listen'> {
  readonly pool: SupervisorPool
  readonly usage: Usage
  readonly inFlight: InFlight
  readonly isBackground: boolean
}

// A daemon that a person started runs until a person stops it, unless its home or its build is another one.
function watchUse(options: DaemonOptions, { pool, usage, inFlight, isBackground, ...files }: InUse) {
  const { home, onDemand, report, build, checkMs } = options
  const idleMs = async (): Promise<number> => (await pool.find(undefined, undefined)).config.daemon.idleMs
  const idle = onDemand && { usage, inFlight, idleMs, ...onDemand }
  const { ended, stop } = watchLifetime({ ...files, home, report, build, isBackground, checkMs, idle })
  if (onDemand === undefined) return { ended, stop }
  const stable = setTimeout(() => void recordStable(pool, report), STABLE_MS).unref()
  return {
    ended: ended.then(async (ending) => {
      if (existsSync(home)) await recordStable(pool, report)
      return ending
    }),
    stop: () => {
      clearTimeout(stable)
      stop()
    },
  }
}

// The daemon ran long enough, or ended as planned: the next hook may start another without waiting.
async function recordStable(pool: SupervisorPool, report: Report): Promise<void> {
  try {
    recordGoodStart((await pool.find(undefined, undefined)).state)
  } catch (error) {
    report(`Could not record that the daemon is stable: ${describe(error)}`)
  }
}

// A daemon that cannot write the trace still runs.
async function record(pool: SupervisorPool, action: string, reason: string, report: Report): Promise<void> {
  try {
    const { trace, config } = await pool.find(undefined, undefined)
    const when = { id: newId(), time: Date.now(), profile: config.profile }
    await trace.append({ ...when, component: 'daemon', action, level: 'info', reason })
  } catch (error) {
    report(`Could not write the trace: ${describe(error)}`)
  }
}

function once(work: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined
  return () => {
    done ??= work()
    return done
  }
}
