// Supervision for one run of an agent: flags, variables and files in a temporary folder. The user's own configuration
// is not changed and stays in force.

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { runDir } from '../../../daemon/process/paths.ts'
import { findPartNotOwnedByRoot } from '../../../guard/root-owned.ts'
import { findAgentFacts } from '../../../hosts/facts/list.ts'
import type { Env, Host, LaunchPlan } from '../../../hosts/host.ts'
import { listOnDemand } from '../../../hosts/install/registered-events.ts'
import { HOSTS } from '../../../hosts/list.ts'

/** The program to start. */
interface AgentProgram {
  readonly command: string
  readonly args: readonly string[]
}

/** The environment of the run. */
export interface LaunchEnvironment {
  /** The program that the agent calls as its hook. */
  readonly launcher: string
  readonly home: string
  readonly cwd: string
  readonly env: Env
  /** Should a failing hook block the call? */
  readonly failClosed?: boolean
  /** The points of the configured hooks. */
  readonly points?: readonly string[]
}

/** The arguments, variables and files that add supervision. */
export interface Injection {
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  /** A note for the user. */
  readonly note?: string | undefined
  /** Are the tool calls supervised, not only start and end? */
  readonly isSupervised: boolean
  /** Removes the files; safe to call twice. */
  remove(): void
}

/** Prepares supervision for a single run of an agent. */
export function createInjection({ command, args }: AgentProgram, given: LaunchEnvironment): Injection {
  const facts = findAgentFacts(command)
  const nothing = { args, env: {}, remove: () => undefined, isSupervised: false }
  if (facts === undefined) {
    const name = basename(command)
    return { ...nothing, note: `${name} is not an agent that ARC knows: only its start and end are supervised` }
  }
  const { name } = facts
  const host = HOSTS[name]
  if (host.launch === undefined) {
    return {
      ...nothing,
      note: `${name} cannot be supervised for a single run; arc install ${name} supervises every run`,
    }
  }
  mkdirSync(runDir(given.home), { recursive: true, mode: 0o700 })
  const folder = mkdtempSync(join(runDir(given.home), 'launch-'))
  const remove = (): void => rmSync(folder, { recursive: true, force: true })
  try {
    const plan = host.launch({ ...given, host, folder, readText, onDemand: listOnDemand(host, given.points ?? []) })
    const refusal = plan.refusal ?? writeFiles(host, plan)
    if (refusal === undefined) {
      return { args: [...(plan.args ?? []), ...args], env: plan.env ?? {}, note: plan.note, isSupervised: true, remove }
    }
    remove()
    return { ...nothing, note: refusal }
  } catch (error) {
    remove()
    throw error
  }
}

// Returns why the agent would ignore the files.
function writeFiles({ name }: Host, { files = [], rootOwnedFile }: LaunchPlan): string | undefined {
  for (const { path, text, mode = 0o600 } of files) {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    writeFileSync(path, text, { mode })
  }
  const foreign = rootOwnedFile === undefined ? undefined : findPartNotOwnedByRoot(rootOwnedFile)
  if (foreign === undefined) return undefined
  const why = `${name} reads settings for a single run only from files that root owns, and ${foreign} is not`
  return `${why}; arc install ${name} supervises every run`
}

function readText(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    // The file does not exist.
    return undefined
  }
}
