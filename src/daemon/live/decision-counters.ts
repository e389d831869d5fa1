// Counters of recent decisions, hooks and sessions: in memory and with limits. They count records as they are read, so
// records of other processes count too.

import { buildPreview } from '../../display/step-preview.ts'
import type { Bucket, Coverage, DecisionCounts, DecisionName, HookStats, SessionView } from '../../protocol/views.ts'
import type { EvaluationRecord, EventRecord } from '../../trace/record.ts'
import { readFirstStep } from '../../trace/second-step.ts'
import type { WholeStep } from './feed-steps.ts'

const MINUTE_MS = 60_000
const MINUTES = 60
const RATE_MINUTES = 5
const MAX_DURATIONS = 512
const MAX_HOOKS = 1_000
const MAX_SESSIONS = 500
const MAX_AGENTS = 20
/** A session without a record for this long is not active. */
const ACTIVE_MS = 15 * MINUTE_MS

type Counts = Record<DecisionName, number>

const emptyCounts = (): Counts => ({ pass: 0, flag: 0, ask: 0, block: 0 })

/** The counters of the newest records. */
export class DecisionCounters {
  readonly #minutes = new Map<number, Counts & { error: number }>()
  readonly #hooks = new Map<string, HookCounters>()
  readonly #sessions = new Map<string, SessionCounters>()
  #calls = 0
  #supervised = 0
  #since: number | undefined

  /** Counts a step with its evaluations. */
  addStep(whole: WholeStep): void {
    const { record, evaluations } = whole
    const at = Date.parse(record.time)
    this.#since ??= at
    const minute = this.#minuteAt(at)
    minute[record.decision] += 1
    for (const evaluation of evaluations) {
      if (isFailure(evaluation)) minute.error += 1
      this.#findHook(evaluation.hook)?.add(evaluation, at)
    }
    if (record.point === 'pre:tool' && readFirstStep(record) === undefined) {
      this.#calls += 1
      this.#supervised += 1
    }
    if (record.session !== undefined) this.#findSession(record.session, at).add(whole, at)
  }

  /** Counts an event about an agent's call. */
  addEvent({ action, session, time, host }: EventRecord): void {
    const at = Date.parse(time)
    this.#since ??= at
    if (action !== 'call:unsupervised') return
    this.#calls += 1
    if (session !== undefined) this.#findSession(session, at).addUnsupervised(host, at)
  }

  /** The time of the first counted record; null before it. */
  get since(): number | null {
    return this.#since ?? null
  }

