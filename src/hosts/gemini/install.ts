// Where Gemini CLI and its fork Qwen Code keep hooks: settings.json in their own folders.

import { join } from 'node:path'
import type { AgentFacts } from '../facts/agent-facts.ts'
import type { HostName } from '../facts/list.ts'
import type { HostEvents } from '../host.ts'
import { type HooksFormat, hookGroup, hooksFile } from '../install/hooks-file.ts'
import type { HostInstall, InstallTarget } from '../install/install-file.ts'

/** What differs between the two. */
export interface SettingsOptions {
  readonly facts: AgentFacts<HostName>
  readonly events: HostEvents
  readonly folder: string
  /** The variable that takes the place of the home directory. */
  readonly homeVariable?: string
  readonly next: string
}

/** Installs into `<folder>/settings.json` of the home or the project. */
export function settingsInstall({ facts, events, folder, homeVariable, next }: SettingsOptions): HostInstall {
  const format: HooksFormat = { facts, events, entry: (line) => hookGroup(line), empty: '{\n  "hooks": {}\n}\n' }
  const findBase = ({ scope, dir, env }: InstallTarget): string => {
    const moved = homeVariable === undefined ? undefined : env[homeVariable]
    return scope === 'user' && moved ? moved : dir
  }
  return {
    files: (place) => [hooksFile(join(findBase(place), folder, 'settings.json'), format)],
    next: () => next,
  }
}
