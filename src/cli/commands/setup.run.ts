// `arc setup --managed`: home, package and daemon go to a system user, so that the agent's account reaches the socket only.
// A list of steps, each safe to repeat; --dry-run prints the list, --remove goes the other way.

import { resolve } from 'node:path'
import { ArcError, describe } from '../../engine/errors.ts'
import {
  findForeignWriters,
  type ManagedInstall,
  readManagedInstall,
  systemPaths,
} from '../../guard/managed-install.ts'
import colors from '../colors.ts'
import { harmless, print, printJson, tell } from '../output.ts'
import { requireNames } from './setup/accounts.ts'
import { packageRoot } from './setup/package-copy.ts'
import { removalSteps } from './setup/removal-steps.ts'
import { type SetupPlan, type Step, setupSteps } from './setup/setup-steps.ts'
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

/** Sets managed mode up, or removes it. */
export async function setup(options: SetupOptions): Promise<number> {
  if (process.platform !== 'linux') {
    throw new ArcError('ARC_SETUP_FAILED', `Managed mode works on Linux; this is ${process.platform}.`)
  }
  const isDry = options.dryRun === true
  if (!isDry && process.getuid?.() !== 0) {
    throw new ArcError('ARC_NEEDS_ROOT', 'arc setup changes the machine for all accounts: run it as root, with sudo.')
  }
  const root = resolve(options.root ?? '/')
  const present = readManagedInstall(root)
  const steps = options.remove === true ? removalOf(present, options) : setupSteps(planOf(options, root, present))
  const warnings = options.remove === true ? [] : warningsOf(options)
  const done = isDry ? steps.map(({ title }) => title) : await carryOut(steps, options)
  const managed = options.remove === true ? null : (readManagedInstall(root) ?? null)
  if (options.json === true) printJson({ managed, steps: done, warnings })
  else printEnd({ options, done, warnings, managed })
  return 0
}

function removalOf(present: ManagedInstall | undefined, { purge, root }: SetupOptions): Step[] {
  if (present !== undefined) return removalSteps(present, purge === true)
  const where = systemPaths(resolve(root ?? '/')).marker
  throw new ArcError('ARC_SETUP_FAILED', `This machine is not managed: there is no marker ${where}.`)
}

function planOf(options: SetupOptions, root: string, present: ManagedInstall | undefined): SetupPlan {
  const { user, group, approver = [], enforcement, start } = options
  requireNames([user, group, ...approver])
  const paths = systemPaths(root)
  const other = present === undefined ? undefined : [present.user !== user, present.group !== group].includes(true)
  if (other === true) {
    const message = `This machine is managed by ${present?.user} and ${present?.group}: remove that first (--remove).`
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

// Said before anybody relies on it.
function warningsOf({ approver = [] }: SetupOptions): string[] {
  const warnings: string[] = []
  const [writer] = findForeignWriters(packageRoot())
  if (writer !== undefined)
    warnings.push(`The package is copied from a folder that not only root can change: ${writer}.`)
  const caller = process.env.SUDO_USER
  if (caller !== undefined && approver.includes(caller)) {
    warnings.push(`${caller} may now approve. If agents run as ${caller}, they may approve too: use another account.`)
  }
  return warnings
}

async function carryOut(steps: readonly Step[], { json }: SetupOptions): Promise<string[]> {
  // Folders on the way must be open to everyone, whatever root's own habit is.
  process.umask(0o022)
  const done: string[] = []
  for (const { title, run } of steps) {
    try {
      await run()
    } catch (error) {
      if (error instanceof ArcError) throw error
      throw new ArcError('ARC_SETUP_FAILED', `${title}: ${describe(error)}.`)
    }
    done.push(title)
    if (json !== true) print(`${colors.green('✓')} ${harmless(title)}`)
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
  if (options.dryRun === true) for (const title of done) print(`${colors.dim('○')} ${harmless(title)}`)
  for (const warning of warnings) tell(`${colors.yellow('!')} ${harmless(warning)}`)
  if (options.dryRun === true) tell('Nothing was changed.')
  else if (managed === null) tell('Managed mode is removed. Each user installs ARC again with: arc install HOST')
  else {
    tell('Next, as each user who runs agents:  arc install HOST')
    tell(`To approve, as a member of ${managed.group}:  arc approvals list`)
    tell('To check it all:  arc doctor')
  }
}