  get coverage(): Coverage {
    return { calls: this.#calls, supervised: this.#supervised }
  }

  /** The decisions of the last hour by minute, oldest first. */
  minutes(now: number): readonly Bucket[] {
    const last = Math.floor(now / MINUTE_MS)
    return Array.from({ length: MINUTES }, (_, back) => {
      const minute = last - (MINUTES - 1) + back
      return { at: minute * MINUTE_MS, ...(this.#minutes.get(minute) ?? { ...emptyCounts(), error: 0 }) }
    })
  }

  /** The decisions of the last minutes, the current minute included. */
  countRecent(now: number, minutes: number): DecisionCounts {
    const sum = emptyCounts()
    for (const bucket of this.minutes(now).slice(-minutes)) {
      for (const decision of Object.keys(sum) as DecisionName[]) sum[decision] += bucket[decision]
    }
    return sum
  }

  /** The statistics of a hook. */
  hook(name: string, now: number): HookStats {
    return (this.#hooks.get(name) ?? new HookCounters()).stats(now)
  }

  /** The sessions, newest activity first. */
  sessions(now: number): readonly SessionView[] {
    return [...this.#sessions].map(([id, session]) => session.view(id, now)).sort((a, b) => b.lastAt - a.lastAt)
  }

  #minuteAt(at: number): Counts & { error: number } {
    const minute = Math.floor(at / MINUTE_MS)
    const known = this.#minutes.get(minute)
    if (known !== undefined) return known
    const fresh = { ...emptyCounts(), error: 0 }
    this.#minutes.set(minute, fresh)
    // A clock that jumps leaves minutes that are never shown: the oldest are removed.
    for (const [oldest] of this.#minutes) {
      if (this.#minutes.size <= 2 * MINUTES) break
      this.#minutes.delete(oldest)
    }
    return fresh
  }

  #findHook(name: string): HookCounters | undefined {
    const known = this.#hooks.get(name)
    if (known !== undefined || this.#hooks.size >= MAX_HOOKS) return known
    const fresh = new HookCounters()
    this.#hooks.set(name, fresh)
    return fresh
  }

  #findSession(id: string, at: number): SessionCounters {
    const session = this.#sessions.get(id) ?? new SessionCounters(at)
    // A Map keeps the order of insertion: the first session has the oldest activity.
    this.#sessions.delete(id)
    this.#sessions.set(id, session)
    if (this.#sessions.size > MAX_SESSIONS) this.#sessions.delete(this.#sessions.keys().next().value as string)
    return session
  }
}

/** The counters of a hook. */
class HookCounters {
  readonly #counts = emptyCounts()
  readonly #perMinute = new Map<number, number>()
  readonly #durations: number[] = []
  #next = 0
  #runs = 0
  #errors = 0
  #skips = 0
  #lastAt: string | null = null

  add(evaluation: EvaluationRecord, at: number): void {
    if (evaluation.skipped !== undefined) {
      this.#skips += 1
      return
    }
    this.#runs += 1
    this.#counts[evaluation.decision] += 1
    if (isFailure(evaluation)) this.#errors += 1
    this.#lastAt = evaluation.time
    this.#durations[this.#next] = evaluation.durationMs
    this.#next = (this.#next + 1) % MAX_DURATIONS
    const minute = Math.floor(at / MINUTE_MS)
    this.#perMinute.set(minute, (this.#perMinute.get(minute) ?? 0) + 1)
    if (this.#perMinute.size > MINUTES) this.#perMinute.delete(this.#perMinute.keys().next().value as number)
  }

  stats(now: number): HookStats {
    const sorted = [...this.#durations].sort((a, b) => a - b)
    const last = Math.floor(now / MINUTE_MS)
    let recent = 0
    for (let back = 0; back < RATE_MINUTES; back++) recent += this.#perMinute.get(last - back) ?? 0
    return {
      runs: this.#runs,
      perMinute: recent / RATE_MINUTES,
      errors: this.#errors,
      errorRate: this.#runs === 0 ? 0 : this.#errors / this.#runs,
      skips: this.#skips,
      ...this.#counts,
      p50Ms: quantile(sorted, 0.5),
      p95Ms: quantile(sorted, 0.95),
      lastRun: this.#lastAt,
    }
  }
}

/** The counters of a session. */
class SessionCounters {
  readonly #agents = new Set<string>()
  readonly #decisions = emptyCounts()
  #host: string | null = null
  #profile: string | null = null
  #workspace: string | null = null
  readonly #startedAt: number
  #lastAt: number
  #endedAt: number | null = null
  #steps = 0
  #calls = 0
  #supervised = 0
  #lastTool: string | null = null
  #lastPreview = ''

  constructor(at: number) {
    this.#startedAt = at
    this.#lastAt = at
  }

  add({ record }: WholeStep, at: number): void {
    this.#steps += 1
    this.#lastAt = Math.max(this.#lastAt, at)
    this.#decisions[record.decision] += 1
    this.#host = record.host ?? this.#host
    this.#profile = record.profile ?? this.#profile
    this.#workspace = record.workspace ?? this.#workspace
    if (record.agent !== undefined && this.#agents.size < MAX_AGENTS) this.#agents.add(record.agent)
    // A session with steps after its end was resumed.
    this.#endedAt = record.point === 'session:end' ? at : null
    if (record.point === 'pre:tool') {
      this.#calls += 1
      this.#supervised += 1
    }
    if (record.tool === undefined) return
    this.#lastTool = record.tool
    this.#lastPreview = buildPreview(record.data)
  }

  addUnsupervised(host: string | undefined, at: number): void {
    this.#host = host ?? this.#host
    this.#lastAt = Math.max(this.#lastAt, at)
    this.#calls += 1
  }

  view(id: string, now: number): SessionView {
    return {
      id,
      host: this.#host,
      agents: [...this.#agents],
      profile: this.#profile,
      workspace: this.#workspace,
      startedAt: this.#startedAt,
      lastAt: this.#lastAt,
      endedAt: this.#endedAt,
      isActive: this.#endedAt === null && now - this.#lastAt < ACTIVE_MS,
      steps: this.#steps,
      decisions: { ...this.#decisions },
      coverage: { calls: this.#calls, supervised: this.#supervised },
      lastTool: this.#lastTool,
      lastPreview: this.#lastPreview,
    }
  }
}

function isFailure({ cause, skipped }: EvaluationRecord): boolean {
  return cause !== 'policy' && skipped === undefined
}

// The quantile of sorted values; null without values.
function quantile(sorted: readonly number[], share: number): number | null {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? null
}
