// A step that waits for approval, as it is shown in the terminal before the answer.

import type { Approval, HeldStep } from '../approvals/approvals.ts'
import { isRecord } from '../engine/plain-data.ts'
import { openHomeGuard } from '../guard/home-guard.ts'
import { createClassifier } from '../hooks/builtin/call-risk.ts'
import { arcHome } from '../platform/home.ts'
import type { Evidence } from '../risk/assessment.ts'
import { RULE_PACKS } from '../risk/rulebook.ts'
import colors from './colors.ts'
import { columnsOf, fromNow, oneLine, wrap } from './output.ts'
import { argumentLines, factLine } from './step-text.ts'

/**
 * The lines that show a held step: tool, place, every argument, and why it is held. A long text is shown from both ends
 * with the matched line in view; with `isWhole` nothing is left out.
 */
export function heldStepLines(approval: Approval, { isWhole = false } = {}): readonly string[] {
  const { id, step, reason, hook, expiresAt, status } = approval
  const state = status === 'pending' ? `ends ${fromNow(expiresAt)}` : status
  const head = `${colors.magenta('?')} ${colors.bold(id)}  ${nameOf(step)}  ${state}`
  const more = isWhole ? undefined : `arc why ${id}`
  return [
    head,
    ...argumentLines(step.args, { evidence: evidenceOf(step), more }),
    ...placeLines(step),
    ...(reason === undefined ? [] : reasonLines(`${hook ?? 'held'}: ${reason}`)),
  ]
}

/** A held step in one line: its tool and the command or the arguments. */
export function heldStepSummary({ step }: Approval): string {
  const command = isRecord(step.args) && typeof step.args.command === 'string' ? step.args.command : undefined
  return `${nameOf(step)}: ${oneLine(command ?? JSON.stringify(step.args) ?? '', 400)}`
}

function nameOf({ point, tool }: HeldStep): string {
  return tool === undefined ? point : `${point} ${oneLine(tool, 300)}`
}

function placeLines({ workspace, session, agent, host }: HeldStep): readonly string[] {
  const facts = Object.entries({ workspace, session, agent, host })
  return facts.flatMap(([name, value]) => (value === undefined ? [] : [factLine(name, value)]))
}

function reasonLines(text: string): readonly string[] {
  return wrap(oneLine(text, 2_000), columnsOf() - 2).map((line) => `  ${line}`)
}

// The step was rated when it was held; the rules give the same places again.
function evidenceOf({ point, tool, args, workspace }: HeldStep): readonly Evidence[] {
  if (point !== 'pre:tool' || tool === undefined || !isRecord(args)) return []
  const { cwd } = args
  const classify = createClassifier(RULE_PACKS, openHomeGuard(arcHome()))
  return classify({ tool, args, cwd: typeof cwd === 'string' ? cwd : workspace, workspace }).evidence
}
