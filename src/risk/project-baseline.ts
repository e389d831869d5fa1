// What a file of the project does whatever the arguments of a call are. Findings beyond that come from the call.

import type { Tier } from './assessment.ts'
import { joinWords } from './command-text.ts'
import type { Execution } from './shell/execution.ts'
import { baseName } from './shell/paths.ts'
import type { SourceFile } from './shell/source-files.ts'

/** Findings are compared by rule, tier and certainty. */
export function baselineKey(rule: string, tier: Tier, isUncertain: boolean): string {
  return `${rule} ${tier} ${isUncertain}`
}

/** Shell texts that run the file without arguments: the script itself, or its program without variables and arguments. */
export function findPlainCalls(file: SourceFile, { commands, snippets }: Execution): readonly string[] {
  if (snippets.some(({ span }) => span.start === file.base)) return []
  const caller = commands.find(({ span }) => span.start === file.calledAt.start && span.end === file.calledAt.end)
  const words = caller?.args.map(({ text }) => text) ?? []
  const dashes = words.indexOf('--')
  const kept = (dashes < 0 ? words : words.slice(0, dashes)).filter((word) => !/^\w+[:?+]?=/.test(word))
  const isScript = words.some((word) => file.path.endsWith(baseName(word))) || caller?.path !== undefined
  return isScript || caller?.name === undefined ? [file.text] : [joinWords([caller.name, ...kept])]
}
