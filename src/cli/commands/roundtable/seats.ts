// The agents of a roundtable: each name is a given command, a profile, or a host with a headless command.

import { ArcError, didYouMean, show } from '../../../engine/errors.ts'
import { HEADLESS_HOSTS, headlessArgs } from '../../../hosts/headless.ts'
import type { ProfileHome } from '../../../supervisor/profile-home.ts'

/** How an agent is started for a turn. */
export interface Seat {
  readonly name: string
  readonly command: string
  readonly args: readonly string[]
  /** The profile of its supervision. */
  readonly profile: string
}

/** The agents on the command line. */
export interface WantedSeats {
  readonly names: readonly string[]
  /** `name=command` pairs. */
  readonly commands: readonly string[]
}

const NAME = /^[\p{L}\p{N}_][\p{L}\p{N}_.@-]{0,63}$/u

/** Reads `name=command` pairs. */
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

/** Finds the command of each agent; throws with a hint if there is none. */
export function findSeats({ names, commands }: WantedSeats, profiles: ProfileHome): readonly Seat[] {
  const own = readCommands(commands)
  const { active } = profiles
  return names.map((name) => {
    if (!NAME.test(name)) throw new ArcError('ARC_ROUNDTABLE_INVALID', `${show(name)} is not a valid agent name.`)
    const line = own.get(name)
    if (line !== undefined) return { name, ...readProgram(line), profile: active }
    return profiles.list().includes(name) ? seatFromProfile(name, profiles) : seatFromHost(name, name, active, profiles)
  })
}

function seatFromProfile(name: string, profiles: ProfileHome): Seat {
  const { headless, tool } = profiles.load(name).config
  if (headless !== undefined) return { name, ...readProgram(headless), profile: name }
  return seatFromHost(name, tool ?? name, name, profiles)
}

function seatFromHost(name: string, program: string, profile: string, profiles: ProfileHome): Seat {
  const args = headlessArgs(program)
  if (args !== undefined) return { name, command: program, args, profile }
  if (profiles.list().includes(name)) {
    const what = `The profile ${show(name)} has no headless command`
    const how = `arc profile set headless 'COMMAND' --profile ${name}`
    throw new ArcError('ARC_ROUNDTABLE_INVALID', `${what}. Set it: ${how}`)
  }
  const near = didYouMean(name, [...profiles.list(), ...HEADLESS_HOSTS])
  const known = `a profile, one of ${HEADLESS_HOSTS.join(', ')}, or given as --agent ${name}='COMMAND'`
  throw new ArcError('ARC_ROUNDTABLE_INVALID', `Unknown agent ${show(name)}: expected ${known}.${near}`)
}

// A line without shell syntax is started without a shell, so that a known agent is recognised by its program.
const PLAIN_WORDS = /^[\w@%+:,./-]+(?: +[\w@%+=:,./-]+)*$/

// A command line, or a program with its arguments.
function readProgram(line: string | readonly string[]): Pick<Seat, 'command' | 'args'> {
  if (typeof line === 'string' && !PLAIN_WORDS.test(line)) return { command: 'sh', args: ['-c', line] }
  const [command = '', ...args] = typeof line === 'string' ? line.split(/ +/) : line
  return { command, args }
}
