// `arc status` on a managed machine, for accounts that cannot enter the home: the public socket tells it. Approvers also get
// a link that opens the page signed in, over the control socket.

import { isRecord } from '../../../engine/plain-data.ts'
import type { ManagedInstall } from '../../../guard/managed-install.ts'
import colors from '../../colors.ts'
import { managedForOthers } from '../../managed-access.ts'
import { askManaged } from '../../managed-client.ts'
import { oneLine, print, printJson } from '../../output.ts'

/** Shows it. A managed daemon that does not run is a failure: every hook call is refused then. */
export async function status({ json }: { readonly json?: boolean }): Promise<number> {
  const managed = managedForOthers()
  if (managed === undefined) return 1
  const found = await askManaged({ socket: managed.socket, path: '/v1/status' }).catch(() => undefined)
  const running = isRecord(found)
  const view = {
    ...{ running, pid: null, url: null, socket: managed.socket, profile: null, enforcement: null },
    ...{ breaker: null, uptimeMs: null, ...(running ? found : {}) },
    loginUrl: running ? await linkOf(managed) : null,
    managed: { user: managed.user, group: managed.group },
  }
  if (json === true) printJson({ ...view, socket: managed.socket })
  else printStatus(view, managed)
  return running ? 0 : 1
}

// Null for everyone but approvers.
async function linkOf({ control }: ManagedInstall): Promise<string | null> {
  const asked = { socket: control, method: 'POST', path: '/v1/control/login-link' } as const
  const answer = await askManaged(asked).catch(() => undefined)
  return isRecord(answer) && typeof answer.loginUrl === 'string' ? answer.loginUrl : null
}

interface View {
  readonly running: boolean
  readonly pid: unknown
  readonly url: unknown
  readonly profile: unknown
  readonly enforcement: unknown
  readonly loginUrl: string | null
}

function printStatus(
  { running, pid, url, profile, enforcement, loginUrl }: View,
  { user, group }: ManagedInstall,
): void {
  if (running) print(`${colors.green('✓')} running as process ${pid}, managed by ${user}`)
  else print(`${colors.red('✗')} not running: hook calls are refused until it does (sudo arc doctor)`)
  if (running) print(`  profile  ${oneLine(String(profile))}, ${oneLine(String(enforcement))}`)
  if (running && url !== null) print(`  page     ${oneLine(String(url))}`)
  if (loginUrl !== null) print(`  open     ${loginUrl}`)
  else print(`  answers  by members of ${group}: arc approvals list`)
}
