// At a session's end: do the mapped memory files say the same as their counterparts? In log drift is flagged, in advise
// the user is reminded, in enforce the older side is brought up to date. The newer side is never overwritten, a file
// that was deleted on one side is neither deleted nor brought back on the other, and what might get lost is kept aside.

import { createHash } from 'node:crypto'
import * as z from 'zod'
import type { RunContext } from '../../engine/hook.ts'
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
  .refine((text) => !text.includes('\0'), 'no path has such a character')

const options = z.strictObject({
  map: z
    .array(
      z
        .strictObject({
          from: path.describe('A file, or a pattern of files; relative ones are in the workspace.'),
          to: path.describe('Its counterpart; of a pattern, the folder of the counterparts.'),
        })
        .superRefine((mapping, context) => {
          const why = whyInvalid(mapping)
          if (why !== undefined) context.addIssue({ code: 'custom', message: why, path: ['from'] })
        }),
    )
    .max(100)
    .default([])
    .describe('Pairs of {from, to}: which file belongs to which.'),
  maxBytes: z.int().min(1).max(104_857_600).default(5_242_880).describe('Larger files are left alone.'),
  maxFiles: z.int().min(1).max(10_000).default(500).describe('The most that are looked at.'),
})

type Options = z.output<typeof options>

export const memorySync = builtIn<Options>({
  name: 'memory-sync',
  priority: 85,
  points: ['session:end'],
  summary: 'Compares memory files with their counterparts at the end of a session, and syncs them in enforce.',
  critical: false,
  timeoutMs: 30_000,
  options,
  create(settings, services) {
    return {
      check(step, run) {
        return settings.map.length === 0 ? 'pass' : new MemorySync(settings, services, run).check(step)
      },
    }
  },
})

/** What was found and done in one run. */
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
            `not all files were looked at: ${this.#run.signal.aborted ? 'out of time' : 'there are too many'}`,
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
    const standing = await compare(pair, typeof last === 'string' ? last : undefined, this.#options.maxBytes)
    if (standing.kind === 'same') this.#storeDigest(key, standing.digest)
    else if (standing.kind === 'absent') this.#removeDigest(key)
    else if (standing.kind === 'problem') problems.push(standing.why)
    else if (standing.kind === 'undecided') problems.push(`${pair.from} and ${pair.to}: ${standing.why}`)
    else if (standing.kind === 'deleted') problems.push(`${standing.gone} was deleted, ${standing.left} was left`)
    else if (this.#run.mode === 'enforce') await this.#syncPair(key, standing)
    else drifted.push(`${standing.target.path} is behind ${standing.source.path}`)
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

  // Deleted on both sides: what comes under this name later is something new.
  #removeDigest(key: string): void {
    const { state } = this.#services
    const entry = state.get(key)
    if (entry !== undefined) state.remove(key, entry.version)
  }

  #verdict(): VerdictObject {
    const { drifted, synced, keptAside, problems } = this.#findings
    const metadata = { memorySync: { drifted, synced, keptAside, problems } }
    const parts = [
      sentence(drifted, 'memory files drifted apart'),
      sentence(keptAside, 'both sides had changed; the older was kept as'),
      sentence(problems, 'memory files need a look'),
    ].filter((part) => part !== '')
    if (parts.length === 0) return { decision: 'pass', metadata }
    const isDrift = drifted.length > 0
    const suggestion = 'Copy the newer of each over the older, or set this hook to enforce to have it done.'
    return { decision: 'flag', reason: parts.join('. '), metadata, ...(isDrift && { suggestion }) }
  }
}

// A pair that nobody changed for so long is compared anew, by age: what is overwritten then is kept aside.
const RETENTION_MS = 365 * 86_400_000
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
