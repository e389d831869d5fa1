// `arc allow`: allows a stopped step once or always in its project, or a rule in a folder, after a person confirmed it.

import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { AdvanceApprovals } from '../../approvals/advance-approvals.ts'
import { type AnswerSource, LIFETIME_MS } from '../../approvals/approvals.ts'
import type { Exception } from '../../config/config.ts'
import type { ExactSetting } from '../../config/exception-schema.ts'
import { ArcError, clip, didYouMean, show } from '../../engine/errors.ts'
import { listRules } from '../../exceptions/exception-rules.ts'
import { digestCommand, findProjectFolder, showContent } from '../../exceptions/step-content.ts'
import { recordEvent } from '../../hooks/pipeline-services.ts'
import { systemClock } from '../../platform/engine-services.ts'
import { arcHome, resolveRealPath } from '../../platform/home.ts'
import { newId } from '../../platform/ids.ts'
import { whyNeverAllowed } from '../../risk/never-allowed.ts'
import { openStores } from '../../storage/open-stores.ts'
import { ProfileHome } from '../../supervisor/profile-home.ts'
import { canonicalize } from '../../trace/canonical.ts'
import colors from '../colors.ts'
import { confirm } from '../confirm.ts'
import { context } from '../context.ts'
import { openState, openTrace } from '../home-stores.ts'
import { formatSpan, info, printJson, readSpan, report } from '../output.ts'
import { addException, type NewException } from './allow/exception-file.ts'
import { approvalRow, exceptionRow } from './allow/exception-table.ts'
import { findStoppedStep, type StoppedStep } from './allow/stopped-step.ts'
import { ruleLines, stoppedStepLines } from './allow/stopped-text.ts'

/** The options of `arc allow`. */
export interface AllowOptions {
  readonly always?: boolean
  readonly rule?: string
  readonly in?: string
  readonly for?: string
  readonly reason?: string
  readonly json?: boolean
}

const RULE_MS = 7 * 86_400_000
const MAX_MS = 3_650 * 86_400_000
const MAX_REASON = 1_000

/** Allows a step, given its id, a unique prefix or `last`; or a rule. */
export async function allow(id: string | undefined, options: AllowOptions): Promise<number> {
  const forMs = readFor(options)
  if ((id === undefined) === (options.rule === undefined)) {
    info('arc: expected the id of a step, "last", or --rule RULE\nUsage: arc allow [options] ID | last | --rule RULE')
    return 2
  }
  if (options.rule !== undefined) return allowRule(options.rule, options, forMs)
  if (options.in !== undefined) throw invalid('--in', 'used with --rule only', options.in)
  const stopped = readStoppedStep(id ?? 'last')
  return options.always === true ? allowAlways(stopped, options, forMs) : allowOnce(stopped, options, forMs)
}

function readStoppedStep(id: string): StoppedStep {
  const trace = openTrace()
  const { state, close } = openState()
  try {
    return findStoppedStep(id, trace, state)
  } finally {
    close()
    trace.close()
  }
}

function readFor({ for: given, reason }: AllowOptions): number | undefined {
  if (reason !== undefined && (reason.trim() === '' || reason.length > MAX_REASON))
    throw invalid('--reason', `a text of at most ${MAX_REASON} characters`, reason)
  if (given === undefined) return undefined
  const ms = readSpan(given)
  if (ms === undefined || ms === 0 || ms > MAX_MS) throw invalid('--for', 'like 90s, 30m, 2h or 7d', given)
  return ms
}

async function allowOnce(stopped: StoppedStep, options: AllowOptions, forMs = LIFETIME_MS): Promise<number> {
  const confirmed = await confirm('allow a step', {
    show: () =>
      info([...stoppedStepLines(stopped), `Allows exactly this step, once, within ${formatSpan(forMs)}.`].join('\n')),
    question: 'Allow exactly this step, once?',
  })
  if (confirmed === undefined) return 1
  const reason = options.reason ?? stopped.reason
  const approval = withApprovals((approvals) => {
    const { step, hash, hook, record } = stopped
    return approvals.grant({ step, hash, hook, reason, stepId: record.id, lifetimeMs: forMs }, confirmed)
  })
  if (options.json === true) printJson([approvalRow(approval)])
  else info(`${colors.green('✓')} Allowed once, within ${formatSpan(forMs)}. Let the agent repeat the step unchanged.`)
  return 0
}

