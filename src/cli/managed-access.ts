// What a command may do on a managed machine. Root and the system user work on the managed home; every other account reaches
// the daemon by its sockets only.

import { chmodSync, chownSync, mkdirSync, statSync } from 'node:fs'
import { ArcError } from '../engine/errors.ts'
import { type ManagedInstall, readManagedInstall } from '../guard/managed-install.ts'

/** Commands that touch neither the home nor the daemon: everyone runs them as on any machine. */
const ANYONE = new Set(['setup', 'install', 'uninstall', 'hook', 'completion', 'complete', 'help', 'script'])
/** Commands that work for other accounts too, over the sockets. */
const BY_SOCKET = new Set(['status', 'approvals', 'doctor'])
/** Commands that would need a second home. */
const NOWHERE = new Set(['sample', 'sample-agent', 'launch'])

/** The managed installation, when this process may only use its sockets; undefined otherwise. */
export function managedForOthers(): ManagedInstall | undefined {
  const managed = readManagedInstall()
  return managed === undefined || isService(managed) ? undefined : managed
}

/**
 * Called before each command, with its name. On a managed machine root becomes the system user: files that root left in the
 * home would lock the daemon out. Other accounts are refused what they cannot do.
 */
export function enterManaged(command: string): void {
  const managed = readManagedInstall()
  if (managed === undefined || ANYONE.has(command)) return
  if (NOWHERE.has(command)) throw refusal(managed, command, 'does not work on a managed machine')
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
  // The home belongs to the user and to the user's own group.
  const { gid } = statSync(home)
  if (command === 'serve') prepareRun(run, uid, gid)
  // The daemon gives its control socket to the approvers, which takes a member of the group.
  process.setgroups?.([gid, approvers])
  process.setgid?.(gid)
  process.setuid?.(uid)
}

// Below /run, which only root can write to and which is empty after a restart of the machine.
function prepareRun(run: string, uid: number, gid: number): void {
  mkdirSync(run, { recursive: true, mode: 0o755 })
  chownSync(run, uid, gid)
  chmodSync(run, 0o755)
}

function refusal({ user }: ManagedInstall, command: string, what: string): ArcError {
  const message = `This machine is managed: ARC belongs to the account ${user}, and "arc ${command}" ${what}.`
  return new ArcError('ARC_MANAGED', message)
}
