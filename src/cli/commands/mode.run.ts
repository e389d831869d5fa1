// `arc mode`: shows or sets the mode of the profile in force.

import { ProfileHome } from '../../supervisor/profile-home.ts'
import { showProfile } from '../../supervisor/profile-view.ts'
import { print, printJson, shortPath, tell } from '../output.ts'
import { changeConfirmed } from './profile.run.ts'

/** Shows the mode; given one, sets it first. */
export async function mode(given: string | undefined, { json }: { readonly json?: boolean }): Promise<number> {
  const profiles = new ProfileHome()
  const name = profiles.active
  if (given !== undefined) {
    const isChanged = await changeConfirmed(profiles, { name, key: 'enforcement', value: given })
    if (isChanged === undefined) return 1
    if (!isChanged) tell(`The mode of ${name} is ${given} already.`)
  }
  const { enforcement, problems, settings } = showProfile(profiles, name)
  const isHeld = problems.some(({ kind }) => kind === 'held')
  const from = settings.find(({ key }) => key === 'enforcement')?.from ?? 'default'
  const source = isHeld ? 'last in force' : from
  if (json === true) printJson({ profile: name, mode: enforcement, source })
  else {
    print(enforcement)
    tell(`profile ${name}, from: ${shortPath(source, [profiles.home])}`)
  }
  return 0
}
