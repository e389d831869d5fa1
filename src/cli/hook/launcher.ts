// The launcher that this version installs in a home: its text is in guard, the replies of hosts come from here.

import { resolve } from 'node:path'
import { unquoteFromShell } from '../../engine/shell-quote.ts'
import {
  buildLauncherText,
  type FailureReply,
  type LauncherOptions,
  launcherFile,
  writeLauncher as write,
} from '../../guard/launcher.ts'
import { failureOutcome } from '../../hosts/failure.ts'
import { isUnreadable } from '../../hosts/host.ts'
import { HOSTS } from '../../hosts/list.ts'
import { STATE_DIR_VARIABLE, stateDir } from '../../platform/home.ts'
import {
  CALLER_HEADER,
  CALLER_VARIABLE,
  CWD_HEADER,
  FRAME_VARIABLE,
  HOOK_WIRE_TYPE,
  PROFILE_HEADER,
  SEPARATOR,
  SILENCE_MS,
} from '../../protocol/hook-wire.ts'

export { launcherFile }

/** The programs that the launcher starts. */
export interface LauncherPrograms {
  readonly home: string
  readonly node: string
  /** The absolute path of `arc`. */
  readonly arc: string
}

/** Writes the launcher atomically and returns its path. */
export function installLauncher(programs: LauncherPrograms): string {
  return write(launched(programs))
}

/** Is this the text of this version, whatever paths of Node and arc it contains? */
export function isCurrentLauncher(home: string, text: string): boolean {
  const [node, arc] = ['node', 'arc'].map((name) => new RegExp(`^${name}='(.*)'$`, 'm').exec(text)?.[1])
  if (node === undefined || arc === undefined) return false
  const unquoted = (path: string): string => unquoteFromShell(`'${path}'`) ?? path
  return buildLauncherText(launched({ home, node: unquoted(node), arc: unquoted(arc) })) === text
}

function launched({ home, node, arc }: LauncherPrograms): LauncherOptions {
  const wire = {
    type: HOOK_WIRE_TYPE,
    separator: SEPARATOR,
    silenceMs: SILENCE_MS,
    cwdHeader: CWD_HEADER,
    profileHeader: PROFILE_HEADER,
    callerHeader: CALLER_HEADER,
    callerVariable: CALLER_VARIABLE,
    frameVariable: FRAME_VARIABLE,
    stateDirVariable: STATE_DIR_VARIABLE,
  }
  return { home, node, arc, stateDir: resolve(stateDir()), wire, failures: failureReplies() }
}

const WHY = 'its launcher could not run arc'

// For each event of each host: the reply to a step without a decision in enforce, in the format of the host.
function failureReplies(): FailureReply[] {
  return Object.values(HOSTS).flatMap((host) => {
    const isInPayload = host.isEventInLine !== true
    return Object.keys(host.events).map((event) => {
      const read = host.readPayload(event, '', {})
      const step = isUnreadable(read) ? read.step : read
      const outcome = failureOutcome(step, WHY, 'enforce')
      const { stdout, exitCode } = host.reply(step, outcome, {})
      const isStopped = outcome.blocked && (stdout !== '' || exitCode !== 0)
      return { host: host.name, event, isInPayload, ...(isStopped && { reply: { stdout, exitCode } }) }
    })
  })
}
