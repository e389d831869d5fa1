// `arc launch PROFILE|AGENT [-- ARGS]`: starts an agent under supervision, for this run only. The agent's own
// configuration is not changed.

import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import { resolve } from 'node:path'
import { formatProblem, isFatal } from '../../config/problem.ts'
import { createLaunchMark, LAUNCH_VARIABLE } from '../../daemon/hook-call/launch-profile.ts'
import { ArcError, didYouMean, show } from '../../engine/errors.ts'
import { isAtLeast } from '../../engine/mode.ts'
import type { Outcome } from '../../engine/outcome.ts'
import { isRecord } from '../../engine/plain-data.ts'
import { AGENT_FACTS, findAgentFacts, HOST_NAMES } from '../../hosts/facts/list.ts'
import { HOSTS } from '../../hosts/list.ts'
import { arcHome, findProject } from '../../platform/home.ts'
import { createSupervisor } from '../../supervisor/create-supervisor.ts'
import { ProfileHome } from '../../supervisor/profile-home.ts'
import type { Supervisor } from '../../supervisor/supervisor.ts'
import { findAgents } from '../agents.ts'
import { requirePerson } from '../confirm.ts'
import { context } from '../context.ts'
import { installLauncher } from '../hook/launcher.ts'
import { syncMode } from '../mode-sync.ts'
import { info } from '../output.ts'
import { printNotice } from '../print-notice.ts'
import { whileWaiting } from '../progress-line.ts'
import { createInjection } from './launch/injection.ts'

const BLOCKED = 2
const NOT_FOUND = 127
const BY_SIGNAL = 128
// Signals that the agent handles: this process only waits for its end.
const AGENT_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const

/** Runs the agent and returns its exit code, or 2 if the launch was blocked. */
export async function launch(name: string, args: readonly string[]): Promise<number> {
  const home = resolve(arcHome())
  const profiles = new ProfileHome(home)
  const { profile, tool } = readTarget(name, profiles)
  refuseLooser(profiles, profile)
  const project = findProject(context().cwd, home)
  const options = { via: 'cli', home, profile, notify: printNotice, ...(project !== undefined && { project }) } as const
  const supervisor = await createSupervisor(options)
  try {
    return await run(supervisor, { home, profile, args, tool: tool ?? supervisor.config.tool })
  } finally {
    await supervisor.close()
  }
}

interface LaunchTarget {
  readonly profile: string
  /** The program, if the agent was named instead of a profile. */
  readonly tool?: string | undefined
}

// A profile wins over an agent of the same name. An agent runs with the active profile.
function readTarget(name: string, profiles: ProfileHome): LaunchTarget {
  if (profiles.list().includes(name)) return { profile: name }
  const facts = AGENT_FACTS.find((one) => one.name === name)
  if (facts !== undefined) return { profile: profiles.active, tool: facts.programs[0] }
  const near = didYouMean(name, [...profiles.list(), ...HOST_NAMES])
  const known = `There is neither a profile nor an agent ${show(name)}; agents are ${HOST_NAMES.join(', ')}.`
  throw new ArcError('ARC_PROFILE_UNKNOWN', `${known}${near}`)
}

// An agent must not start another agent in a lower mode than its own.
function refuseLooser(profiles: ProfileHome, profile: string): void {
  const wanted = profiles.load(profile).config.enforcement
  const inForce = profiles.load(profiles.chosen).config.enforcement
  if (!isAtLeast(wanted, inForce)) requirePerson(`launch an agent in mode ${wanted} while ${inForce} is in force`)
}

interface LaunchRequest {
  readonly home: string
  readonly profile: string
  readonly args: readonly string[]
  /** The program. */
  readonly tool: string | undefined
}

