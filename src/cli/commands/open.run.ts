// `arc open`: opens the dashboard of the running daemon in a browser, signed in.

import { arcHome } from '../../platform/home.ts'
import { context } from '../context.ts'
import { openLink } from '../login-link.ts'
import { print, printJson, report } from '../output.ts'
import { readStatus } from './status.run.ts'

/** Prints a one-time login link and opens it. */
export async function open({
  browser,
  json,
}: {
  readonly browser?: boolean
  readonly json?: boolean
}): Promise<number> {
  const home = arcHome()
  const { running, loginUrl, loginHint } = await readStatus(home)
  if (loginUrl === null) {
    report(
      running
        ? (loginHint ?? 'there is no link to the dashboard')
        : 'the daemon is not running; start it with: arc serve',
    )
    return 1
  }
  if (json === true) printJson({ loginUrl })
  else print(loginUrl)
  if (browser !== false && context().stdout.isTTY) openLink(home, loginUrl)
  return 0
}
