// Cline: an executable file an event.

import { join } from 'node:path'
import { defineHost } from '../define-host.ts'
import { event } from '../host.ts'
import { hookLine } from '../install/command-line.ts'
import type { HostInstall, InstallFile, InstallOptions, InstallTarget } from '../install/install-file.ts'
import { isOwn, OWN_MARK, ownFile } from '../install/own-file.ts'
import { CLINE_EVENTS } from './events.ts'
import { clineFacts } from './facts.ts'
import { parseClinePayload } from './payload.ts'
import { replyCline } from './reply.ts'

const EXECUTABLE = 0o755

const INSTALLED = Object.keys(CLINE_EVENTS).filter((name) => CLINE_EVENTS[name]?.isInstalled)

const script =
  (name: string) =>
  ({ command, failClosed }: InstallOptions): string => {
    const line = hookLine(command, clineFacts.name, name)
    if (failClosed !== true || CLINE_EVENTS[name]?.block === 'none') return `#!/bin/sh\n# ${OWN_MARK}\nexec ${line}\n`
    return `#!/bin/sh\n# ${OWN_MARK}\n${line}\ncode=$?\n${ON_FAILURE}`
  }

// Cline reads the JSON and no exit code, so a launcher that cannot run has to be answered for in JSON.
const ON_FAILURE = `case $code in 0 | 2) exit $code ;; esac
printf '%s\\n' '{"cancel":true,"errorMessage":"ARC could not check this: its launcher could not run. Run arc doctor."}'
exit 2
`

function firstChoice({ scope, dir }: InstallTarget, name: string): InstallFile {
  const folder = scope === 'project' ? ['.clinerules', 'hooks'] : ['Documents', 'Cline', 'Hooks']
  return ownFile(join(dir, ...folder, name), script(name), EXECUTABLE)
}

// Cline runs the files of this folder too: used if the user has a hook in the first folder.
function secondChoice({ dir }: InstallTarget, name: string): InstallFile {
  return ownFile(join(dir, '.cline', 'hooks', `${name}.sh`), script(name), EXECUTABLE)
}

const install: HostInstall = {
  files: (place) => INSTALLED.flatMap((name) => [firstChoice(place, name), secondChoice(place, name)]),
  choose: (place, texts) =>
    INSTALLED.map((name) => {
      const [first, second] = [firstChoice(place, name), secondChoice(place, name)]
      const taken = texts.get(first.path)
      return taken === undefined || isOwn(taken) ? first : second
    }),
  next: () =>
    'Cline takes it up with its next task, if hooks are enabled in its settings. To stop a call, Cline can only cancel the task: a block ends the run.',
}

/** Cline. */
export const cline = defineHost({
  facts: clineFacts,
  title: 'Cline',
  verifiedWith: '3.0.65',
  events: CLINE_EVENTS,
  unknownEvent: event('pre:session:phase', { block: 'cancel' }),
  tell: parseClinePayload,
  reply: replyCline,
  program: 'cline',
  // No launch: Cline accepts a folder for hooks on its command line, but does not read it.
  canary: ({ session, dir, command }) => ({
    event: 'PreToolUse',
    payload: {
      taskId: session,
      workspaceRoots: [dir],
      hookName: 'tool_call',
      tool_call: { id: session, name: 'run_commands', input: { commands: [command] } },
    },
  }),
  install,
})
