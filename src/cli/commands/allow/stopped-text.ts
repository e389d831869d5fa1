// Prints the step or the rule that a person is asked to allow.

import { isRecord } from '../../../engine/plain-data.ts'
import type { Evidence } from '../../../risk/assessment.ts'
import type { Example, Rule } from '../../../risk/rule.ts'
import colors from '../../colors.ts'
import { oneLine, terminalColumns, wrap } from '../../output.ts'
import { argumentLines, factLine } from '../../step-text.ts'
import type { StoppedStep } from './stopped-step.ts'

/** The whole step, the folder it runs in, and what stopped it. */
export function stoppedStepLines({ record, step, evaluations, hook, reason }: StoppedStep): readonly string[] {
  const { point, tool, args, workspace, session, agent, host } = step
  const evidence = evaluations.flatMap(readEvidence)
  const facts = Object.entries({ workspace, session, agent, host })
  const uncertain = evidence.some(({ isUncertain }) => isUncertain === true)
  return [
    `${colors.bold(record.id)}  ${point} ${oneLine(tool ?? '', 300)}`,
    ...argumentLines(args, { evidence }),
    ...facts.flatMap(([name, value]) => (value === undefined ? [] : [factLine(name, value)])),
    ...(reason === undefined ? [] : wrapped(`${hook}: ${reason}`)),
    ...(uncertain ? wrapped('A part of it is only known when it runs: it may be something else next time.') : []),
  ]
}

/** A rule, with examples of what it finds. */
export function ruleLines({ id, effect, tier, reason, match }: Rule): readonly string[] {
  const examples = match.slice(0, 3).map(showExample)
  return [
    `${colors.bold(id)}  ${effect}, tier ${tier}`,
    ...wrapped(reason),
    ...examples.map((text) => factLine('finds', text)),
  ]
}

function showExample(example: Example): string {
  return typeof example === 'string' ? example : `${example.tool} ${JSON.stringify(example.args)}`
}

function wrapped(text: string): readonly string[] {
  return wrap(oneLine(text, 2_000), terminalColumns() - 2).map((line) => `  ${line}`)
}

function readEvidence({ metadata }: { readonly metadata?: unknown }): readonly Evidence[] {
  const risk = isRecord(metadata) && isRecord(metadata.risk) ? metadata.risk : {}
  return Array.isArray(risk.evidence) ? (risk.evidence.filter(isRecord) as unknown as Evidence[]) : []
}
