// Compares mapped memory files with their counterparts at the end of a session. In log a difference is flagged, in advise
// the user is reminded at the start of the next session, when a message can be shown, in enforce the older file is updated. The newer file is never overwritten, a file that was
// deleted on one side is neither deleted nor restored on the other, and content that could be lost is saved as a copy.

import { createHash } from 'node:crypto'
import * as z from 'zod'
import type { RunContext } from '../../engine/hook.ts'
import { isAtLeast } from '../../engine/mode.ts'
import { isRecord } from '../../engine/plain-data.ts'
import type { Step } from '../../engine/step.ts'
import type { VerdictObject } from '../../engine/verdict.ts'
import { update } from '../../storage/state.ts'
import { builtIn } from './built-in.ts'
import { compare, describeFileError, type PairState, sync } from './memory-files.ts'
import { findPairs, type Pair, whyInvalid } from './memory-pairs.ts'
import type { SupervisionServices } from './services.ts'

const path = z
  .string()
  .trim()
  .min(1)
  .max(4_000)
  .refine((text) => !text.includes('\0'), 'a path must not contain a NUL character')

const options = z.strictObject({
  map: z
    .array(
      z
        .strictObject({
          from: path.describe('A file or a glob pattern; relative paths start at the workspace.'),
          to: path.describe('The counterpart; for a pattern, the folder of the counterparts.'),
        })
        .superRefine((mapping, context) => {
          const why = whyInvalid(mapping)
          if (why !== undefined) context.addIssue({ code: 'custom', message: why, path: ['from'] })
        }),
    )
    .max(100)
    .default([])
    .describe('Pairs of {from, to}.'),
  maxBytes: z.int().min(1).max(104_857_600).default(5_242_880).describe('Larger files are skipped.'),
  maxFiles: z.int().min(1).max(10_000).default(500).describe('The most files to compare.'),
})

type Options = z.output<typeof options>

export const memorySync = builtIn<Options>({
  name: 'memory-sync',
  priority: 85,
  points: ['session:end', 'session:start'],
  summary: 'Compares memory files with their counterparts at the end of a session, and syncs them in enforce.',
  critical: false,
  timeoutMs: 30_000,
  options,
  create(settings, services) {
    return {
      ...(settings.map.length === 0 && { points: ['session:end'] }),
      async check(step, run) {
        if (settings.map.length === 0) return 'pass'
        if (step.point === 'session:start') return remind(step, services)
        const verdict = await new MemorySync(settings, services, run).check(step)
        if (verdict.decision !== 'pass' && isAtLeast(run.mode, 'advise')) storeReminder(step, verdict, services)
        return verdict
      },
    }
  },
})

// The end of a session cannot show anything: the next session of the workspace starts with the reminder, once.
function storeReminder(step: Step, { reason, suggestion }: VerdictObject, { state }: SupervisionServices): void {
  update<unknown>(state, reminderKey(step), () => ({ reason, suggestion }), REMINDER_TTL_MS)
}

function remind(step: Step, { state }: SupervisionServices): VerdictObject | 'pass' {
  const entry = state.get(reminderKey(step))
  if (entry === undefined || !isRecord(entry.value) || !state.remove(reminderKey(step), entry.version)) return 'pass'
  const { reason, suggestion } = entry.value
  const said = `at the end of the last session: ${String(reason)}`
  return { decision: 'flag', reason: said, ...(typeof suggestion === 'string' && { suggestion }) }
}

function reminderKey({ workspace }: Step): string {
  return `memory-sync/reminder/${createHash('sha256')
    .update(workspace ?? '')
    .digest('hex')
    .slice(0, 32)}`
}

/** The result of one run. */
interface SyncFindings {
  readonly drifted: string[]
  readonly synced: string[]
  readonly keptAside: string[]
  readonly problems: string[]
}

class MemorySync {
  readonly #options: Options
  readonly #services: SupervisionServices
  readonly #run: RunContext
  readonly #findings: SyncFindings = { drifted: [], synced: [], keptAside: [], problems: [] }

