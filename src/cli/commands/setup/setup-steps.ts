// The steps of `arc setup --managed`, in order. Each can be repeated: existing parts are checked and kept.

import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  realpathSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { ArcError } from '../../../engine/errors.ts'
import { findForeignWriters, type ManagedInstall, ROOT_VARIABLE, systemPaths } from '../../../guard/managed-install.ts'
import { addMembers, createGroup, createUser, findAccount, findGroup, run } from './accounts.ts'
import { commandText, hookText, type ManagedPrograms } from './managed-launcher.ts'
import { copiedPaths, copyPackage, systemNode } from './package-copy.ts'
import { addSystemHooks } from './system-hooks.ts'
import { hasSystemd, isSystemdRunning, unitText } from './systemd-unit.ts'

/** The settings of a setup. */
export interface SetupPlan {
  readonly root: string
  readonly user: string
  readonly group: string
  readonly approvers: readonly string[]
  readonly prefix: string
  readonly home: string
  readonly enforcement: string
  readonly hosts: readonly string[]
  readonly isStarted: boolean
  /** The result of an earlier setup. */
  readonly present: ManagedInstall | undefined
}

/** One change to the machine. */
export interface SetupStep {
  readonly title: string
  run(): void | Promise<void>
}

/** Lists the steps. */
export function setupSteps(plan: SetupPlan): SetupStep[] {
  const { root, user, group, approvers, prefix, home, hosts, present } = plan
  const paths = systemPaths(root)
  const made = { user: present?.made.user ?? false, group: present?.made.group ?? false }
  const managed = (): ManagedInstall => describeManaged(plan, made)
  const steps: SetupStep[] = [
    { title: `system user ${user}, without login`, run: () => makeOwner(plan, made) },
    { title: `group ${group}, whose members may approve`, run: () => joinGroups(plan, made) },
    { title: `home ${home}, only for ${user}`, run: () => makeHome(plan) },
    { title: `package in ${prefix}, only root can change it`, run: () => copyAll(plan) },
    { title: `marker ${paths.marker}`, run: () => writeRootFile(paths.marker, json(managed()), 0o644) },
    { title: `a profile in ${home}, if there is none`, run: () => initHome(plan, managed()) },
    { title: `command ${paths.link}, if there is none`, run: () => makeLink(paths.link, prefix) },
  ]
  if (hasSystemd()) {
    const text = () => unitText(managed(), copiedPaths(prefix, undefined).arc)
    steps.push({ title: `unit ${paths.unit}`, run: () => writeRootFile(paths.unit, text(), 0o644) })
  }
  for (const host of hosts) {
    steps.push({ title: `system-wide hooks of ${host}`, run: () => addSystemHooks(host, root, hookFile(prefix)) })
  }
  if (approvers.length > 0) {
    steps.push({ title: `approvers: ${approvers.join(', ')}`, run: () => addMembers(group, approvers) })
  }
  if (isSystemdRunning(root)) steps.push({ title: 'daemon, started now and at boot', run: startUnit })
  else if (plan.isStarted)
    steps.push({ title: 'daemon, started now', run: () => startWithoutSystemd(managed(), prefix) })
  return steps
}

// The program that hosts call. ARC recognises its own lines by the name `arc`.
function hookFile(prefix: string): string {
  return join(prefix, 'hook/arc')
}

interface Made {
  user: boolean
  group: boolean
}

function describeManaged({ root, user, group, prefix, home, hosts, present }: SetupPlan, made: Made): ManagedInstall {
  const paths = systemPaths(root)
  const { uid = -1 } = findAccount(user) ?? {}
  const { gid = -1 } = findGroup(group) ?? {}
  return {
    version: 1,
    ...{ root, home, prefix, user, uid, group, gid },
    launcher: hookFile(prefix),
    node: copiedPaths(prefix, systemNode()).node,
    run: paths.run,
    socket: join(paths.run, 'arc.sock'),
    control: join(paths.run, 'control.sock'),
    unit: hasSystemd() ? paths.unit : null,
    made: {
      ...made,
      link: present?.made.link ?? (existsSync(paths.link) ? null : paths.link),
      hosts: [...new Set([...(present?.made.hosts ?? []), ...hosts])],
    },
  }
}

function makeOwner({ user, home }: SetupPlan, made: Made): void {
  if (createUser(user, home)) made.user = true
}

// The daemon's user must be a member to give the control socket to the group.
function joinGroups({ user, group }: SetupPlan, made: Made): void {
  // Left by an earlier setup that was removed without --purge.
  const isLeft = made.user && findGroup(group)?.members.includes(user) === true
  if (createGroup(group) || isLeft) made.group = true
  addMembers(group, [user])
}

function makeHome({ home, user }: SetupPlan): void {
  const account = findAccount(user)
  if (account === undefined) throw new ArcError('ARC_SETUP_FAILED', `The account ${user} was not created.`)
  mkdirSync(dirname(home), { recursive: true, mode: 0o755 })
  const [writer] = findForeignWriters(dirname(home))
  if (writer !== undefined) throw new ArcError('ARC_SETUP_FAILED', `Other users could replace ${home}: ${writer}.`)
  const stats = lstatSync(home, { throwIfNoEntry: false })
  if (stats !== undefined && (!stats.isDirectory() || (stats.uid !== account.uid && stats.uid !== 0))) {
    throw new ArcError('ARC_SETUP_FAILED', `${home} exists already and does not belong to ${user}.`)
  }
  if (stats === undefined) mkdirSync(home, { mode: 0o700 })
  chownSync(home, account.uid, account.gid)
  chmodSync(home, 0o700)
}

