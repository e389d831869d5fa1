// `arc mode`: shows or sets the mode of the active profile, with what it stops and the next command.

import { ProfileHome } from '../../supervisor/profile-home.ts'
import { showProfile } from '../../supervisor/profile-view.ts'
import colors from '../colors.ts'
import { info, print, printJson, shortPath } from '../output.ts'
import { describeState, readSupervision } from '../supervision-state.ts'
import { changeConfirmed } from './profile.run.ts'

/** Shows the mode; with an argument, sets it first. */
export async function mode(given: string | undefined, { json }: { readonly json?: boolean }): Promise<number> {
  const profiles = new ProfileHome()
  const name = profiles.active
  if (given !== undefined) {
    const isChanged = await changeConfirmed(profiles, { name, key: 'enforcement', value: given })
    if (isChanged === undefined) return 1
    if (!isChanged) info(`The mode of ${name} is already ${given}.`)
  }
  const { enforcement, problems, settings } = showProfile(profiles, name)
  const isHeld = problems.some(({ kind }) => kind === 'held')
  const from = settings.find(({ key }) => key === 'enforcement')?.from ?? 'default'
  const source = isHeld ? 'last in force' : from
  if (json === true) printJson({ profile: name, mode: enforcement, source })
  else {
    print(describeState(readSupervision(profiles)))
    if (source !== 'default') info(colors.dim(`set in: ${shortPath(source, [profiles.home])}`))
  }
  return 0
}
