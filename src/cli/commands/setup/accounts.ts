// The system user and the approver group: looked up, created and removed with the tools of the system.

import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { ArcError, describe } from '../../../engine/errors.ts'

/** A user account. */
export interface Account {
  readonly uid: number
  readonly gid: number
  readonly home: string
  readonly shell: string
}

const NAME = /^[a-z_][a-z0-9_-]{0,30}$/
// The PATH of sudo need not have these tools.
const SYSTEM_PATH = '/usr/sbin:/usr/bin:/sbin:/bin'
const NO_LOGIN = /\/(?:nologin|false)$/
const FIRST_HUMAN_UID = 1_000

/** Throws unless the names are valid account names. */
export function requireAccountNames(names: readonly string[]): void {
  for (const name of names) {
    if (NAME.test(name)) continue
    const message = `${JSON.stringify(name)} is not a valid account name: expected lower-case letters, digits, - and _.`
    throw new ArcError('ARC_SETUP_FAILED', message)
  }
}

/** Finds an account by name. */
export function findAccount(name: string): Account | undefined {
  const fields = lookUp('passwd', name)
  return fields && { uid: Number(fields[2]), gid: Number(fields[3]), home: fields[5] ?? '', shell: fields[6] ?? '' }
}

/** Finds a group by name. */
export function findGroup(name: string): { readonly gid: number; readonly members: readonly string[] } | undefined {
  const fields = lookUp('group', name)
  return fields && { gid: Number(fields[2]), members: (fields[3] ?? '').split(',').filter((one) => one !== '') }
}

/** Creates the system user, without login; false if it exists already and no earlier setup created it. */
export function createUser(name: string, home: string): boolean {
  const present = findAccount(name)
  if (present !== undefined) {
    const isLogin = present.uid === 0 || (present.uid >= FIRST_HUMAN_UID && !NO_LOGIN.test(present.shell))
    if (!isLogin) return present.home === home && NO_LOGIN.test(present.shell)
    const message = `${name} is a login account. ARC needs a separate account: choose another name with --user.`
    throw new ArcError('ARC_SETUP_FAILED', message)
  }
  const shell = ['/usr/sbin/nologin', '/sbin/nologin'].find((path) => existsSync(path)) ?? '/bin/false'
  run('useradd', ['--system', '--user-group', '--no-create-home', '--home-dir', home, '--shell', shell, name])
  return true
}

/** Creates the group; false if it exists already. */
export function createGroup(name: string): boolean {
  if (findGroup(name) !== undefined) return false
  run('groupadd', ['--system', name])
  return true
}

/** Adds accounts to a group, which takes effect at their next login. */
export function addMembers(group: string, names: readonly string[]): void {
  for (const name of names) {
    if (findAccount(name) === undefined) {
      throw new ArcError('ARC_SETUP_FAILED', `There is no account ${JSON.stringify(name)} to add to ${group}.`)
    }
    if (findGroup(group)?.members.includes(name) !== true) run('usermod', ['--append', '--groups', group, name])
  }
}

export function removeUser(name: string): void {
  if (findAccount(name) !== undefined) run('userdel', [name])
  // userdel keeps the user's own group on some systems.
  if (findGroup(name) !== undefined) run('groupdel', [name])
}

export function removeGroup(name: string): void {
  if (findGroup(name) !== undefined) run('groupdel', [name])
}

/** Runs a system tool; throws with its error output. */
export function run(tool: string, args: readonly string[]): string {
  try {
    const env = { ...process.env, PATH: SYSTEM_PATH }
    return execFileSync(tool, args, { env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], timeout: 60_000 })
  } catch (error) {
    const output = (error as { stderr?: string }).stderr?.trim() || describe(error)
    throw new ArcError('ARC_SETUP_FAILED', `${tool} ${args.join(' ')} failed: ${output}.`)
  }
}

// getent also covers directory services; without it the file is read.
function lookUp(table: 'passwd' | 'group', name: string): string[] | undefined {
  let text: string
  try {
    text = run('getent', [table, name])
  } catch {
    text = readFileSync(`/etc/${table}`, 'utf8')
  }
  const line = text.split('\n').find((one) => one.startsWith(`${name}:`))
  return line?.split(':')
}
