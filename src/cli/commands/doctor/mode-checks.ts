// Checks that the mode in force is the configured one, and that the launcher knows it.

import { readFileSync } from 'node:fs'
import { readInstalls } from '../../../guard/installs.ts'
import { launcherModeFile } from '../../../guard/launcher.ts'
import type { Check } from '../../../hosts/check.ts'
import { ProfileHome } from '../../../supervisor/profile-home.ts'
import { context } from '../../context.ts'
import { isCurrentLauncher, launcherFile } from '../../hook/launcher.ts'

/** The checks of mode and launcher. */
export function modeChecks(home: string): Check[] {
  const profiles = new ProfileHome(home)
  const { user, problems, chosen } = profiles.load(profiles.chosen)
  const held = problems.find(({ kind }) => kind === 'held')
  const mode: Check =
    held === undefined
      ? { name: 'mode', ok: true, detail: `${user.enforcement}, from profile ${chosen}` }
      : { name: 'mode', ok: false, detail: held.message, fix: `arc profile show, then: arc mode ${user.enforcement}` }
  return [mode, ...environmentCheck(profiles), ...launcherChecks(home, user.enforcement)]
}

// An agent's environment can only tighten: a laxer $ARC_PROFILE has no effect on hooks.
function environmentCheck(profiles: ProfileHome): Check[] {
  const given = context().env.ARC_PROFILE
  if (!given || given === profiles.chosen) return []
  const name = '$ARC_PROFILE'
  const fix = `unset ARC_PROFILE, or set the active profile: arc profile use ${profiles.chosen}`
  if (!profiles.list().includes(given)) {
    const detail = `there is no profile ${given}; hooks use ${profiles.chosen}`
    return [{ name, ok: false, detail, fix }]
  }
  const detail = `hooks use the stricter of ${given} and ${profiles.chosen} for each setting`
  return [{ name, ok: true, detail }]
}

function launcherChecks(home: string, mode: string): Check[] {
  const name = 'launcher'
  const text = readText(launcherFile(home))
  const [install] = readInstalls(home)
  if (text === undefined && install === undefined) return []
  const fix = `arc install ${install?.host ?? 'HOST'}`
  if (text === undefined) return [{ name, ok: false, detail: `${launcherFile(home)} does not exist`, fix }]
  if (!isCurrentLauncher(home, text)) {
    return [{ name, ok: false, detail: `${launcherFile(home)} was written by another version`, fix }]
  }
  const known = readText(launcherModeFile(home))?.trim()
  if (known === mode) return [{ name, ok: true, detail: `${launcherFile(home)}, mode ${mode}` }]
  const detail = `if ARC cannot run, the launcher acts as in ${known ?? 'enforce'}, but the mode is ${mode}`
  return [{ name, ok: false, detail, fix: `arc mode ${mode}` }]
}

function readText(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    // The file does not exist.
    return undefined
  }
}
