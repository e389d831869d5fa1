// Is the mode in force the one that the files ask for, and does the launcher know it?

import { readFileSync } from 'node:fs'
import { readInstalls } from '../../../guard/installs.ts'
import { launcherModeFile } from '../../../guard/launcher.ts'
import type { Check } from '../../../hosts/diagnose.ts'
import { ProfileHome } from '../../../supervisor/profile-home.ts'
import { isCurrentLauncher, launcherFile } from '../../hook/launcher.ts'

/** The checks of mode and launcher. */
export function modeChecks(home: string): Check[] {
  const profiles = new ProfileHome(home)
  const { user, problems, chosen } = profiles.load(profiles.chosen)
  const held = problems.find(({ kind }) => kind === 'held')
  const mode: Check =
    held === undefined
      ? { name: 'mode', ok: true, detail: `${user.enforcement}, as the profile ${chosen} says` }
      : { name: 'mode', ok: false, detail: held.message, fix: `arc profile show, then: arc mode ${user.enforcement}` }
  return [mode, ...environmentCheck(profiles), ...launcherChecks(home, user.enforcement)]
}

// The environment of an agent can only tighten, so a laxer profile in it has no effect on hooks.
function environmentCheck(profiles: ProfileHome): Check[] {
  const given = process.env.ARC_PROFILE
  if (!given || given === profiles.chosen) return []
  const name = '$ARC_PROFILE'
  const fix = `unset ARC_PROFILE, or choose a profile: arc profile use ${profiles.chosen}`
  if (!profiles.list().includes(given)) {
    const detail = `there is no profile ${given}; hooks go by the profile ${profiles.chosen}`
    return [{ name, ok: false, detail, fix }]
  }
  const detail = `hooks go by ${given} where it is stricter than ${profiles.chosen}, and by ${profiles.chosen} elsewhere`
  return [{ name, ok: true, detail }]
}

function launcherChecks(home: string, mode: string): Check[] {
  const name = 'launcher'
  const text = textOf(launcherFile(home))
  const [install] = readInstalls(home)
  if (text === undefined && install === undefined) return []
  const fix = `arc install ${install?.host ?? 'HOST'}`
  if (text === undefined) return [{ name, ok: false, detail: `${launcherFile(home)} is not there`, fix }]
  if (!isCurrentLauncher(home, text)) {
    return [{ name, ok: false, detail: `${launcherFile(home)} is not as this version writes it`, fix }]
  }
  const known = textOf(launcherModeFile(home))?.trim()
  if (known === mode) return [{ name, ok: true, detail: `${launcherFile(home)}, mode ${mode}` }]
  const detail = `it would act as in ${known ?? 'enforce'} when ARC cannot run, and the mode is ${mode}`
  return [{ name, ok: false, detail, fix: `arc mode ${mode}` }]
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    // Not there, which is what is asked here.
    return undefined
  }
}
