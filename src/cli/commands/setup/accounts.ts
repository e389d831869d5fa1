// The system user and the group of approvers: looked up in the files of the system, made and removed with its own tools.

import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { ArcError, describe } from '../../../engine/errors.ts'

/** An account of the machine. */
export interface Account {
  readonly uid: number
  readonly gid: number
  readonly home: string
  readonly shell: string
}

const NAME = /^[a-z_][a-z0-9_-]{0,30}$/
// The tools are not always in the PATH that sudo leaves.
const SYSTEM_PATH = '/usr/sbin:/usr/bin:/sbin:/bin'
const NO_LOGIN = /\/(?:nologin|false)$/
const FIRST_PERSON = 1_000

/** Throws unless both names can be names of accounts. */
export function requireNames(names: readonly string[]): void {
  for (const name of names) {
    if (NAME.test(name)) continue
    const message = `${JSON.stringify(name)} cannot be the name of an account: expected lower-case letters, digits, - and _.`
    throw new ArcError('ARC_SETUP_FAILED', message)
  }
}

/** The account of this name; undefined when there is none. */
export function findAccount(name: string): Account | undefined {
  const fields = lookUp('passwd', name)
  return fields && { uid: Number(fields[2]), gid: Number(fields[3]), home: fields[5] ?? '', shell: fields[6] ?? '' }
}

/** The number and the members of a group; undefined when there is none. */
export function findGroup(name: string): { readonly gid: number; readonly members: readonly string[] } | undefined {
  const fields = lookUp('group', name)
  return fields && { gid: Number(fields[2]), members: (fields[3] ?? '').split(',').filter((one) => one !== '') }
}

/** Makes the system user, without login; false when it is there already and was not made by an earlier setup. */
export function makeUser(name: string, home: string): boolean {
  const present = findAccount(name)
  if (present !== undefined) {
    const isPerson = present.uid === 0 || (present.uid >= FIRST_PERSON && !NO_LOGIN.test(present.shell))
    if (!isPerson) return present.home === home && NO_LOGIN.test(present.shell)
    const message = `${name} is an account that people use. ARC needs one of its own: choose another name with --user.`
    throw new ArcError('ARC_SETUP_FAILED', message)
  }
  const shell = ['/usr/sbin/nologin', '/sbin/nologin'].find((path) => existsSync(path)) ?? '/bin/false'
  run('useradd', ['--system', '--user-group', '--no-create-home', '--home-dir', home, '--shell', shell, name])
  return true
}

/** Makes the group; false when it is there already. */
export function makeGroup(name: string): boolean {
  if (findGroup(name) !== undefined) return false
  run('groupadd', ['--system', name])
  return true
}

/** Adds accounts to a group. Takes effect for their next login. */
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
  // Some systems keep the user's own group.
  if (findGroup(name) !== undefined) run('groupdel', [name])
}

export function removeGroup(name: string): void {
  if (findGroup(name) !== undefined) run('groupdel', [name])
}

/** Runs a tool of the system; throws with what it said. */
export function run(tool: string, args: readonly string[]): string {
  try {
    const env = { ...process.env, PATH: SYSTEM_PATH }
    return execFileSync(tool, args, { env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], timeout: 60_000 })
  } catch (error) {
    const said = (error as { stderr?: string }).stderr?.trim() || describe(error)
    throw new ArcError('ARC_SETUP_FAILED', `${tool} ${args.join(' ')} failed: ${said}.`)
  }
}

// Through getent, which also knows directory services; without it the file.
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