function copyAll(plan: SetupPlan): void {
  const { prefix, root } = plan
  const parent = dirname(prefix)
  mkdirSync(parent, { recursive: true, mode: 0o755 })
  const [writer] = findForeignWriters(parent)
  if (writer !== undefined) throw new ArcError('ARC_SETUP_FAILED', `Other users could replace ${prefix}: ${writer}.`)
  copyPackage(prefix, (draft) => {
    const programs = findPrograms(prefix, root)
    writeProgram(join(draft, 'hook/arc'), hookText(programs))
    writeProgram(join(draft, 'bin/arc'), commandText(programs))
    const { node, arc } = copiedPaths(draft, systemNode())
    const tried = spawnSync(node, [arc, '--version'], { encoding: 'utf8', env: {} })
    if (tried.status === 0) return
    throw new ArcError('ARC_SETUP_FAILED', `The copy of the package does not run: ${tried.stderr || tried.error}.`)
  })
}

function findPrograms(prefix: string, root: string): ManagedPrograms {
  return {
    ...copiedPaths(prefix, systemNode()),
    shell: findShell(),
    env: requireProgram('env'),
    cat: requireProgram('cat'),
    curl: systemProgram('curl'),
    socket: join(systemPaths(root).run, 'arc.sock'),
    root,
  }
}

// The shell must not import functions from the environment: dash never does, bash does not with -p.
function findShell(): string {
  const dash = systemProgram('dash')
  if (dash !== undefined) return dash
  return systemProgram('bash') === undefined ? requireProgram('sh') : `${systemProgram('bash')} -p`
}

function requireProgram(name: string): string {
  const found = systemProgram(name)
  if (found !== undefined) return found
  throw new ArcError('ARC_SETUP_FAILED', `Found no ${name} in /usr/bin or /bin that only root can change.`)
}

function systemProgram(name: string): string | undefined {
  const paths = ['/usr/bin', '/bin'].map((folder) => join(folder, name))
  return paths.find((path) => existsSync(path) && findForeignWriters(path).length === 0)
}

function writeProgram(path: string, text: string): void {
  mkdirSync(dirname(path), { mode: 0o755 })
  chmodSync(dirname(path), 0o755)
  writeFileSync(path, text, { mode: 0o755 })
  chmodSync(path, 0o755)
}

function writeRootFile(path: string, text: string, mode: number): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o755 })
  const [writer] = findForeignWriters(dirname(path))
  if (writer !== undefined) throw new ArcError('ARC_SETUP_FAILED', `Other users could replace ${path}: ${writer}.`)
  const draft = `${path}.${process.pid}`
  writeFileSync(draft, text, { mode, flag: 'wx' })
  chmodSync(draft, mode)
  renameSync(draft, path)
}

// Runs as the system user: the daemon could not change files of root.
function initHome({ home, enforcement }: SetupPlan, { node, prefix, uid, root }: ManagedInstall): void {
  if (existsSync(join(home, 'profiles/default.json'))) return
  const { arc } = copiedPaths(prefix, node)
  const env = { HOME: home, ARC_HOME: home, [ROOT_VARIABLE]: root }
  const args = [arc, 'init', '--enforcement', enforcement]
  const gid = lstatSync(home).gid
  const ran = spawnSync(node, args, { encoding: 'utf8', env, cwd: '/', uid, gid })
  if (ran.status !== 0) throw new ArcError('ARC_SETUP_FAILED', `The home could not be initialised: ${ran.stderr}.`)
}

function makeLink(link: string, prefix: string): void {
  if (lstatSync(link, { throwIfNoEntry: false }) !== undefined) return
  mkdirSync(dirname(link), { recursive: true, mode: 0o755 })
  symlinkSync(join(prefix, 'bin/arc'), link)
}

function startUnit(): void {
  run('systemctl', ['daemon-reload'])
  run('systemctl', ['enable', 'arc.service'])
  run('systemctl', ['restart', 'arc.service'])
}

// Started as root; the process becomes the system user before it opens anything.
function startWithoutSystemd({ node, root }: ManagedInstall, prefix: string): void {
  const { arc } = copiedPaths(prefix, node)
  const env = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', [ROOT_VARIABLE]: root }
  const ran = spawnSync(node, [arc, 'serve', '--background', '--no-open'], { encoding: 'utf8', env, cwd: '/' })
  if (ran.status !== 0) throw new ArcError('ARC_SETUP_FAILED', `The daemon did not start: ${ran.stderr}.`)
}

function json(managed: ManagedInstall): string {
  return `${JSON.stringify(managed, null, 2)}\n`
}

/** Was this link created by setup? */
export function isOwnLink(link: string, prefix: string): boolean {
  try {
    return realpathSync(link) === realpathSync(join(prefix, 'bin/arc'))
  } catch {
    // The link no longer exists.
    return false
  }
}
