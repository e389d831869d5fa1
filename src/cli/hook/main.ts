// `arc hook HOST [EVENT]`: runs for every event of a host, so it loads as little as possible. A running daemon gets the
// call; without a daemon the pipeline is loaded here. The host gets a reply in every case.

import { existsSync } from 'node:fs'
import type { HookCall } from '../../daemon/hook-call/answer.ts'
import { encodeProfile } from '../../daemon/hook-call/launch-profile.ts'
import { parseDaemonSwitch } from '../../daemon/process/on-demand.ts'
import { socketFile } from '../../daemon/process/paths.ts'
import { readManagedInstall } from '../../guard/managed-install.ts'
import type { HostName } from '../../hosts/host.ts'
import { arcHome } from '../../platform/home.ts'
import { keepAlive } from '../../platform/keep-alive.ts'
import { CALLER_VARIABLE, encodeReply, FRAME_VARIABLE, type HookReply, readPid } from '../../protocol/hook-wire.ts'
import { readAll } from './read-stdin.ts'

// Half of the shortest time that a host waits at an event that can be blocked.
const STDIN_MS = 10_000
// The names of hosts, without loading their adapters; a test compares it with the list.
const HOST_NAME = /^[a-z][a-z-]{0,30}$/
const FAILED = 1
const REFUSED = 2
// Removed from the environment: a daemon or a command that this process starts must not reply in this format.
const isFramed = process.env[FRAME_VARIABLE] === '1'
delete process.env[FRAME_VARIABLE]

/** Runs the hook; the exit code is for the host. */
export async function runHook([host, event]: readonly string[]): Promise<number> {
  const stop = new AbortController()
  process.once('SIGTERM', () => stop.abort())
  process.once('SIGINT', () => stop.abort())
  // Timers of the pipeline do not keep a process alive; a pending reply must.
  const release = keepAlive()
  const home = arcHome()
  const managed = readManagedInstall()
  try {
    const request = { host: host ?? '', event, home }
    const { reply, startsDaemon } =
      managed === undefined
        ? await answer(request, stop.signal)
        : await answerManaged({ ...request, socket: managed.socket }, stop.signal)
    await write(reply)
    // After the reply: the host waits only for the reply.
    if (startsDaemon) await startDaemon(home)
    return reply.exitCode
  } catch (error) {
    // The adapter of the host could not be loaded: no reply in the host's format is possible.
    process.stderr.write(`arc: the hook failed: ${readMessage(error)}\n`)
    return managed === undefined ? FAILED : REFUSED
  } finally {
    release()
  }
}

interface HookRequest {
  readonly host: string
  readonly event: string | undefined
  readonly home: string
}

interface Answered {
  readonly reply: HookReply
  readonly startsDaemon: boolean
}

async function answer({ host, event, home }: HookRequest, signal: AbortSignal): Promise<Answered> {
  const { canAsk, canStart } = parseDaemonSwitch(process.env.ARC_DAEMON)
  const hasDaemon = canAsk && HOST_NAME.test(host) && existsSync(socketFile(home))
  // Checked before the evaluation, which creates the home.
  const hasHome = hasDaemon || existsSync(home)
  // Loads while the payload arrives.
  const loading = hasDaemon ? undefined : import('./evaluate.ts')
  loading?.catch(() => undefined)
  const call = await readCall(host, event, signal)
  const reply = hasDaemon && !signal.aborted ? await askDaemon(call, { home }, signal) : undefined
  if (reply !== undefined) return { reply, startsDaemon: false }
  const { evaluateInProcess } = await (loading ?? import('./evaluate.ts'))
  return evaluateInProcess(call, { home, canStart: canStart && hasHome, signal })
}

// On a managed machine only its daemon decides: this account cannot read the home.
async function answerManaged(
  { host, event, home, socket }: HookRequest & { readonly socket: string },
  signal: AbortSignal,
): Promise<Answered> {
  const call = await readCall(host, event, signal)
  const canAsk = HOST_NAME.test(host) && !signal.aborted
  const reply = canAsk ? await askDaemon(call, { home, socket }, signal) : undefined
  if (reply !== undefined) return { reply, startsDaemon: false }
  const { refuseCall } = await import('./evaluate.ts')
  return refuseCall(call, `the daemon of this managed machine does not answer at ${socket}`)
}

async function readCall(host: string, event: string | undefined, signal: AbortSignal): Promise<HookCall> {
  const payload = await readAll(process.stdin, { maxWaitMs: STDIN_MS, signal })
  return {
    host: host as HostName,
    event,
    payload,
    cwd: readCurrentFolder(),
    profile: encodeProfile(process.env),
    callerPid: readPid(process.env[CALLER_VARIABLE]) ?? process.ppid,
  }
}

// For the next call. A failure does not change the reply, which is already written.
async function startDaemon(home: string): Promise<void> {
  try {
    const { startInBackground } = await import('../../daemon/process/background.ts')
    const { findHomeProgram } = await import('../../daemon/process/build.ts')
    const [, own = ''] = process.argv
    const program = findHomeProgram(home, own)
    startInBackground({ home, program, args: ['--no-open', '--on-demand'] })
  } catch (error) {
    process.stderr.write(`arc: no daemon was started: ${readMessage(error)}\n`)
  }
}

async function askDaemon(
  call: HookCall,
  where: { readonly home: string; readonly socket?: string },
  signal: AbortSignal,
): Promise<HookReply | undefined> {
  const { host, event, payload, cwd, profile, callerPid } = call
  const { requestDaemon } = await import('./daemon-request.ts')
  return requestDaemon({ ...where, host, event, payload, cwd, profile, callerPid }, signal).catch(() => undefined)
}

function readMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

// The folder may have been removed.
function readCurrentFolder(): string | undefined {
  try {
    return process.cwd()
  } catch {
    return undefined
  }
}

// A host that has closed its pipes is no error.
function write(reply: HookReply): Promise<void> {
  const { stdout, stderr } = isFramed ? { stdout: encodeReply(reply), stderr: '' } : reply
  const send = (stream: NodeJS.WriteStream, text: string) =>
    new Promise<void>((resolve) => (text === '' ? resolve() : stream.write(text, () => resolve())))
  return Promise.all([send(process.stdout, stdout), send(process.stderr, stderr)]).then(() => undefined)
}
