// What is in force now, for people: the agents with ARC's hooks, the mode, what is stopped, and the next commands.

import type { Mode } from '../engine/mode.ts'
import { listWantedEvents } from '../hosts/install/registered-events.ts'
import type { ProfileHome } from '../supervisor/profile-home.ts'
import { findInstalled, type InstalledAgent, readOnDemandEvents } from './agents.ts'
import colors from './colors.ts'
import { alignColumns, info } from './output.ts'

/** What is in force in a home. */
export interface SupervisionState {
  readonly profile: string
  readonly mode: Mode
  /** What happens to a call in this mode. */
  readonly effect: string
  readonly agents: readonly InstalledAgent[]
}

/** Reads what is in force with the active profile. */
export function readSupervision(profiles: ProfileHome): SupervisionState {
  const { config } = profiles.load()
  const { profile, enforcement: mode, risk } = config
  return { profile, mode, effect: describeMode(mode, risk.floor), agents: findInstalled() }
}

/** What a mode does, as a predicate; `blocksCatastrophes` is the setting `risk.floor`. */
export function describeMode(mode: Mode, blocksCatastrophes = true): string {
  const stopped = blocksCatastrophes ? 'stops only catastrophes (rm -rf /)' : 'stops nothing'
  if (mode === 'off') return 'runs no hook: nothing is recorded or stopped'
  if (mode === 'log') return `records every decision; ${stopped}`
  if (mode === 'advise') return `tells you and the agent what it would stop; ${stopped}`
  return 'stops dangerous calls, or holds them for your approval'
}

/** The state in one line; the mode is its first word. */
export function describeState({ profile, mode, effect, agents }: SupervisionState): string {
  const who = agents.length === 0 ? 'no agent installed' : listNames(agents)
  const [[next] = ['arc logs']] = nextCommands(mode, agents.length > 0)
  return `${mode} (profile ${profile}): ARC ${effect} · ${who} · next: ${next}`
}

/** Prints the state with the next commands on stderr, for the end of an installation. */
export function printState({ profile, mode, effect, agents }: SupervisionState): void {
  info('')
  const rows = agents.map(({ host, place }) => [
    `${colors.green('✓')} ${host.title}`,
    `${countEvents({ host, place })} events${place.scope === 'project' ? ` in ${place.dir}` : ''}`,
  ])
  for (const line of alignColumns(rows)) info(line)
  const where = profile === 'default' ? '' : ` (profile ${profile})`
  info(`${colors.bold(`Mode ${mode}`)}${where}: ARC ${effect}.`)
  const next = nextCommands(mode, agents.length > 0)
  for (const line of alignColumns(next.map(([command, what]) => [command, colors.dim(what)]))) info(`  ${line}`)
}

function countEvents(agent: InstalledAgent): number {
  return listWantedEvents(agent.host.events, readOnDemandEvents(agent)).length
}

function listNames(agents: readonly InstalledAgent[]): string {
  return [...new Set(agents.map(({ host }) => host.title))].join(', ')
}

type NextCommand = readonly [command: string, what: string]

const ENFORCE: NextCommand = ['arc mode enforce', 'stop and hold what the hooks decide']
const INSTALL: NextCommand = ['arc install', 'register ARC with the agents of this machine']
const LIVE: NextCommand = ['arc doctor --live', 'send a test call through every agent']
const WATCH: NextCommand = ['arc watch', 'see every decision as it is made, and answer held steps']

// The first command is the most important one.
function nextCommands(mode: Mode, hasAgents: boolean): readonly NextCommand[] {
  if (!hasAgents) return [INSTALL]
  return mode === 'enforce' ? [WATCH, LIVE] : [ENFORCE, WATCH, LIVE]
}
