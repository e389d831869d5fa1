// `createSupervisor`: imports its modules when called, so that programs that use only the engine load no database.

import { rejectUnknownOptions } from '../engine/errors.ts'
import type { Supervisor } from './supervisor.ts'
import type { SupervisorOptions } from './supervisor-options.ts'

const OPTIONS = [
  'home',
  'configHome',
  'profile',
  'enforcement',
  'project',
  'watch',
  'askMs',
  'builtIns',
  'notify',
  'report',
  'clock',
  'storeWaitMs',
  'via',
] as const

/**
 * The pipeline, trace and configuration as the CLI uses them.
 * @example
 * const supervisor = await createSupervisor({ project: process.cwd(), watch: true })
 * const outcome = await supervisor.dispatch('pre:tool', { tool: 'shell', args: { command: 'ls' } })
 * await supervisor.close()
 */
export async function createSupervisor(options: SupervisorOptions = {}): Promise<Supervisor> {
  rejectUnknownOptions(options, OPTIONS, 'createSupervisor')
  const { Supervisor } = await import('./supervisor.ts')
  const supervisor = new Supervisor(options)
  if (options.watch === true) await supervisor.watch()
  return supervisor
}
