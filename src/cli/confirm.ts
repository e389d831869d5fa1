// Confirmation by a person. Commands that approve, loosen or stop call this first: a process that an agent started is
// refused, and loosening needs a terminal and a typed yes.

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
import { context } from './context.ts'
import { openState } from './home-stores.ts'
import { info, report } from './output.ts'

/** The person's process, for the trace. */
export interface Confirmed {
  readonly channel: 'terminal'
  /** The user name. */
  readonly by: string
  readonly process: Requester
}

/** A question to the person. */
export interface Question {
  /** Prints the whole step or change on stderr. Not called if no confirmation is needed. */
  readonly show?: () => void
  /** One line that ends with a question mark. */
  readonly question: string
}

/**
 * For actions without a question (deny, stop, uninstall): throws ARC_NEEDS_PERSON for a process that an agent started.
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

// With a damaged database agents are only recognised by their programs: the daemon can still be stopped.
function openAgents(): ReturnType<typeof openState> {
  try {
    return openState()
  } catch (error) {
    report(`cannot read the list of running agents: ${describe(error)}`)
    return { state: new MemoryStateStore(), close: () => undefined }
  }
}

/**
 * For actions that loosen (approve, trust, lower, disable): throws ARC_NEEDS_PERSON for a process that an agent started,
 * or without a terminal. Returns undefined unless the person typed yes. After `arc init --confirm none` there is no
 * question.
 * @example
 * const confirmed = await confirm('lower the mode', { show: () => tell('enforce → log'), question: 'Lower the mode?' })
 * if (confirmed === undefined) return 1
 */
export async function confirm(what: string, { show, question }: Question): Promise<Confirmed | undefined> {
  const confirmed = requirePerson(what)
  if (readUnattendedHome(arcHome()) !== undefined) return confirmed
  if (!isInteractive()) {
    const message = `Only a person at a terminal may ${what}, but stdin or stderr is not a terminal.`
    throw new ArcError('ARC_NEEDS_PERSON', message)
  }
  show?.()
  if (await isYes(question)) return confirmed
  info('Nothing was changed.')
  return undefined
}

/** Describes this process, for actions that need no person, such as raising the mode. */
export function readRequester(): Confirmed {
  const found = openProcessTable()?.read(process.pid)
  const { start = '', program = 'unknown', tty = 0 } = found ?? {}
  const own = { pid: process.pid, start, program, tty: ttyName(tty) ?? null }
  return { channel: 'terminal', by: userName(), process: own }
}

/** A change of the settings, for the trace. */
export interface RecordedChange {
  /** An action such as `config:set`. */
  readonly action: string
  readonly message: string
  readonly data?: Readonly<Record<string, unknown>>
}

/** Records a change of the settings with its channel and process. */
export function recordChange(change: RecordedChange, confirmed: Confirmed): void {
  const stores = openStores(arcHome(), report)
  try {
    appendChange(stores.trace, change, confirmed)
  } finally {
    stores.close()
  }
}

/** Records a change in an open trace. */
export function appendChange(trace: Pick<TraceStore, 'append'>, change: RecordedChange, confirmed: Confirmed): void {
  const data = { ...change.data, ...confirmed }
  recordEvent(trace, { component: 'config', level: 'info', ...change, data }, { time: Date.now() })
}

/** Asks a question on the terminal. Undefined after Ctrl-C or the end of the input. */
export async function askLine(question: string): Promise<string | undefined> {
  const terminal = createInterface({ input: context().stdin, output: context().stderr })
  const ended = new Promise<undefined>((resolve) => {
    terminal.once('close', () => resolve(undefined))
  })
  try {
    return await Promise.race([terminal.question(question), ended])
  } finally {
    terminal.close()
  }
}

/** Can a person be asked? */
export function isInteractive(): boolean {
  return context().stdin.isTTY === true && context().stderr.isTTY === true
}

async function isYes(question: string): Promise<boolean> {
  const typed = await askLine(`${question} Type yes to confirm: `)
  return typed?.trim().toLowerCase() === 'yes'
}

function userName(): string {
  try {
    return userInfo().username
  } catch {
    // The uid has no entry in the user database.
    return `uid ${process.getuid?.() ?? '?'}`
  }
}
