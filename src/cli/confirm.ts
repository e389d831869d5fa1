// Approvals, loosening and stopping come from a person. Every command that does one of these asks here first: a process
// that an agent started is refused, and what loosens needs a terminal and a typed yes.

import { userInfo } from 'node:os'
import { createInterface } from 'node:readline/promises'
import { ArcError, describe } from '../engine/errors.ts'
import { checkHomeCaller } from '../guard/home-caller.ts'
import type { Requester } from '../guard/human-caller.ts'
import { openProcessTable, ttyName } from '../guard/process-table.ts'
import { readUnattendedHome } from '../guard/unattended-home.ts'
import { recordEvent } from '../hooks/pipeline-services.ts'
import { arcHome } from '../platform/home.ts'
import { MemoryStateStore } from '../storage/memory/state-store.ts'
import { openStores } from '../storage/open-stores.ts'
import type { TraceStore } from '../storage/ports.ts'
import { openState } from './home-stores.ts'
import { report, tell } from './output.ts'

/** Who does it, for the record. */
export interface Confirmed {
  readonly channel: 'terminal'
  /** The name of the user. */
  readonly by: string
  readonly process: Requester
}

/** What has to be confirmed. */
export interface Question {
  /** Shows on stderr the whole step or change that is confirmed. Not called where nobody is asked. */
  readonly show?: () => void
  /** One line that ends with a question mark. */
  readonly question: string
}

/**
 * For what a person may do without a question (deny, stop, uninstall): throws ARC_NEEDS_PERSON for a process that an
 * agent started.
 * @example
 * const confirmed = requirePerson('stop the daemon')
 */
export function requirePerson(what: string): Confirmed {
  const { state, close } = openAgents()
  try {
    const check = checkHomeCaller(arcHome(), state)
    if (!check.isHuman) throw new ArcError('ARC_NEEDS_PERSON', `Only a person may ${what}. ${check.reason}`)
    return { channel: 'terminal', by: userName(), process: check.requester }
  } finally {
    close()
  }
}

// A damaged database must not keep a person from stopping the daemon: agents are then known by their programs only.
function openAgents(): ReturnType<typeof openState> {
  try {
    return openState()
  } catch (error) {
    report(`the agents that run cannot be looked up: ${describe(error)}`)
    return { state: new MemoryStateStore(), close: () => undefined }
  }
}

/**
 * For what loosens (approve, trust, lower, disable): throws ARC_NEEDS_PERSON for a process that an agent started and
 * where there is no terminal. Undefined when the person did not type yes. A home made with `arc init --confirm none` asks
 * nobody.
 * @example
 * const confirmed = await confirm('lower the mode', { show: () => tell('enforce → log'), question: 'Lower the mode?' })
 * if (confirmed === undefined) return 1
 */
export async function confirm(what: string, { show, question }: Question): Promise<Confirmed | undefined> {
  const confirmed = requirePerson(what)
  if (readUnattendedHome(arcHome()) !== undefined) return confirmed
  if (process.stdin.isTTY !== true || process.stderr.isTTY !== true) {
    const message = `Only a person at a terminal may ${what}, but stdin or stderr is no terminal here.`
    throw new ArcError('ARC_NEEDS_PERSON', message)
  }
  show?.()
  if (await isYes(question)) return confirmed
  tell('Nothing was changed.')
  return undefined
}

/** Who does something that anybody may do, such as raising the mode: nobody is refused. */
export function anybody(): Confirmed {
  const found = openProcessTable()?.read(process.pid)
  const { start = '', program = 'unknown', tty = 0 } = found ?? {}
  const own = { pid: process.pid, start, program, tty: ttyName(tty) ?? null }
  return { channel: 'terminal', by: userName(), process: own }
}

/** A change of the settings, as it is recorded. */
export interface RecordedChange {
  /** Such as `config:set`. */
  readonly action: string
  readonly message: string
  readonly data?: Readonly<Record<string, unknown>>
}

/** Records a change of the settings with the channel and the process it came from. */
export function recordChange(change: RecordedChange, confirmed: Confirmed): void {
  const stores = openStores(arcHome(), report)
  try {
    recordIn(stores.trace, change, confirmed)
  } finally {
    stores.close()
  }
}

/** The same in a record that is open already. */
export function recordIn(trace: Pick<TraceStore, 'append'>, change: RecordedChange, confirmed: Confirmed): void {
  const data = { ...change.data, ...confirmed }
  recordEvent(trace, { component: 'config', level: 'info', ...change, data }, { time: Date.now() })
}

async function isYes(question: string): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  // Ctrl-C and the end of the input are a no.
  const ended = new Promise<string>((resolve) => {
    terminal.once('close', () => resolve(''))
  })
  try {
    const typed = await Promise.race([terminal.question(`${question} Type yes to confirm: `), ended])
    return typed.trim().toLowerCase() === 'yes'
  } finally {
    terminal.close()
  }
}

function userName(): string {
  try {
    return userInfo().username
  } catch {
    // The user has no entry in the system's list.
    return `uid ${process.getuid?.() ?? '?'}`
  }
}
