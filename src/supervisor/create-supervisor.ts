// `createSupervisor`: imports its modules when called, so that programs that use only the engine load no database.

import { ArcError, rejectUnknownOptions, show } from '../engine/errors.ts'
import { HookEngine } from '../platform/hook-engine.ts'
import type { Supervisor } from './supervisor.ts'
import type { SupervisorOptions } from './supervisor-options.ts'

const OPTIONS = [
  'home',
  'configHome',
  'profile',
  'mode',
  'enforcement',
  'project',
  'watch',
  'askMs',
  'builtIns',
  'bus',
  'notify',
  'report',
  'clock',
  'storeWaitMs',
  'via',
] as const

/**
 * The pipeline, trace and configuration as the CLI uses them. Without `mode`, the mode of the profile applies, which is
 * `log` by default: decisions are recorded, and only catastrophes are stopped.
 * @example
 * const supervisor = await createSupervisor({ mode: 'enforce', project: process.cwd(), watch: true })
 * const outcome = await supervisor.dispatch('pre:tool', { tool: 'shell', args: { command: 'ls' } })
 * await supervisor.close()
 */
export async function createSupervisor(options: SupervisorOptions = {}): Promise<Supervisor> {
  rejectUnknownOptions(options, OPTIONS, 'createSupervisor')
  const { mode, enforcement } = options
  if (mode !== undefined && enforcement !== undefined && mode !== enforcement) {
    const given = `mode ${show(mode)} and enforcement ${show(enforcement)}`
    throw new ArcError('ARC_OPTION_INVALID', `mode and enforcement are the same option, but got ${given}; give one.`)
  }
  const { bus } = options
  if (bus !== undefined && !(bus?.engine instanceof HookEngine)) {
    throw new ArcError('ARC_OPTION_INVALID', `bus must be a hook bus, made by createHookBus, not ${show(bus)}.`)
  }
  const { Supervisor } = await import('./supervisor.ts')
  const supervisor = new Supervisor(options)
  if (options.watch === true) await supervisor.watch()
  return supervisor
}
