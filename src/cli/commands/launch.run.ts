// `arc launch PROFILE [-- ARGS]`: the profile's agent, supervised for this run only. The user's own configuration of the
// agent is not touched.

import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import { basename, resolve } from 'node:path'
import { formatProblem, isFatal } from '../../config/problem.ts'
import { createLaunchMark, LAUNCH_VARIABLE } from '../../daemon/hook-call/launch-profile.ts'
import { ArcError, show } from '../../engine/errors.ts'
import { isAtLeast } from '../../engine/mode.ts'
import type { Outcome } from '../../engine/outcome.ts'
import { isRecord } from '../../engine/plain-data.ts'
import { HOST_NAMES } from '../../hosts/host.ts'
import { arcHome, findProject } from '../../platform/home.ts'
import { createSupervisor } from '../../supervisor/create-supervisor.ts'
import { ProfileHome } from '../../supervisor/profile-home.ts'
import type { Supervisor } from '../../supervisor/supervisor.ts'
import { requirePerson } from '../confirm.ts'
import { writeLauncher } from '../hook/launcher.ts'
import { followMode } from '../mode-sync.ts'
import { tell } from '../output.ts'
import { injectionFor } from './launch/injection.ts'

const BLOCKED = 2
const NOT_FOUND = 127
const BY_SIGNAL = 128
// Signals that are the agent's to handle: this process only waits for its end.
const PASSED_ON = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const

/** Runs the agent to its end; the exit code is the agent's, or 2 when it was not allowed to start. */
export async function launch(profile: string, args: readonly string[]): Promise<number> {
  const home = resolve(arcHome())
  const profiles = new ProfileHome(home)
  profiles.require(profile)
  refuseLooser(profiles, profile)
  const project = findProject(process.cwd(), home)
  const supervisor = await createSupervisor({ via: 'cli', home, profile, ...(project !== undefined && { project }) })
  try {
    return await run(supervisor, { home, profile, args })
  } finally {
    await supervisor.close()
  }
}

// An agent must not start another one under fewer rules than its own.
function refuseLooser(profiles: ProfileHome, profile: string): void {
  const wanted = profiles.load(profile).config.enforcement
  const inForce = profiles.load(profiles.chosen).config.enforcement
  if (!isAtLeast(wanted, inForce)) requirePerson(`launch an agent in mode ${wanted} where ${inForce} is in force`)
}

interface Launch {
  readonly home: string
  readonly profile: string
  readonly args: readonly string[]
}

async function run(supervisor: Supervisor, { home, profile, args }: Launch): Promise<number> {
  const { tool } = supervisor.config
  if (tool === undefined) throw new ArcError('ARC_LAUNCH_INVALID', `The profile ${show(profile)} names no agent.`)
  for (const problem of supervisor.problems.filter(isFatal)) tell(`arc: ${formatProblem(problem)}`)
  const session = `launch-${process.pid}-${Date.now()}`
  const context = { session, workspace: process.cwd(), source: 'human', host: tool }
  const before = await supervisor.decide('pre:launch', { command: tool, args }, context)
  if (before.blocked) return refuse(before)
  const wanted = launchOf(before.data, tool, args)
  const arc = resolve(process.argv[1] ?? 'arc')
  const launcher = process.platform === 'win32' ? arc : writeLauncher({ home, node: process.execPath, arc })
  followMode(new ProfileHome(home))
  const failClosed = supervisor.engine.mode === 'enforce'
  const injected = injectionFor(wanted, { launcher, home, cwd: process.cwd(), env: process.env, failClosed })
  if (injected.note !== undefined) tell(`arc: ${injected.note}`)
  if (!injected.isSupervised && supervisor.engine.mode === 'enforce' && isKnownAgent(wanted.command)) {
    tell(`arc: in enforce nothing starts unsupervised`)
    return BLOCKED
  }
  const mark = createLaunchMark(home, profile)
  const own = { ARC_HOME: home, ARC_PROFILE: profile, [LAUNCH_VARIABLE]: mark.id }
  const env = { ...process.env, ...wanted.env, ...injected.env, ...own }
  try {
    const exitCode = await runAgent(wanted.command, injected.args, env)
    await supervisor.decide('post:launch', { command: wanted.command, args: wanted.args, exitCode }, context)
    return exitCode
  } finally {
    mark.remove()
    injected.remove()
  }
}

// Of a known agent it is expected that its calls are supervised; any other program has none.
/** Does ARC know this agent, so that its calls should be supervised? */
export function isKnownAgent(command: string): boolean {
  return (HOST_NAMES as readonly string[]).includes(basename(command))
}

function refuse({ hook, reason, suggestion, metadata }: Outcome): number {
  tell(`arc: ${hook ?? 'a hook'} blocked the launch: ${reason ?? 'no reason was given'}`)
  if (suggestion !== undefined) tell(`Instead: ${suggestion}`)
  if (typeof metadata.traceId === 'string') tell(`Trace ${metadata.traceId} (arc why ${metadata.traceId})`)
  return BLOCKED
}

/** What is to be started, as the hooks left it. */
interface Wanted {
  readonly command: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

/** What is to be started, as the hooks at `pre:launch` left it. */
export function launchOf(data: object, tool: string, args: readonly string[]): Wanted {
  const { command, args: edited, env } = data as Readonly<Record<string, unknown>>
  const isList = Array.isArray(edited) && edited.every((arg) => typeof arg === 'string')
  const variables = isRecord(env) ? Object.entries(env).filter(([, value]) => typeof value === 'string') : []
  return {
    command: typeof command === 'string' && command !== '' ? command : tool,
    args: isList ? (edited as string[]) : args,
    env: Object.fromEntries(variables) as Record<string, string>,
  }
}

// The terminal is the agent's: its keys, its colours, its size. Signals of the keyboard reach it by themselves.
function runAgent(command: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  return new Promise((done) => {
    const child = spawn(command, args, { stdio: 'inherit', env })
    const handlers = PASSED_ON.map((signal) => {
      const handler = (): void => {
        // From the keyboard the agent has it already; from elsewhere it came only to us.
        if (signal === 'SIGTERM' || signal === 'SIGHUP') child.kill(signal)
      }
      process.on(signal, handler)
      return [signal, handler] as const
    })
    const finish = (code: number): void => {
      for (const [signal, handler] of handlers) process.removeListener(signal, handler)
      done(code)
    }
    child.on('error', (error: NodeJS.ErrnoException) => {
      tell(`arc: ${command} could not be started: ${error.message}`)
      finish(NOT_FOUND)
    })
    child.on('exit', (code, signal) => finish(code ?? BY_SIGNAL + constants.signals[signal as NodeJS.Signals]))
  })
}
