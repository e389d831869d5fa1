// `arc status` on a managed machine, for accounts that cannot read the home: over the public socket. Approvers also get
// a login link, over the control socket.

import { isRecord } from '../../../engine/plain-data.ts'
import type { ManagedInstall } from '../../../guard/managed-install.ts'
import colors from '../../colors.ts'
import { managedForOthers } from '../../managed-access.ts'
import { requestManaged } from '../../managed-client.ts'
import { oneLine, print, printJson } from '../../output.ts'

/** Prints the status. Exit code 1 if the daemon is stopped: then every hook call is refused. */
export async function status({ json }: { readonly json?: boolean }): Promise<number> {
  const managed = managedForOthers()
  if (managed === undefined) return 1
  const found = await requestManaged({ socket: managed.socket, path: '/v1/status' }).catch(() => undefined)
  const running = isRecord(found)
  const view = {
    ...{ running, pid: null, url: null, socket: managed.socket, profile: null, enforcement: null },
    ...{ breaker: null, uptimeMs: null, ...(running ? found : {}) },
    loginUrl: running ? await fetchLink(managed) : null,
    managed: { user: managed.user, group: managed.group },
  }
  if (json === true) printJson({ ...view, socket: managed.socket })
  else printStatus(view, managed)
  return running ? 0 : 1
}

// Null for accounts that are not approvers.
async function fetchLink({ control }: ManagedInstall): Promise<string | null> {
  const request = { socket: control, method: 'POST', path: '/v1/control/login-link' } as const
  const answer = await requestManaged(request).catch(() => undefined)
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
  else print(`${colors.red('✗')} not running: all hook calls are refused (sudo arc doctor)`)
  if (running) print(`  profile  ${oneLine(String(profile))}, ${oneLine(String(enforcement))}`)
  if (running && url !== null) print(`  url      ${oneLine(String(url))}`)
  if (loginUrl !== null) print(`  open     ${loginUrl}`)
  else print(`  approve  as a member of ${group}: arc approvals list`)
}
