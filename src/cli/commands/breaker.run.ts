// `arc breaker`: shows or resets the circuit breaker.

import { createServices } from '../../hooks/pipeline-services.ts'
import { openStores } from '../../storage/open-stores.ts'
import { type BreakerStatus, DurableBreaker } from '../../supervisor/breaker/breaker.ts'
import { openDryRun } from '../../supervisor/dry-run.ts'
import colors from '../colors.ts'
import { appendChange, requirePerson } from '../confirm.ts'
import { context } from '../context.ts'
import { fromNow, info, print, printJson, report } from '../output.ts'

interface JsonOption {
  readonly json?: boolean
}

/** Shows the breaker of the active profile. */
export async function showBreaker({ json }: JsonOption): Promise<number> {
  const { preview, close } = openDryRun({ cwd: context().cwd, report })
  try {
    printStatus(preview.breaker(), preview.config.profile, json === true)
    return 0
  } finally {
    close()
  }
}

/** Closes the breaker of the active profile. */
export async function resetBreaker({ json }: JsonOption): Promise<number> {
  const confirmed = requirePerson('reset the breaker')
  const { preview, home, close } = openDryRun({ cwd: context().cwd, report })
  close()
  const { profile, breaker: settings } = preview.config
  const stores = openStores(home, report)
  try {
    if (!stores.isDurable) {
      report('the breaker was not reset: the database cannot be written')
      return 1
    }
    const services = createServices({ ...stores, profile: () => profile, notify: () => undefined })
    const breaker = new DurableBreaker({ ...settings, profile }, services)
    breaker.reset()
    appendChange(stores.trace, { action: 'breaker:reset-asked', message: 'arc breaker reset' }, confirmed)
    printStatus(breaker.status(), profile, json === true)
    return 0
  } finally {
    stores.close()
  }
}

const LOOKS: Readonly<
  Record<BreakerStatus['state'], { icon: string; paint: (text: string) => string; means: string }>
> = {
  closed: { icon: '✓', paint: colors.green, means: 'hooks act as configured' },
  open: { icon: '✗', paint: colors.red, means: 'hooks in advise and enforce act as in log, except critical ones' },
  'half-open': { icon: '!', paint: colors.yellow, means: 'the next hook run closes or opens it' },
}

function printStatus(status: BreakerStatus, profile: string, isJson: boolean): void {
  const { state, failures, threshold, openedAt = null, halfOpenAt = null } = status
  if (isJson) {
    printJson({ state, failures, threshold, openedAt, halfOpenAt })
    return
  }
  const { icon, paint, means } = LOOKS[state]
  print(`${paint(`${icon} ${state}`)}  profile ${colors.bold(profile)}: ${means}`)
  print(`  failures  ${failures} in a row; the breaker opens at ${threshold}`)
  if (openedAt !== null) print(`  opened    ${fromNow(openedAt)}`)
  if (halfOpenAt !== null && state === 'open') print(`  retries   ${fromNow(halfOpenAt)}; now: arc breaker reset`)
  if (state !== 'closed') info('Failures: arc logs --action hook:error')
}
