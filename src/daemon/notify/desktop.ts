// Shows a message on the desktop: with a program of the system, found on PATH, with fixed arguments and without a shell.

import { execFile } from 'node:child_process'
import { accessSync, constants, existsSync } from 'node:fs'
import { delimiter, isAbsolute, join } from 'node:path'
import { toLine } from '../../display/display-text.ts'
import type { ApprovalView } from '../../protocol/views.ts'

/** A message for the desktop. */
interface DesktopMessage {
  readonly kind: 'waiting' | 'over'
  readonly view: ApprovalView
}

interface DesktopOptions {
  readonly signal?: AbortSignal | undefined
  readonly env?: NodeJS.ProcessEnv | undefined
}

const SHOW_MS = 10_000
const MAX_COMMAND = 200
const MAX_REASON = 200

interface DesktopProgram {
  readonly name: string
  args(message: { readonly id: string; readonly title: string; readonly text: string }): readonly string[]
}

const PROGRAMS: readonly DesktopProgram[] = [
  {
    name: 'notify-send',
    // The hint lets the second message replace the first. The text is markup.
    args: ({ id, title, text }) => [
      '--app-name=ARC',
      '--hint',
      `string:x-canonical-private-synchronous:arc-${id}`,
      '--',
      title,
      text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;'),
    ],
  },
  {
    name: 'osascript',
    args: ({ title, text }) => [
      ...['-e', 'on run argv', '-e', 'display notification (item 1 of argv) with title (item 2 of argv)', '-e'],
      ...['end run', text, title],
    ],
  },
]

/** Shows a message; throws if no program for it is on PATH, or if it fails. */
export async function showOnDesktop(
  { kind, view }: DesktopMessage,
  { signal, env = process.env }: DesktopOptions = {},
): Promise<void> {
  const found = PROGRAMS.flatMap((program) => {
    const path = findOnPath(program.name, env.PATH ?? '')
    return path === undefined ? [] : [{ program, path }]
  })
  const [first] = found
  if (first === undefined) throw new Error(`none of ${PROGRAMS.map(({ name }) => name).join(', ')} is on PATH`)
  const { program, path } = first
  const title = kind === 'waiting' ? 'ARC: a step needs approval' : `ARC: ${STATUS_TITLES[view.status]}`
  await run(path, program.args({ id: view.id, title, text: formatText(kind, view) }), { signal, env })
}

const STATUS_TITLES: Readonly<Record<ApprovalView['status'], string>> = {
  pending: 'waiting',
  approved: 'approved',
  used: 'approved',
  denied: 'denied',
  expired: 'expired',
  withdrawn: 'no answer needed any more',
}

function formatText(kind: DesktopMessage['kind'], { id, command, reason }: ApprovalView): string {
  const shown = toLine(command, MAX_COMMAND)
  if (kind === 'over') return shown
  return [shown, ...(reason === null ? [] : [toLine(reason, MAX_REASON)]), `arc approve ${id}`].join('\n')
}

// Relative folders of PATH would depend on the folder of this process.
function findOnPath(name: string, path: string): string | undefined {
  const files = path.split(delimiter).flatMap((folder) => (isAbsolute(folder) ? [join(folder, name)] : []))
  return files.find(isExecutable)
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    // Missing, or not a program.
    return false
  }
}

function run(path: string, args: readonly string[], { signal, env = {} }: DesktopOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    const options = { timeout: SHOW_MS, env: withSessionBus(env), ...(signal !== undefined && { signal }) }
    execFile(path, args, options, (error, _stdout, stderr) => {
      if (error === null) resolve()
      else reject(new Error(toLine(stderr.trim() || error.message, MAX_REASON)))
    })
  })
}

// A daemon that a hook started may lack the address of the desktop.
function withSessionBus(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const socket = `/run/user/${process.getuid?.() ?? 0}/bus`
  if (env.DBUS_SESSION_BUS_ADDRESS !== undefined || !existsSync(socket)) return env
  return { ...env, DBUS_SESSION_BUS_ADDRESS: `unix:path=${socket}` }
}
