// Who sits at a table: each name is a command of its own, a profile, or an agent that is known to answer a prompt.

import { ArcError, didYouMean, show } from '../../../engine/errors.ts'
import { HEADLESS_HOSTS, headlessArgs } from '../../../hosts/headless.ts'
import type { ProfileHome } from '../../../supervisor/profile-home.ts'

/** How one agent is asked. */
export interface Seat {
  readonly name: string
  readonly command: string
  readonly args: readonly string[]
  /** The profile under which it is started. */
  readonly profile: string
}

/** What the command line says of the agents. */
export interface WantedSeats {
  readonly names: readonly string[]
  /** `name=command`, each. */
  readonly commands: readonly string[]
}

const NAME = /^[\p{L}\p{N}_][\p{L}\p{N}_.@-]{0,63}$/u

/** The commands that were given with their names. */
export function readCommands(given: readonly string[]): ReadonlyMap<string, string> {
  return new Map(
    given.map((text) => {
      const at = text.indexOf('=')
      const name = text.slice(0, Math.max(0, at)).trim()
      const line = text.slice(at + 1).trim()
      if (NAME.test(name) && line !== '') return [name, line]
      throw new ArcError('ARC_ROUNDTABLE_INVALID', `--agent takes name='command', not ${show(text)}.`)
    }),
  )
}

/** Finds out how each agent is asked; throws with what to do where nobody knows. */
export function findSeats({ names, commands }: WantedSeats, profiles: ProfileHome): readonly Seat[] {
  const own = readCommands(commands)
  const { active } = profiles
  return names.map((name) => {
    if (!NAME.test(name)) throw new ArcError('ARC_ROUNDTABLE_INVALID', `An agent cannot be called ${show(name)}.`)
    const line = own.get(name)
    if (line !== undefined) return { name, ...programOf(line), profile: active }
    return profiles.list().includes(name) ? seatOfProfile(name, profiles) : seatOfHost(name, name, active, profiles)
  })
}

function seatOfProfile(name: string, profiles: ProfileHome): Seat {
  const { headless, tool } = profiles.load(name).config
  if (headless !== undefined) return { name, ...programOf(headless), profile: name }
  return seatOfHost(name, tool ?? name, name, profiles)
}

function seatOfHost(name: string, program: string, profile: string, profiles: ProfileHome): Seat {
  const args = headlessArgs(program)
  if (args !== undefined) return { name, command: program, args, profile }
  if (profiles.list().includes(name)) {
    const what = `The profile ${show(name)} does not say how its agent answers a prompt`
    const how = `arc profile set headless 'COMMAND' --profile ${name}`
    throw new ArcError('ARC_ROUNDTABLE_INVALID', `${what}. Set it: ${how}`)
  }
  const near = didYouMean(name, [...profiles.list(), ...HEADLESS_HOSTS])
  const known = `a profile, one of ${HEADLESS_HOSTS.join(', ')}, or given as --agent ${name}='COMMAND'`
  throw new ArcError('ARC_ROUNDTABLE_INVALID', `The agent ${show(name)} is not known: it must be ${known}.${near}`)
}

// Words without a meaning to the shell need none, and a known agent is then seen for what it is.
const PLAIN_WORDS = /^[\w@%+:,./-]+(?: +[\w@%+=:,./-]+)*$/

/** A line, or a program with its arguments, as something to start. */
function programOf(line: string | readonly string[]): Pick<Seat, 'command' | 'args'> {
  if (typeof line === 'string' && !PLAIN_WORDS.test(line)) return { command: 'sh', args: ['-c', line] }
  const [command = '', ...args] = typeof line === 'string' ? line.split(/ +/) : line
  return { command, args }
}
