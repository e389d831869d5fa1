// Prints a step that waits for approval.

import type { Approval, HeldStep } from '../approvals/approvals.ts'
import { isRecord } from '../engine/plain-data.ts'
import { openHomeGuard } from '../guard/home-guard.ts'
import { createClassifier } from '../hooks/builtin/call-risk.ts'
import { arcHome } from '../platform/home.ts'
import type { Evidence } from '../risk/assessment.ts'
import { RULE_PACKS } from '../risk/rulebook.ts'
import colors from './colors.ts'
import { fromNow, oneLine, terminalColumns, wrap } from './output.ts'
import { argumentLines, factLine } from './step-text.ts'

/**
 * The lines of a held step: tool, every argument, workspace, and the reason. A long text is cut in the middle, with the
 * matched line in view; with `isWhole` nothing is cut.
 */
export function heldStepLines(approval: Approval, { isWhole = false } = {}): readonly string[] {
  const { id, step, reason, hook, expiresAt, status, refusedBy } = approval
  const state = status === 'pending' ? `expires ${fromNow(expiresAt)}` : status
  const head = `${colors.magenta('?')} ${colors.bold(id)}  ${formatName(step)}  ${state}`
  const more = isWhole ? undefined : `arc why ${id}`
  return [
    head,
    ...argumentLines(step.args, { evidence: classifyStep(step), more }),
    ...contextLines(step),
    ...(reason === undefined ? [] : reasonLines(refusedBy === undefined ? `${hook ?? 'held'}: ${reason}` : reason)),
  ]
}

/** A held step in one line: the tool, and its command or arguments. */
export function heldStepSummary({ step }: Approval): string {
  return `${formatName(step)}: ${heldStepText(step)}`
}

/** The command of a held step, or its arguments, in one line. */
export function heldStepText({ args }: HeldStep): string {
  const command = isRecord(args) && typeof args.command === 'string' ? args.command : undefined
  return oneLine(command ?? JSON.stringify(args) ?? '', 400)
}

function formatName({ point, tool }: HeldStep): string {
  return tool === undefined ? point : `${point} ${oneLine(tool, 300)}`
}

function contextLines({ workspace, session, agent, host }: HeldStep): readonly string[] {
  const facts = Object.entries({ workspace, session, agent, host })
  return facts.flatMap(([name, value]) => (value === undefined ? [] : [factLine(name, value)]))
}

function reasonLines(text: string): readonly string[] {
  return wrap(oneLine(text, 2_000), terminalColumns() - 2).map((line) => `  ${line}`)
}

// The stored step has no evidence: the rules find the same spans again.
function classifyStep({ point, tool, args, workspace }: HeldStep): readonly Evidence[] {
  if (point !== 'pre:tool' || tool === undefined || !isRecord(args)) return []
  const { cwd } = args
  const classify = createClassifier(RULE_PACKS, { guard: openHomeGuard(arcHome()) })
  return classify({ tool, args, cwd: typeof cwd === 'string' ? cwd : workspace, workspace }).risk.evidence
}
