// `arc logs`: prints the actions of the agents, newest last, or with `--component`, `--action` or `--hook` the structured log
// of every evaluation. `--follow` keeps printing new records.

import { databaseFile } from '../../platform/home.ts'
import { SqliteTraceStore } from '../../storage/sqlite/trace-store.ts'
import { openTrace } from '../home-stores.ts'
import { readCount, readPast, report } from '../output.ts'
import { printActions } from './logs/action-log.ts'
import { printEvaluations } from './logs/evaluation-log.ts'
import type { LogLimits, LogsOptions } from './logs/log-options.ts'

const USAGE = 2
// Filters of actions, which evaluations do not have.
const OF_ACTIONS = ['all', 'wouldBlock', 'project', 'agent', 'rule', 'text'] as const

/** Prints the log. */
export async function logs(options: LogsOptions): Promise<number> {
  const { component, action, hook, follow } = options
  const limit = readCount(options.limit, '--limit')
  const since = options.since === undefined ? undefined : readPast(options.since, '--since')
  const isOfEvaluations = [component, action, hook].some((value) => value !== undefined)
  const wrong = isOfEvaluations ? OF_ACTIONS.find((name) => options[name] !== undefined) : undefined
  const problem = [limit, since, wrong && `${toFlag(wrong)} is for actions: use it without ${EVALUATIONS}`].find(
    (value) => typeof value === 'string',
  )
  if (problem !== undefined) {
    report(String(problem))
    return USAGE
  }
  const limits = { limit, since } as LogLimits
  const store = follow === true ? new SqliteTraceStore(databaseFile()) : openTrace()
  try {
    return await (isOfEvaluations ? printEvaluations : printActions)(store, options, limits)
  } finally {
    store.close()
  }
}

const EVALUATIONS = '--component, --action and --hook'

function toFlag(name: string): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
}
