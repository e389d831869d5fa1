// The launcher of a home as this version installs it: its text is in guard, the words and answers of hosts come from here.

import { resolve } from 'node:path'
import { unquoteShell } from '../../engine/shell-quote.ts'
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

/** What the launcher starts. */
export interface LauncherPrograms {
  readonly home: string
  readonly node: string
  /** The absolute path of `arc`. */
  readonly arc: string
}

/** Writes the launcher, whole or not at all, and gives its path. */
export function writeLauncher(programs: LauncherPrograms): string {
  return write(launched(programs))
}

/** Is this the text that this version writes, for whatever Node and arc it names? */
export function isCurrentLauncher(home: string, text: string): boolean {
  const [node, arc] = ['node', 'arc'].map((name) => new RegExp(`^${name}='(.*)'$`, 'm').exec(text)?.[1])
  if (node === undefined || arc === undefined) return false
  const unquoted = (path: string): string => unquoteShell(`'${path}'`) ?? path
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

// The dialect of each host at each event, as the host's adapter answers a step that could not be judged in enforce.
function failureReplies(): FailureReply[] {
  return Object.values(HOSTS).flatMap((host) => {
    const isInPayload = !['copilot', 'cline', 'opencode'].includes(host.name)
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
