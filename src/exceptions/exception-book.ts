// The exceptions in force: finds those that cover the findings of a hook, counts and records each use. A finding without an
// exception keeps the step held or blocked, whatever else is allowed in it.

import type { AdvanceApprovals } from '../approvals/advance-approvals.ts'
import { toHeldStep } from '../approvals/approvals.ts'
import type { Exception } from '../config/config.ts'
import type { Clock } from '../engine/clock.ts'
import type { Step } from '../engine/step.ts'
import type {
  AllowNote,
  ExceptionAnswer,
  ExceptionRequest,
  Finding,
  SupervisionEvent,
} from '../hooks/builtin/services.ts'
import { whyNeverAllowed } from '../risk/never-allowed.ts'
import type { StateStore } from '../storage/ports.ts'
import { countUse } from './exception-uses.ts'
import { digestCommand, digestContent, findProjectFolder, type ProjectFolder } from './step-content.ts'

/** What the exceptions need from their supervisor. */
export interface ExceptionServices {
  readonly state: StateStore
  readonly clock: Pick<Clock, 'wall'>
  readonly approvals: AdvanceApprovals
  readonly record: (event: SupervisionEvent) => void
}

// An exception from further in the future was made before the clock was set back.
const CLOCK_SLACK_MS = 60_000

/** Whether an exception applies at a time. */
export function isActive({ createdAt = 0, expiresAt }: Exception, now: number): boolean {
  return createdAt <= now + CLOCK_SLACK_MS && (expiresAt === undefined || now < expiresAt)
}

/** The step where it runs, as exceptions see it. */
interface Subject extends ProjectFolder {
  readonly content: string
}

/** The exceptions of one configuration. */
export class ExceptionBook {
  readonly #exceptions: readonly Exception[]
  readonly #services: ExceptionServices
  // The exceptions that were counted for a step, by the data that all its hooks get: two hooks may ask about one step.
  readonly #counted = new WeakMap<object, Set<Exception>>()

  constructor(exceptions: readonly Exception[], services: ExceptionServices) {
    this.#exceptions = exceptions
    this.#services = services
  }

  /** Whether all findings are allowed. */
  find({ step, hook, findings }: ExceptionRequest): ExceptionAnswer {
    for (const finding of findings) {
      const why = whyNeverAllowed(finding)
      if (why !== undefined) return { is: 'not-allowed', note: { never: `${finding.rule}: ${why}` } }
    }
    const subject = readSubject(step)
    const used = subject === undefined ? undefined : this.#cover(subject, findings)
    if (used !== undefined) {
      for (const exception of used) this.#use(exception, step, hook)
      const isExact = used.every(({ kind }) => kind === 'exact')
      return { is: 'allowed', exceptions: used.map(({ id, reason }) => ({ id, reason })), isExact }
    }
    const hash = this.#services.approvals.hashStep(toHeldStep(step))
    const approval = this.#services.approvals.findApproved(hash)
    const note = buildNote(hash, findings, subject)
    if (approval === undefined) return { is: 'not-allowed', note }
    return { is: 'approved', approval: approval.id, by: approval.answeredBy, note }
  }

  // The exceptions that together cover every finding; undefined when one is not covered.
  #cover(subject: Subject, findings: readonly Finding[]): readonly Exception[] | undefined {
    const now = this.#services.clock.wall()
    const active = this.#exceptions.filter((one) => isActive(one, now) && isAbout(one, subject))
    const used = new Set<Exception>()
    for (const { rule } of findings) {
      const exception = active.find(({ rules }) => rules.includes(rule))
      if (exception === undefined) return undefined
      used.add(exception)
    }
    return findings.length === 0 ? undefined : [...used]
  }

  #use(exception: Exception, step: Step, hook: string): void {
    const counted = this.#counted.get(step.data) ?? new Set()
    if (counted.has(exception)) return
    this.#counted.set(step.data, counted.add(exception))
    const { state, clock, record } = this.#services
    countUse(state, exception, clock.wall())
    const { id, kind, rules, project, reason } = exception
    record({
      component: 'hooks',
      action: 'exception:used',
      level: 'info',
      message: `allowed by exception ${id}: ${rules.join(', ')}${reason === undefined ? '' : ` (${reason})`}`,
      data: { hook, exception: id, kind, rules, project, step: step.id, session: step.session, point: step.point },
    })
  }
}

function readSubject(step: Step): Subject | undefined {
  if (step.workspace === undefined) return undefined
  const place = findProjectFolder(step.workspace)
  return { ...place, content: digestContent(step, place.folder) }
}

function isAbout(exception: Exception, { project, folder, content }: Subject): boolean {
  const { kind, command = '', digest } = exception
  if (kind === 'rule') return isInside(folder === '' ? project : `${project}/${folder}`, exception.project)
  if (exception.project !== project) return false
  return content === (digest ?? digestCommand(command, exception.folder ?? ''))
}

function isInside(path: string, folder: string): boolean {
  return folder === '/' || path === folder || path.startsWith(`${folder}/`)
}

function buildNote(step: string, findings: readonly Finding[], subject: Subject | undefined): AllowNote {
  const rules = [...new Set(findings.map(({ rule }) => rule))]
  return { step, rules, ...subject }
}
