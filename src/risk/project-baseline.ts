// What a file of the project does whatever the arguments of a call are. Findings beyond that come from the call.

import type { Tier } from './assessment.ts'
import { joinWords } from './command-text.ts'
import type { Execution } from './shell/execution.ts'
import type { SourceFile } from './shell/source-files.ts'

/** Findings are compared by rule, tier and certainty. */
export function baselineKey(rule: string, tier: Tier, isUncertain: boolean): string {
  return `${rule} ${tier} ${isUncertain}`
}

/** Whether the file is code of another language: what it does does not depend on the words of the call. */
export function isCodeFile({ base }: SourceFile, { snippets }: Execution): boolean {
  return snippets.some(({ span, isFile }) => isFile === true && span.start === base)
}

// The number of words before the arguments of the script: `just recipe`, `npm run script`.
const NAMES_BEFORE_ARGUMENTS: Readonly<Record<string, number>> = { just: 1, npm: 2, pnpm: 2, yarn: 2, bun: 2 }

/** A shell text that runs the file without arguments: the script itself, or its program without variables and arguments. */
export function findPlainCall(file: SourceFile, { commands }: Execution): string {
  if (!file.hasTargets) return file.text
  const { start, end } = file.calledAt
  const caller = commands.find(({ span }) => span.start === start && span.end === end)
  const words = caller?.args.map(({ text }) => text) ?? []
  const dashes = words.indexOf('--')
  const plain = (dashes < 0 ? words : words.slice(0, dashes)).filter((word) => !/^\w+[:?+]?=/.test(word))
  return joinWords([caller?.name ?? 'true', ...plain.slice(0, NAMES_BEFORE_ARGUMENTS[caller?.name ?? ''])])
}
