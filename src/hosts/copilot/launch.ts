// Copilot for a single run: a plugin folder with ARC's hooks.

import { join } from 'node:path'
import type { LaunchInput, LaunchPlan } from '../host.ts'
import { hookLine } from '../install/command-line.ts'
import { listInstalledEvents } from '../install/registered-events.ts'

const PLUGIN = { name: 'arc', version: '1.0.0', description: 'Supervision by ARC, for this run.', hooks: 'hooks.json' }

export function launchCopilot({ host, folder, launcher }: LaunchInput): LaunchPlan {
  const lines = listInstalledEvents(host).map((event) => {
    return [event, [{ type: 'command', bash: hookLine(launcher, host.name, event) }]] as const
  })
  const files = [
    { path: join(folder, 'plugin.json'), text: JSON.stringify(PLUGIN) },
    { path: join(folder, 'hooks.json'), text: JSON.stringify({ version: 1, hooks: Object.fromEntries(lines) }) },
  ]
  return { args: ['--plugin-dir', folder], files }
}
