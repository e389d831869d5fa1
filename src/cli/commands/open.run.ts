// `arc open`: opens the page of the running daemon in a browser, signed in.

import { arcHome } from '../../platform/home.ts'
import { openLink } from '../login-link.ts'
import { print, printJson, report } from '../output.ts'
import { statusOf } from './status.run.ts'

/** Prints a login link that works once, and opens it. */
export async function open({
  browser,
  json,
}: {
  readonly browser?: boolean
  readonly json?: boolean
}): Promise<number> {
  const home = arcHome()
  const { running, loginUrl, loginHint } = await statusOf(home)
  if (loginUrl === null) {
    report(running ? (loginHint ?? 'there is no link to the page') : 'no daemon is running; start one with: arc serve')
    return 1
  }
  if (json === true) printJson({ loginUrl })
  else print(loginUrl)
  if (browser !== false && process.stdout.isTTY) openLink(home, loginUrl)
  return 0
}
