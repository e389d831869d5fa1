// `arc hook HOST [EVENT]`: the hot path of every host. Loads as little as possible: a running daemon is asked, and only
// without one the pipeline is loaded here. Whatever happens, the host gets an answer.

import { existsSync } from 'node:fs'
import type { HookCall, HookReply } from '../../daemon/hook-call/answer.ts'
import { encodeProfile } from '../../daemon/hook-call/launch-profile.ts'
import { parseDaemonSwitch } from '../../daemon/process/on-demand.ts'
import { socketFile } from '../../daemon/process/paths.ts'
import { readManaged } from '../../guard/managed.ts'
import type { HostName } from '../../hosts/host.ts'
import { arcHome } from '../../platform/home.ts'
import { CALLER_VARIABLE, encodeReply, FRAME_VARIABLE, readPid } from '../../protocol/hook-wire.ts'
import { readAll } from './read-stdin.ts'

// Half of the shortest time that a host waits at an event that can be stopped.
const STDIN_MS = 10_000
// What is known of a host before its adapter is loaded; checked against the list in the tests.
const NAME = /^[a-z][a-z-]{0,30}$/
const FAILED = 1
// For this process only: a daemon or a command that it starts answers nobody in this form.
const isFramed = process.env[FRAME_VARIABLE] === '1'
delete process.env[FRAME_VARIABLE]
const REFUSED = 2

/** Runs the hook to its end; the exit code is the host's to read. */
export async function runHook([host, event]: readonly string[]): Promise<number> {
  const stop = new AbortController()
  process.once('SIGTERM', () => stop.abort())
  process.once('SIGINT', () => stop.abort())
  // Timers of the pipeline never keep a process alive; an answer that is owed does.
  const alive = setInterval(() => undefined, 1 << 30)
  const home = arcHome()
  const managed = readManaged()
  try {
    const asked = { host: host ?? '', event, home }
    const { answer, startsDaemon } =
      managed === undefined
        ? await answerOf(asked, stop.signal)
        : await answerManaged({ ...asked, socket: managed.socket }, stop.signal)
    await write(answer)
    // Not before: the host waits for the answer alone.
    if (startsDaemon) await startDaemon(home)
    return answer.exitCode
  } catch (error) {
    // Not even the adapter could be loaded: nothing is known of what the host would understand.
    process.stderr.write(`arc: the hook failed: ${messageOf(error)}\n`)
    return managed === undefined ? FAILED : REFUSED
  } finally {
    clearInterval(alive)
  }
}

interface Asked {
  readonly host: string
  readonly event: string | undefined
  readonly home: string
}

interface Managed extends Asked {
  readonly socket: string
}

interface Answered {
  readonly answer: HookReply
  readonly startsDaemon: boolean
}

async function answerOf({ host, event, home }: Asked, signal: AbortSignal): Promise<Answered> {
  const { canAsk, canStart } = parseDaemonSwitch(process.env.ARC_DAEMON)
  const hasDaemon = canAsk && NAME.test(host) && existsSync(socketFile(home))
  // Asked now: judging would make it.
  const isHomeThere = hasDaemon || existsSync(home)
  // Loaded while the payload comes in.
  const here = hasDaemon ? undefined : import('./evaluate.ts')
  here?.catch(() => undefined)
  const call = await readCall(host, event, signal)
  const answer = hasDaemon && !signal.aborted ? await askDaemon(call, { home }, signal) : undefined
  if (answer !== undefined) return { answer, startsDaemon: false }
  const { evaluateHere } = await (here ?? import('./evaluate.ts'))
  return evaluateHere(call, { home, canStart: canStart && isHomeThere, signal })
}

// On a managed machine only its daemon decides: the home is not readable here.
async function answerManaged({ host, event, home, socket }: Managed, signal: AbortSignal): Promise<Answered> {
  const call = await readCall(host, event, signal)
  const isKnown = NAME.test(host) && !signal.aborted
  const answer = isKnown ? await askDaemon(call, { home, socket }, signal) : undefined
  if (answer !== undefined) return { answer, startsDaemon: false }
  const { refuseCall } = await import('./evaluate.ts')
  return refuseCall(call, `the daemon of this managed machine does not answer at ${socket}`)
}

async function readCall(host: string, event: string | undefined, signal: AbortSignal): Promise<HookCall> {
  const payload = await readAll(process.stdin, { patienceMs: STDIN_MS, signal })
  return {
    host: host as HostName,
    event,
    payload,
    cwd: currentFolder(),
    profile: encodeProfile(process.env),
    callerPid: readPid(process.env[CALLER_VARIABLE]) ?? process.ppid,
  }
}

// The next call finds it. Whatever goes wrong here, this one has its answer.
async function startDaemon(home: string): Promise<void> {
  try {
    const { startInBackground } = await import('../../daemon/process/background.ts')
    const [, program = ''] = process.argv
    startInBackground({ home, program, args: ['--no-open', '--on-demand'] })
  } catch (error) {
    process.stderr.write(`arc: no daemon was started: ${messageOf(error)}\n`)
  }
}

async function askDaemon(
  call: HookCall,
  where: { readonly home: string; readonly socket?: string },
  signal: AbortSignal,
): Promise<HookReply | undefined> {
  const { host, event, payload, cwd, profile, callerPid } = call
  const ask = await import('./daemon-request.ts')
  return ask.requestDaemon({ ...where, host, event, payload, cwd, profile, callerPid }, signal).catch(() => undefined)
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

// The folder may be gone by now.
function currentFolder(): string | undefined {
  try {
    return process.cwd()
  } catch {
    return undefined
  }
}

// A host that went away reads nothing: that is no error of ours.
function write(answer: HookReply): Promise<void> {
  const { stdout, stderr } = isFramed ? { stdout: encodeReply(answer), stderr: '' } : answer
  const send = (stream: NodeJS.WriteStream, text: string) =>
    new Promise<void>((resolve) => (text === '' ? resolve() : stream.write(text, () => resolve())))
  return Promise.all([send(process.stdout, stdout), send(process.stderr, stderr)]).then(() => undefined)
}
