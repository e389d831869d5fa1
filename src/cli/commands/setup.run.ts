// `arc setup --managed`: a system user owns home, package and daemon, so that the agent's account only reaches the
// socket. A list of steps, each safe to repeat; --dry-run prints the list, --remove undoes it.

import { resolve } from 'node:path'
import { ArcError, describe } from '../../engine/errors.ts'
import {
  findForeignWriters,
  type ManagedInstall,
  readManagedInstall,
  systemPaths,
} from '../../guard/managed-install.ts'
import colors from '../colors.ts'
import { context } from '../context.ts'
import { escapeControls, info, print, printJson } from '../output.ts'
import { whileWaiting } from '../progress-line.ts'
import { requireAccountNames } from './setup/accounts.ts'
import { packageRoot } from './setup/package-copy.ts'
import { removalSteps } from './setup/removal-steps.ts'
import { type SetupPlan, type SetupStep, setupSteps } from './setup/setup-steps.ts'
import { readHostNames } from './setup/system-hooks.ts'

export interface SetupOptions {
  readonly managed: boolean
  readonly user: string
  readonly group: string
  readonly approver?: readonly string[]
  readonly prefix?: string
  readonly home?: string
  readonly enforcement: string
  readonly hosts?: string
  readonly start?: boolean
  readonly remove?: boolean
  readonly purge?: boolean
  readonly root?: string
  readonly dryRun?: boolean
  readonly json?: boolean
}

/** Sets up managed mode, or removes it. */
export async function setup(options: SetupOptions): Promise<number> {
  if (process.platform !== 'linux') {
    throw new ArcError('ARC_SETUP_FAILED', `Managed mode needs Linux; this is ${process.platform}.`)
  }
  const isDry = options.dryRun === true
  if (!isDry && process.getuid?.() !== 0) {
    throw new ArcError('ARC_NEEDS_ROOT', 'arc setup changes the machine for all accounts: run it as root (sudo).')
  }
  const root = resolve(options.root ?? '/')
  const present = readManagedInstall(root)
  const steps = options.remove === true ? planRemoval(present, options) : setupSteps(readPlan(options, root, present))
  const warnings = options.remove === true ? [] : listWarnings(options)
  const done = isDry ? steps.map(({ title }) => title) : await carryOut(steps, options)
  const managed = options.remove === true ? null : (readManagedInstall(root) ?? null)
  if (options.json === true) printJson({ managed, steps: done, warnings })
  else printEnd({ options, done, warnings, managed })
  return 0
}

function planRemoval(present: ManagedInstall | undefined, { purge, root }: SetupOptions): SetupStep[] {
  if (present !== undefined) return removalSteps(present, purge === true)
  const where = systemPaths(resolve(root ?? '/')).marker
  throw new ArcError('ARC_SETUP_FAILED', `This machine is not managed: there is no marker ${where}.`)
}

function readPlan(options: SetupOptions, root: string, present: ManagedInstall | undefined): SetupPlan {
  const { user, group, approver = [], enforcement, start } = options
  requireAccountNames([user, group, ...approver])
  const paths = systemPaths(root)
  const other = present === undefined ? undefined : [present.user !== user, present.group !== group].includes(true)
  if (other === true) {
    const message = `This machine is already managed with user ${present?.user} and group ${present?.group}: remove that first (--remove).`
    throw new ArcError('ARC_SETUP_FAILED', message)
  }
  return {
    root,
    user,
    group,
    approvers: approver,
    prefix: resolve(options.prefix ?? present?.prefix ?? paths.prefix),
    home: resolve(options.home ?? present?.home ?? paths.home),
    enforcement,
    hosts: readHostNames(options.hosts ?? ''),
    isStarted: start === true,
    present,
  }
}

function listWarnings({ approver = [] }: SetupOptions): string[] {
  const warnings: string[] = []
  const [writer] = findForeignWriters(packageRoot())
  if (writer !== undefined)
    warnings.push(`The package is copied from a folder that users other than root can change: ${writer}.`)
  const caller = context().env.SUDO_USER
  if (caller !== undefined && approver.includes(caller)) {
    warnings.push(
      `${caller} may now approve. Agents that run as ${caller} could approve too: run them as another account.`,
    )
  }
  return warnings
}

async function carryOut(steps: readonly SetupStep[], { json }: SetupOptions): Promise<string[]> {
  // New folders must be readable for all users, whatever root's umask is.
  process.umask(0o022)
  const done: string[] = []
  for (const { title, run } of steps) {
    try {
      await whileWaiting(title, Promise.resolve(run()), { isJson: json })
    } catch (error) {
      if (error instanceof ArcError) throw error
      throw new ArcError('ARC_SETUP_FAILED', `${title}: ${describe(error)}.`)
    }
    done.push(title)
    if (json !== true) print(`${colors.green('✓')} ${escapeControls(title)}`)
  }
  return done
}

interface End {
  readonly options: SetupOptions
  readonly done: readonly string[]
  readonly warnings: readonly string[]
  readonly managed: ManagedInstall | null
}

function printEnd({ options, done, warnings, managed }: End): void {
  if (options.dryRun === true) for (const title of done) print(`${colors.dim('○')} ${escapeControls(title)}`)
  for (const warning of warnings) info(`${colors.yellow('!')} ${escapeControls(warning)}`)
  if (options.dryRun === true) info('Nothing was changed.')
  else if (managed === null) info('Managed mode is removed. To install ARC again, each user runs: arc install HOST')
  else {
    info('Next, as each user that runs agents:  arc install HOST')
    info(`To approve, as a member of ${managed.group}:  arc approvals list`)
    info('To check the installation:  arc doctor')
  }
}
