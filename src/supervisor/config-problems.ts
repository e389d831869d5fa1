// What is said of problems of the configuration, and how they are recognised again.

import { hash } from 'node:crypto'
import { formatProblem, type Problem } from '../config/problem.ts'

export const CONFIG_MESSAGES = {
  'config:change': 'the configuration changed',
  'config:problem': 'the configuration has problems, and what was last good is in force',
  'config:good': 'the configuration is good again',
} as const

/** A digest of problems: they are only compared, and their texts may hold values of the files. */
export function troubleOf(problems: readonly Problem[]): string {
  return hash('sha256', JSON.stringify(problems.map(formatProblem)), 'hex')
}