async function allowAlways(stopped: StoppedStep, options: AllowOptions, forMs: number | undefined): Promise<number> {
  const { bound, rules, record } = stopped
  if (bound === undefined)
    throw new ArcError(
      'ARC_ALLOW_REFUSED',
      `The hook ${stopped.hook} stopped this step, so it can be allowed once only: arc allow ${record.id}.`,
    )
  const until = forMs === undefined ? 'until you remove it' : `for ${formatSpan(forMs)}`
  const covered = `Allows this command in ${bound.project}, ${until}: ${rules.join(', ')}.`
  const confirmed = await confirm('allow a command', {
    show: () => info([...stoppedStepLines(stopped), covered].join('\n')),
    question: 'Allow this command in this project from now on?',
  })
  if (confirmed === undefined) return 1
  const exception: NewException = {
    kind: 'exact',
    rules: [...rules],
    ...bindCommand(stopped, bound),
    ...common(options, forMs, confirmed.by),
  }
  const profiles = new ProfileHome()
  const added = await addException(profiles, nameProfiles(profiles, record.profile), exception, confirmed)
  answerPending(stopped, confirmed)
  return printAdded(added, options, `Allowed in ${bound.project}, ${until}`)
}

// The digest is stored only where the command alone does not say all: a hidden secret, other arguments, another tool.
function bindCommand(
  { record }: StoppedStep,
  { project, folder, content }: NonNullable<StoppedStep['bound']>,
): Pick<ExactSetting, 'project' | 'command' | 'folder' | 'digest'> {
  const command = clip(showContent({ point: record.point, data: record.data as object }), MAX_COMMAND)
  const isExact = digestCommand(command, folder) === content
  return { project, command, ...(folder !== '' && { folder }), ...(!isExact && { digest: content }) }
}

const MAX_COMMAND = 10_000

async function allowRule(id: string, options: AllowOptions, given: number | undefined): Promise<number> {
  const profiles = new ProfileHome()
  const rules = listRules(profiles.load().user)
  const rule = rules.get(id)
  if (rule === undefined)
    throw new ArcError('ARC_RULE_UNKNOWN', `There is no rule ${show(id)}.${didYouMean(id, rules.keys())}`)
  const never = whyNeverAllowed({ rule: id, tier: rule.tier })
  if (never !== undefined)
    throw new ArcError('ARC_ALLOW_REFUSED', `Findings of the rule ${id} can never be allowed, because ${never}.`)
  const project = readFolder(options.in)
  const forMs = options.always === true && given === undefined ? undefined : (given ?? RULE_MS)
  const until = forMs === undefined ? 'until you remove it' : `for ${formatSpan(forMs)}`
  const confirmed = await confirm('allow a rule', {
    show: () =>
      info(
        [...ruleLines(rule), `Allows everything that this rule finds in ${project} and below, ${until}.`].join('\n'),
      ),
    question: `Allow ${id} in ${project}?`,
  })
  if (confirmed === undefined) return 1
  const exception = { kind: 'rule', rule: id, project, ...common(options, forMs, confirmed.by) } as const
  const added = await addException(profiles, nameProfiles(profiles, undefined), exception, confirmed)
  return printAdded(added, options, `${id} is allowed in ${project}, ${until}`)
}

function readFolder(given: string | undefined): string {
  const { cwd } = context()
  if (given === undefined) return findProjectFolder(cwd).project
  const folder = resolve(cwd, given)
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw invalid('--in', 'an existing folder', given)
  return resolveRealPath(folder)
}

function common({ reason }: AllowOptions, forMs: number | undefined, by: string) {
  const now = Date.now()
  const end = forMs === undefined ? {} : { expiresAt: new Date(now + forMs).toISOString() }
  return { ...(reason !== undefined && { reason }), by, createdAt: new Date(now).toISOString(), ...end }
}

// A profile from the environment of an agent can only tighten the chosen profile, so both need the exception.
function nameProfiles(profiles: ProfileHome, ofStep: string | undefined): readonly string[] {
  const known = profiles.list()
  const own = ofStep !== undefined && known.includes(ofStep) ? ofStep : profiles.active
  return [...new Set([own, profiles.chosen])].filter((name) => known.includes(name))
}

// The agent may still wait for the answer.
function answerPending({ hash }: StoppedStep, source: AnswerSource): void {
  withApprovals((approvals) => approvals.answerPending(hash, source))
}

function withApprovals<T>(work: (approvals: AdvanceApprovals) => T): T {
  const { state, trace, close } = openStores(arcHome(), report)
  try {
    const record = (event: Parameters<typeof recordEvent>[1]): void => recordEvent(trace, event, { time: Date.now() })
    return work(new AdvanceApprovals({ state, clock: systemClock, newId, canonicalize, record }))
  } finally {
    close()
  }
}

function printAdded(added: Exception, { json }: AllowOptions, message: string): number {
  if (json === true) printJson([exceptionRow(added, { hits: 0 })])
  else info(`${colors.green('✓')} ${message}. Exception ${added.id}; to remove it: arc allow remove ${added.id}`)
  return 0
}

function invalid(option: string, expected: string, given: unknown): ArcError {
  return new ArcError('ARC_OPTION_INVALID', `${option} must be ${expected}, not ${show(given)}.`)
}
