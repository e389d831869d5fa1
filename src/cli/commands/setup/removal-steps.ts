// The steps of `arc setup --managed --remove`. The home with the trace is kept, and so is the account that owns it: its
// uid could otherwise go to a new account, which would then own the trace. --purge removes both.

import { rmSync, statSync } from 'node:fs'
import { endProcess } from '../../../daemon/process/lifecycle.ts'
import { readPidFile } from '../../../daemon/process/pid-file.ts'
import { ArcError } from '../../../engine/errors.ts'
import { type ManagedInstall, systemPaths } from '../../../guard/managed-install.ts'
import { readProcess } from '../../../guard/process-table.ts'
import { removeGroup, removeUser, run } from './accounts.ts'
import { isOwnLink, type SetupStep } from './setup-steps.ts'
import { removeSystemHooks } from './system-hooks.ts'
import { isSystemdRunning } from './systemd-unit.ts'

const STOP_MS = 15_000

/** Lists the steps. */
export function removalSteps(managed: ManagedInstall, isPurged: boolean): SetupStep[] {
  const { root, home, prefix, run: runFolder, unit, user, group, made } = managed
  const remove = (path: string) => rmSync(path, { recursive: true, force: true })
  const { link } = made
  const steps: SetupStep[] = [{ title: 'daemon stopped', run: () => stopDaemon(managed) }]
  for (const host of made.hosts) {
    steps.push({ title: `system-wide hooks of ${host} removed`, run: () => removeSystemHooks(host, root) })
  }
  if (unit !== null) steps.push({ title: `${unit} removed`, run: () => removeUnit(unit, root) })
  if (link !== null) {
    steps.push({ title: `${link} removed`, run: () => (isOwnLink(link, prefix) ? remove(link) : undefined) })
  }
  steps.push({ title: `${prefix} removed`, run: () => remove(prefix) })
  steps.push({ title: `${runFolder} removed`, run: () => remove(runFolder) })
  if (isPurged) {
    steps.push({ title: `${home} with the audit trail removed`, run: () => remove(home) })
    if (made.user) steps.push({ title: `user ${user} removed`, run: () => removeUser(user) })
    if (made.group) steps.push({ title: `group ${group} removed`, run: () => removeGroup(group) })
  }
  // Last: while the marker exists, the same command can be repeated.
  steps.push({ title: `${systemPaths(root).marker} removed`, run: () => remove(systemPaths(root).marker) })
  return steps
}

function removeUnit(unit: string, root: string): void {
  rmSync(unit, { force: true })
  if (isSystemdRunning(root)) run('systemctl', ['daemon-reload'])
}

// Only a process of the system user is ended: the pid may belong to another process by now.
async function stopDaemon({ home, uid, root, unit }: ManagedInstall): Promise<void> {
  if (unit !== null && isSystemdRunning(root)) run('systemctl', ['disable', '--now', 'arc.service'])
  const { pid } = readPidFile(home) ?? {}
  if (pid === undefined || statSync(`/proc/${pid}`, { throwIfNoEntry: false })?.uid !== uid) return
  const daemon = { pid, start: readProcess(pid)?.start }
  if (await endProcess(daemon, 'SIGTERM', STOP_MS)) return
  if (await endProcess(daemon, 'SIGKILL', STOP_MS)) return
  throw new ArcError('ARC_SETUP_FAILED', `The daemon, process ${pid}, did not end.`)
}
