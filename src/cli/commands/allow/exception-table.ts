// `arc allow list` and `arc allow remove`: what is allowed, with its uses and its end.

import { AdvanceApprovals } from '../../../approvals/advance-approvals.ts'
import type { Approval } from '../../../approvals/approvals.ts'
import type { Exception } from '../../../config/config.ts'
import { formatProblem } from '../../../config/problem.ts'
import { ArcError, show } from '../../../engine/errors.ts'
import { isActive } from '../../../exceptions/exception-book.ts'
import { type ExceptionUses, forgetUses, readUses } from '../../../exceptions/exception-uses.ts'
import { showContent } from '../../../exceptions/step-content.ts'
import { recordEvent } from '../../../hooks/pipeline-services.ts'
import { systemClock } from '../../../platform/engine-services.ts'
import { arcHome } from '../../../platform/home.ts'
import { newId } from '../../../platform/ids.ts'
import { openStores } from '../../../storage/open-stores.ts'
import type { StateStore } from '../../../storage/ports.ts'
import { ProfileHome } from '../../../supervisor/profile-home.ts'
import { canonicalize } from '../../../trace/canonical.ts'
import colors from '../../colors.ts'
import { requirePerson } from '../../confirm.ts'
import { openState } from '../../home-stores.ts'
import { alignColumns, fromNow, info, oneLine, print, printJson, report } from '../../output.ts'
import { dropException } from './exception-file.ts'

interface JsonOption {
  readonly json?: boolean
}

/** One row of the list, as --json prints it. */
export interface ExceptionRow {
  readonly id: number | string
  readonly kind: 'once' | 'exact' | 'rule'
  readonly rule?: string | undefined
  readonly rules?: readonly string[] | undefined
  readonly command?: string | undefined
  readonly project: string
  readonly reason?: string | undefined
  readonly by: string
  readonly createdAt: string
  readonly expiresAt?: string | undefined
  readonly hits: number
  readonly lastUsedAt?: string | undefined
}

/** The row of an exception. */
export function exceptionRow(exception: Exception, { hits, lastUsedAt }: ExceptionUses): ExceptionRow {
  const { id, kind, rules, command, project, reason, by = 'unknown', createdAt, expiresAt } = exception
  return {
    ...{ id, kind, rule: rules[0], rules, command, project, reason, by },
    createdAt: formatTime(createdAt) ?? '',
    ...{ expiresAt: formatTime(expiresAt), hits, lastUsedAt: formatTime(lastUsedAt) },
  }
}

/** The row of an approval that is not used yet. */
export function approvalRow({
  id,
  step,
  reason,
  answeredBy = 'unknown',
  createdAt,
  expiresAt,
}: Approval): ExceptionRow {
  const { point, tool, args, workspace = '' } = step
  const data = tool === undefined ? (args as object) : { tool, args }
  return {
    ...{ id, kind: 'once', command: showContent({ point, data }), project: workspace, reason, by: answeredBy },
    ...{ createdAt: new Date(createdAt).toISOString(), expiresAt: new Date(expiresAt).toISOString(), hits: 0 },
  }
}

function formatTime(time: number | undefined): string | undefined {
  return time === undefined ? undefined : new Date(time).toISOString()
}

/** Lists the exceptions of the active profile and the approvals that are not used yet. */
export async function listExceptions({ json }: JsonOption): Promise<number> {
  const profiles = new ProfileHome()
  const { user, problems } = profiles.load()
  for (const problem of problems.filter(({ kind }) => kind === 'refused')) info(formatProblem(problem))
  const { state, close } = openState()
  try {
    printRows(readRows(user.exceptions, state), json === true)
    return 0
  } finally {
    close()
  }
}

function readRows(exceptions: readonly Exception[], state: StateStore): readonly ExceptionRow[] {
  const approvals = new AdvanceApprovals({ state, clock: systemClock, newId, canonicalize })
  const kept = exceptions.map((exception) => exceptionRow(exception, readUses(state, exception)))
  return [...kept, ...approvals.list().map(approvalRow)]
}

function printRows(rows: readonly ExceptionRow[], isJson: boolean): void {
  if (isJson) {
    printJson(rows)
    return
  }
  if (rows.length === 0) {
    info('Nothing is allowed. To allow the last step that was held or blocked: arc allow last')
    return
  }
  const head = ['n', 'kind', 'what', 'where', 'used', 'until', 'reason']
  const lines = rows.map((row) => {
    const { id, kind, command, rules = [], project, hits, reason = '' } = row
    const what = kind === 'rule' ? rules.join(', ') : (command ?? '')
    return [String(id), kind, colors.bold(oneLine(what, 40)), project, String(hits), showEnd(row), oneLine(reason, 40)]
  })
  for (const line of alignColumns(lines, { head, right: [4] })) print(line)
}

function showEnd({ expiresAt }: ExceptionRow): string {
  if (expiresAt === undefined) return 'you remove it'
  return Date.parse(expiresAt) <= Date.now() ? colors.dim('expired') : fromNow(expiresAt)
}

/** Removes an exception by its number, or an unused approval by its id or a unique prefix. */
export async function removeException(given: string, { json }: JsonOption): Promise<number> {
  const profiles = new ProfileHome()
  const confirmed = requirePerson('remove an exception')
  if (/^\d{1,9}$/.test(given)) {
    const exception = requireException(profiles, Number(given))
    const names = [...new Set([profiles.active, profiles.chosen])]
    if (!(await dropException(profiles, names, exception, confirmed)))
      throw unknown(`The exception ${given} is in ${exception.origin.file}: remove it there.`)
    withState((state) => forgetUses(state, exception))
  } else revokeApproval(given, confirmed)
  if (json === true) return listExceptions({ json })
  info(`${colors.green('✓')} Removed ${given}.`)
  return 0
}

function requireException(profiles: ProfileHome, id: number): Exception {
  const { exceptions } = profiles.load().user
  const found = exceptions.filter((exception) => exception.id === id)
  const exception = found.find((one) => isActive(one, Date.now())) ?? found[0]
  if (exception === undefined) throw unknown(`There is no exception ${id}.`)
  return exception
}

function revokeApproval(given: string, source: ReturnType<typeof requirePerson>): void {
  const { state, trace, close } = openStores(arcHome(), report)
  try {
    const approvals = new AdvanceApprovals({ state, clock: systemClock, newId, canonicalize })
    const found = approvals.list().filter(({ id }) => given.length >= 4 && id.startsWith(given))
    const [approval] = found
    if (approval === undefined) throw unknown(`There is no exception ${show(given)}.`)
    if (found.length > 1)
      throw unknown(`${show(given)} is not a unique prefix: ${found.map(({ id }) => id).join(', ')}.`)
    if (!approvals.revoke(approval.id)) throw unknown(`The approval ${approval.id} was used or has expired.`)
    const data = { approval: { id: approval.id, status: 'expired' }, ...source }
    const message = `${approval.id} is revoked by ${source.by}`
    recordEvent(
      trace,
      { component: 'hooks', action: 'approval:expired', level: 'info', message, data },
      { time: Date.now() },
    )
  } finally {
    close()
  }
}

function withState(work: (state: StateStore) => void): void {
  const { state, close } = openStores(arcHome(), report)
  try {
    work(state)
  } finally {
    close()
  }
}

function unknown(message: string): ArcError {
  return new ArcError('ARC_EXCEPTION_UNKNOWN', message)
}
