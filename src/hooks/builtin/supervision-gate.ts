// The supervision gate as a built-in hook: rules and reviewer from the profile, turns counted in the state store.

import * as z from 'zod'
import { Failure } from '../../engine/degradation.ts'
import type { Handler, RunContext } from '../../engine/hook.ts'
import { isRecord } from '../../engine/plain-data.ts'
import type { Step } from '../../engine/step.ts'
import type { VerdictObject } from '../../engine/verdict.ts'
import { builtIn } from './built-in.ts'
import { applyExceptions } from './exceptions.ts'
import { createSupervisionGate, GATE_POINTS, type GateAction, type Reviewer } from './gate.ts'
import type { SupervisionServices } from './services.ts'
import { readTurnRisk } from './turn-risk.ts'

const rule = z.strictObject({
  pattern: z.string().min(1).max(10_000).describe('A text, or /an expression/flags.'),
  action: z
    .string()
    .transform((given) => given.toUpperCase())
    .pipe(z.enum(['ALLOW', 'FLAG', 'ASK', 'BLOCK'])),
  reason: z.string().max(1_000).optional(),
})

const options = z.strictObject({
  rules: z.array(rule).max(1_000).default([]).describe('The first rule with a match decides.'),
  reviewer: z
    .record(z.string(), z.unknown())
    .optional()
    .describe('{command}, {url} or {prompt} that reviews substantive output. A command prints ALLOW or BLOCK: reason.'),
  onlySubstantive: z.boolean().default(true).describe('Review only answers that report changes.'),
  maxContinues: z.int().min(0).max(100).default(3).describe('How often one turn may be made to continue.'),
})

type Options = z.output<typeof options>

// A review reads a whole answer, often by a model.
const REVIEW_MS = 60_000

export const supervisionGate = builtIn<Options>({
  name: 'supervision-gate',
  priority: 92,
  points: GATE_POINTS,
  summary: 'Allows or blocks by rules, and lets a reviewer check substantive output.',
  critical: true,
  timeoutMs: REVIEW_MS,
  options,
  create(settings, services) {
    const { rules, onlySubstantive, maxContinues } = settings
    const { state, regex, maxMode } = services
    const reviewer = settings.reviewer === undefined ? undefined : createReviewer(settings.reviewer, services)
    const { check } = createSupervisionGate({
      rules: rules.map((given) => ({ ...given, action: given.action as GateAction })),
      onlySubstantive,
      maxContinues,
      state,
      isSubstantive: (step) => (readTurnRisk(state, step as Step)?.tier ?? 1) > 1,
      ...(reviewer && { reviewer }),
      ...(regex && { regex }),
      ...(maxMode && { maxMode }),
    })
    // A review costs a model call; the rules cost nothing.
    return { check: (step, run) => allowRule(check(step, run), step, services), rechecksEdits: reviewer === undefined }
  },
})

// Exceptions apply to rules, not to a reviewer: what a reviewer objects to is in no rule. The end of a turn has its own
// limit.
function allowRule(verdict: GateResult, step: Step, services: SupervisionServices): GateResult {
  if (!isRecord(verdict) || verdict instanceof Failure || !('decision' in verdict)) return verdict
  const rule = (verdict.metadata as { readonly gateRule?: unknown } | undefined)?.gateRule
  if (typeof rule !== 'string' || step.point === 'pre:turn:end') return verdict
  const findings = [{ rule: `supervision-gate/${rule}`, tier: 3 }] as const
  return applyExceptions(verdict as VerdictObject, { step, hook: 'supervision-gate', findings }, services)
}

type GateResult = ReturnType<ReturnType<typeof createSupervisionGate>['check']>

function createReviewer(description: Readonly<Record<string, unknown>>, services: SupervisionServices): Reviewer {
  // Created in any case: the handler checks its description.
  const handler: Handler = services.handler(description)
  const { command, cwd } = description
  if (command === undefined) return (step, run) => handler(step as Step, run)
  const runCommand = services.runCommand
  return async (step, { limitMs, signal }: RunContext) => {
    const input = `${JSON.stringify(step)}\n`
    const place = typeof cwd === 'string' ? { cwd } : {}
    const end = await runCommand(command as string | readonly string[], { timeoutMs: limitMs, signal, input, ...place })
    if (end.timedOut) return new Failure('timeout', `the reviewer gave no answer within ${limitMs} ms`)
    if (end.exitCode === 2) return `BLOCK: ${end.stderr.trim().split('\n', 1)[0] ?? ''}`
    if (end.exitCode !== 0)
      return new Failure('crash', `the reviewer ended with ${end.exitCode ?? 'no exit code'}: ${end.stderr}`)
    return readWords(end.stdout)
  }
}

// ALLOW or BLOCK, or a verdict as JSON like any other command.
function readWords(stdout: string): unknown {
  const text = stdout.trim()
  if (!text.startsWith('{')) return text
  try {
    return JSON.parse(text) as unknown
  } catch (error) {
    return new Failure('invalid-output', `the reviewer's JSON cannot be read: ${String(error)}`)
  }
}
