// The permissions of commands on a managed machine. Root and the system user work on the managed home; every other
// account only reaches the daemon's sockets.

import { chmodSync, chownSync, mkdirSync, statSync } from 'node:fs'
import { ArcError } from '../engine/errors.ts'
import { type ManagedInstall, readManagedInstall } from '../guard/managed-install.ts'

/** Commands that use neither the home nor the daemon: they work as on any machine. */
const UNRESTRICTED = new Set(['setup', 'install', 'uninstall', 'hook', 'completion', 'complete', 'help', 'script'])
/** Commands that work for other accounts over the sockets. */
const BY_SOCKET = new Set(['status', 'approvals', 'approve', 'deny', 'doctor'])
/** Commands that would need a second home: refused. */
const UNAVAILABLE = new Set(['sample', 'sample-agent', 'launch'])

/** The managed installation, if this process may only use its sockets. */
export function managedForOthers(): ManagedInstall | undefined {
  const managed = readManagedInstall()
  return managed === undefined || isService(managed) ? undefined : managed
}

/**
 * Called before each command. On a managed machine root becomes the system user, since the daemon could not change files
 * of root. Commands that need the home are refused to other accounts.
 */
export function enterManaged(command: string): void {
  const managed = readManagedInstall()
  if (managed === undefined || UNRESTRICTED.has(command)) return
  if (UNAVAILABLE.has(command)) throw refusal(managed, command, 'does not work on a managed machine')
  if (isService(managed)) becomeService(managed, command)
  else if (!BY_SOCKET.has(command)) throw refusal(managed, command, `needs root: sudo arc ${command}`)
}

/** May this process act on the managed home? */
function isService({ uid }: ManagedInstall): boolean {
  const own = process.getuid?.()
  return own === 0 || own === uid
}

function becomeService({ home, uid, gid: approvers, run }: ManagedInstall, command: string): void {
  process.env.ARC_HOME = home
  process.env.HOME = home
  for (const name of ['ARC_PROFILE', 'ARC_DAEMON', 'ARC_SQLITE', 'ARC_STATE_DIR', 'XDG_STATE_HOME'])
    delete process.env[name]
  if (process.getuid?.() !== 0) return
  // The group of the home is the user's own group.
  const { gid } = statSync(home)
  if (command === 'serve') prepareRun(run, uid, gid)
  // The daemon must be a member of the approver group to give it the control socket.
  process.setgroups?.([gid, approvers])
  process.setgid?.(gid)
  process.setuid?.(uid)
}

// /run is empty after a restart, and only root can write there.
function prepareRun(run: string, uid: number, gid: number): void {
  mkdirSync(run, { recursive: true, mode: 0o755 })
  chownSync(run, uid, gid)
  chmodSync(run, 0o755)
}

function refusal({ user }: ManagedInstall, command: string, what: string): ArcError {
  const message = `This machine is managed: ARC belongs to the account ${user}, and "arc ${command}" ${what}.`
  return new ArcError('ARC_MANAGED', message)
}