  constructor(settings: Options, services: SupervisionServices, run: RunContext) {
    this.#options = settings
    this.#services = services
    this.#run = run
  }

  async check(step: Step): Promise<VerdictObject> {
    const { problems } = this.#findings
    let seen = 0
    for (const mapping of this.#options.map) {
      for (const pair of await findPairs(mapping, step.workspace ?? process.cwd(), problems)) {
        if (this.#run.signal.aborted || ++seen > this.#options.maxFiles) {
          problems.push(
            `not all files were compared: ${this.#run.signal.aborted ? 'out of time' : 'there are too many'}`,
          )
          return this.#verdict()
        }
        await this.#checkPair(pair)
      }
    }
    return this.#verdict()
  }

  async #checkPair(pair: Pair): Promise<void> {
    const { drifted, problems } = this.#findings
    const key = buildPairKey(pair)
    const last = this.#services.state.get(key)?.value
    const state = await compare(pair, typeof last === 'string' ? last : undefined, this.#options.maxBytes)
    if (state.kind === 'same') this.#storeDigest(key, state.digest)
    else if (state.kind === 'absent') this.#removeDigest(key)
    else if (state.kind === 'problem') problems.push(state.why)
    else if (state.kind === 'undecided') problems.push(`${pair.from} and ${pair.to}: ${state.why}`)
    else if (state.kind === 'deleted') problems.push(`${state.gone} was deleted, ${state.left} still exists`)
    else if (this.#run.mode === 'enforce') await this.#syncPair(key, state)
    else drifted.push(`${state.target.path} is behind ${state.source.path}`)
  }

  async #syncPair(key: string, drift: Extract<PairState, { kind: 'drift' }>): Promise<void> {
    const { synced, keptAside, problems } = this.#findings
    const { clock, newId } = this.#services
    const stamp = new Date(clock.wall()).toISOString().replace(/[-:]|\.\d+/g, '')
    try {
      const aside = await sync(drift, { stamp, id: newId() })
      if (aside !== undefined) keptAside.push(aside)
      synced.push(drift.target.path)
      if (drift.source.content !== undefined) this.#storeDigest(key, drift.source.content.digest)
    } catch (error) {
      problems.push(describeFileError(drift.target.path, error))
    }
  }

  #storeDigest(key: string, digest: string): void {
    update<unknown>(this.#services.state, key, (before) => (before === digest ? undefined : digest), RETENTION_MS)
  }

  // Deleted on both sides: a later file of this name is a new file.
  #removeDigest(key: string): void {
    const { state } = this.#services
    const entry = state.get(key)
    if (entry !== undefined) state.remove(key, entry.version)
  }

  #verdict(): VerdictObject {
    const { drifted, synced, keptAside, problems } = this.#findings
    const metadata = { memorySync: { drifted, synced, keptAside, problems } }
    const parts = [
      sentence(drifted, 'memory files differ'),
      sentence(keptAside, 'both sides had changed; the older was saved as'),
      sentence(problems, 'memory files need attention'),
    ].filter((part) => part !== '')
    if (parts.length === 0) return { decision: 'pass', metadata }
    const isDrift = drifted.length > 0
    const suggestion = 'Copy the newer file over the older, or set this hook to enforce to do it automatically.'
    return { decision: 'flag', reason: parts.join('. '), metadata, ...(isDrift && { suggestion }) }
  }
}

// After this time without a change a pair counts as new and is compared by age; overwritten content is saved as a copy.
const RETENTION_MS = 365 * 86_400_000
const REMINDER_TTL_MS = 30 * 86_400_000
const MAX_NAMED = 5

function sentence(items: readonly string[], what: string): string {
  if (items.length === 0) return ''
  const more = items.length > MAX_NAMED ? `, and ${items.length - MAX_NAMED} more` : ''
  return `${what}: ${items.slice(0, MAX_NAMED).join(', ')}${more}`
}

function buildPairKey({ from, to }: Pair): string {
  return `memory-sync/${createHash('sha256')
    .update(JSON.stringify([from, to]))
    .digest('hex')
    .slice(0, 32)}`
}
