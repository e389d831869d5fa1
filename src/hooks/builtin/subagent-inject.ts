// Puts the rules of a configured library before the prompt of a spawned agent, in a marked block. A spawned agent does not
// get the instructions of its parent, so this is the only way to give it the rules.

import { createHash } from 'node:crypto'
import * as z from 'zod'
import { isRecord } from '../../engine/plain-data.ts'
import type { Step } from '../../engine/step.ts'
import { findPromptArgument, toolClass } from '../../engine/tools.ts'
import type { VerdictObject } from '../../engine/verdict.ts'
import { builtIn } from './built-in.ts'
import { RuleLibrary } from './rule-library.ts'

const options = z.strictObject({
  rules: z.array(z.string().trim().min(1).max(100_000)).max(1_000).default([]).describe('Rules, as texts.'),
  files: z
    .array(z.string().trim().min(1).max(4_000))
    .max(100)
    .default([])
    .describe('Rule files, or folders of .md and .txt files; relative paths start at the workspace.'),
  maxBytes: z.int().min(100).max(262_144).default(16_384).describe('The most bytes of rules in a prompt.'),
})

export const subagentInject = builtIn<z.output<typeof options>>({
  name: 'subagent-inject',
  priority: 15,
  // Hosts spawn agents with a tool; programs use the point.
  points: ['pre:agent:spawn', 'pre:tool'],
  summary: 'Puts rules from a library into the prompt of a spawned agent.',
  critical: false,
  options,
  create({ rules, files, maxBytes }) {
    const library = new RuleLibrary({ rules, files, maxBytes })
    return {
      check(step, { mode }) {
        const target = findTarget(step)
        if (target === undefined || library.isEmpty) return 'pass'
        const { text, problems } = library.read(step.workspace)
        const verdict = verdictOn(target, text, problems)
        // Where the prompt is not changed, the advice has the rules.
        if (mode !== 'advise' || verdict === 'pass' || verdict.modify === undefined) return verdict
        const reason = verdict.reason ?? 'the prompt of the spawned agent does not have the rules of the library'
        return { ...verdict, reason, suggestion: `Give the agent these rules:\n${text}` }
      },
    }
  },
})

interface Target {
  readonly field: 'config' | 'args'
  readonly value: Readonly<Record<string, unknown>>
}

function findTarget(step: Step): Target | undefined {
  const { tool, args, config } = step.data as { tool?: unknown; args?: unknown; config?: unknown }
  if (step.point === 'pre:agent:spawn') return { field: 'config', value: isRecord(config) ? config : {} }
  const isSpawn = typeof tool === 'string' && toolClass(tool) === 'spawn'
  return isSpawn ? { field: 'args', value: isRecord(args) ? args : {} } : undefined
}

function verdictOn({ field, value }: Target, text: string, problems: readonly string[]): VerdictObject | 'pass' {
  const missing = problems.length > 0 && `not all rules could be given to the agent: ${problems.join('; ')}`
  if (text === '') return missing === false ? 'pass' : { decision: 'flag', reason: missing }
  const block = delimited(text)
  const key = findPromptArgument(value)
  // The configuration of a program may have no prompt field; the arguments of a tool must not get new fields.
  if (key === undefined && field === 'args') {
    return { decision: 'flag', reason: `the rules were not given to the agent: no prompt among its arguments` }
  }
  const prompt = key === undefined ? '' : (value[key] as string)
  // The whole block, not only its mark: an agent could write the mark to avoid the rules.
  if (prompt.includes(block)) return missing === false ? 'pass' : { decision: 'flag', reason: missing }
  const edited = { ...value, [key ?? 'prompt']: prompt === '' ? block : `${block}\n\n${prompt}` }
  const metadata = { rulesInjected: true, rulesBytes: Buffer.byteLength(text) }
  // `field` is a field of the point.
  const verdict = { modify: { [field]: edited } as object, metadata }
  return missing === false ? { decision: 'pass', ...verdict } : { decision: 'flag', reason: missing, ...verdict }
}

function delimited(text: string): string {
  // The closing tag must not occur inside the block.
  const inner = text.replace(/<(\/?)arc-rules/gi, '<$1 arc-rules')
  const mark = createHash('sha256').update(inner).digest('hex').slice(0, 16)
  return `<arc-rules id="${mark}">\nRules that you must keep, given by the supervisor:\n${inner}\n</arc-rules>`
}