async function run(supervisor: Supervisor, { home, profile, args, tool }: LaunchRequest): Promise<number> {
  if (tool === undefined) {
    const how = `Name the agent instead (arc launch claude), or set it: arc profile set tool claude --profile ${profile}`
    throw new ArcError('ARC_LAUNCH_INVALID', `The profile ${show(profile)} names no agent. ${how}`)
  }
  for (const problem of supervisor.problems.filter(isFatal)) info(`arc: ${formatProblem(problem)}`)
  const session = `launch-${process.pid}-${Date.now()}`
  const stepContext = { session, workspace: context().cwd, source: 'human', host: tool }
  const deciding = Promise.resolve(supervisor.decide('pre:launch', { command: tool, args }, stepContext))
  const before = await whileWaiting(`waiting for the decision on the launch of ${tool} (arc approvals list)`, deciding)
  if (before.blocked) return refuse(before)
  const wanted = readLaunch(before.data, tool, args)
  const arc = context().program
  const launcher = process.platform === 'win32' ? arc : installLauncher({ home, node: process.execPath, arc })
  syncMode(new ProfileHome(home))
  const failClosed = supervisor.engine.mode === 'enforce'
  const points = supervisor.hooks().flatMap((hook) => (hook.enabled ? hook.points : []))
  const { cwd, env: callerEnv } = context()
  const injected = createInjection(wanted, { launcher, home, cwd, env: callerEnv, failClosed, points })
  if (injected.note !== undefined) info(`arc: ${injected.note}`)
  if (!injected.isSupervised && supervisor.engine.mode === 'enforce' && isKnownAgent(wanted.command)) {
    info('arc: in enforce mode an agent is not started unsupervised')
    return BLOCKED
  }
  const mark = createLaunchMark(home, profile)
  const own = { ARC_HOME: home, ARC_PROFILE: profile, [LAUNCH_VARIABLE]: mark.id }
  const env = { ...context().env, ...wanted.env, ...injected.env, ...own }
  try {
    const exitCode = await runAgent(wanted.command, injected.args, env)
    await supervisor.decide('post:launch', { command: wanted.command, args: wanted.args, exitCode }, stepContext)
    return exitCode
  } finally {
    mark.remove()
    injected.remove()
  }
}

/** Does ARC know this agent? If so, its tool calls must be supervised; other programs have none. */
export function isKnownAgent(command: string): boolean {
  return findAgentFacts(command) !== undefined
}

function refuse({ hook, reason, suggestion, metadata }: Outcome): number {
  info(`arc: ${hook ?? 'a hook'} blocked the launch: ${reason ?? 'no reason given'}`)
  if (suggestion !== undefined) info(`Instead: ${suggestion}`)
  if (typeof metadata.traceId === 'string') info(`Trace ${metadata.traceId} (arc why ${metadata.traceId})`)
  return BLOCKED
}

/** The program to start, after the edits of hooks. */
interface Launch {
  readonly command: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

/** Reads the program to start from the step data, which hooks at `pre:launch` may have edited. */
export function readLaunch(data: object, tool: string, args: readonly string[]): Launch {
  const { command, args: edited, env } = data as Readonly<Record<string, unknown>>
  const isList = Array.isArray(edited) && edited.every((arg) => typeof arg === 'string')
  const variables = isRecord(env) ? Object.entries(env).filter(([, value]) => typeof value === 'string') : []
  return {
    command: typeof command === 'string' && command !== '' ? command : tool,
    args: isList ? (edited as string[]) : args,
    env: Object.fromEntries(variables) as Record<string, string>,
  }
}

// The program does not exist, or the interpreter that its first line names.
function describeMissing(command: string): string {
  if (command.includes('/')) return `there is no program ${command}.`
  const facts = findAgentFacts(command)
  const others = findAgents().filter(({ host }) => host.name !== facts?.name)
  const title = facts === undefined ? command : HOSTS[facts.name].title
  const found = others.length === 0 ? '' : ` Agents on this machine: ${others.map(({ host }) => host.name).join(', ')}.`
  return `there is no program ${command} in the PATH. Install ${title} first.${found}`
}

// The agent uses the terminal directly, so keyboard signals reach it without help.
function runAgent(command: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  return new Promise((done) => {
    const child = spawn(command, args, { stdio: 'inherit', env })
    const handlers = AGENT_SIGNALS.map((signal) => {
      const handler = (): void => {
        // Keyboard signals reach the whole process group; these two reach only this process.
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
      info(
        `arc: ${command} could not be started: ${error.code === 'ENOENT' ? describeMissing(command) : error.message}`,
      )
      finish(NOT_FOUND)
    })
    child.on('exit', (code, signal) => finish(code ?? BY_SIGNAL + constants.signals[signal as NodeJS.Signals]))
  })
}
