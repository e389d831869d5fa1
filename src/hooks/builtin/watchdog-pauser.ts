// Before a destructive operation: pauses the watchdogs that would react to the operation. They are resumed in every case:
// when the operation is blocked, when the tool returned or failed, at the end of the turn or session, at their deadline,
// when the process closes, and after a crash by the next process. A process that ends soon leaves the deadline to another
// one (watchdog-resumer.ts). In log mode nothing is paused. It never asks: risk-detection does.

import { createHash } from 'node:crypto'
import * as z from 'zod'
import { withDeadline } from '../../engine/deadline.ts'
import { describe } from '../../engine/errors.ts'
import type { RunContext } from '../../engine/hook.ts'
import { isAtLeast } from '../../engine/mode.ts'
import type { Step } from '../../engine/step.ts'
import type { VerdictObject } from '../../engine/verdict.ts'
import { EFFECTS } from '../../risk/assessment.ts'
import { type BuiltIn, builtIn } from './built-in.ts'
import { type Classifier, rateStep } from './call-risk.ts'
import type { SupervisionServices } from './services.ts'
import { type Hold, WatchdogHolds } from './watchdog-holds.ts'
import { hasResumer, type PausedWatchdogs, resumeAtLimit } from './watchdog-resumer.ts'

const word = z.string().trim().min(1).max(4_000)
const action = z.union([
  z.strictObject({
    command: z.union([word, z.array(z.string().max(4_000)).min(1).max(100)]).describe('{max_seconds} is filled in.'),
    cwd: word.optional(),
  }),
  z.strictObject({
    url: z.url({ protocol: /^https?$/ }),
    method: z.enum(['POST', 'PUT', 'GET', 'DELETE']).default('POST'),
  }),
])

const options = z.strictObject({
  watchdogs: z
    .array(z.strictObject({ name: z.string().trim().min(1).max(100), pause: action, resume: action }))
    .max(20)
    .default([])
    .refine((all) => new Set(all.map(({ name }) => name)).size === all.length, 'two watchdogs have the same name')
    .describe('{name, pause, resume}, each of the two a {command} or a {url}.'),
  ask: z.boolean().optional().describe('Moved: false is askTier null of risk-detection, and still applies there.'),
  askTier: z.int().min(1).max(5).optional().describe('Moved: askTier of risk-detection, where it still applies.'),
  minTier: z.int().min(1).max(5).default(3).describe('The lowest tier that pauses watchdogs.'),
  effects: z.array(z.enum(EFFECTS)).min(1).default(['destructive']).describe('The effects of operations that count.'),
  maxPauseMs: z.number().min(1_000).max(86_400_000).default(900_000).describe('The longest pause of a watchdog.'),
  timeoutMs: z.number().min(10).max(60_000).default(2_000).describe('The time limit of one pause or resume.'),
})

type Options = z.output<typeof options>
type Watchdog = Options['watchdogs'][number]
type Act = 'pause' | 'resume'

/** The hook, with the classifier for the services. */
export function createWatchdogPause(classifierFor: (services: SupervisionServices) => Classifier): BuiltIn<Options> {
  return builtIn<Options>({
    name: 'watchdog-pause',
    priority: 5,
    points: [
      ...['pre:tool', 'post:tool', 'post:tool:failure', 'pre:turn:end', 'run:end', 'session:end', 'post:launch'],
      ...['pre:message', 'session:start'],
    ],
    summary: 'Pauses external watchdogs around destructive operations.',
    critical: false,
    timeoutMs: 10_000,
    options,
    create(settings, services) {
      const pauser = new WatchdogPauser(settings, services)
      const classify = classifierFor(services)
      return {
        ...(settings.watchdogs.length === 0 && { points: ['pre:tool'] }),
        check(step, run) {
          if (settings.watchdogs.length === 0) return undefined
          return step.point === 'pre:tool' ? pauser.pauseBefore(step, run, classify) : pauser.resumeEnded(step, run)
        },
      }
    },
  })
}

/** Resumes the watchdogs of these options at their limit; returns when none of them is paused. */
export async function watchPauses(given: unknown, services: SupervisionServices): Promise<void> {
  const settings = options.parse(given)
  await resumeAtLimit(services.state, JSON.stringify(settings), new WatchdogPauser(settings, services))
}

class WatchdogPauser implements PausedWatchdogs {
  readonly #options: Options
  readonly #services: SupervisionServices
  readonly #holds: ReadonlyMap<Watchdog, WatchdogHolds>
  readonly #timers = new Map<string, () => void>()

  constructor(settings: Options, services: SupervisionServices) {
    this.#options = settings
    this.#services = services
    this.#holds = new Map(settings.watchdogs.map((dog) => [dog, new WatchdogHolds(services.state, dog.name)]))
  }

  /** Before a tool call. */
  pauseBefore(step: Step, run: RunContext, classify: Classifier): Promise<VerdictObject | undefined> {
    const { minTier, effects } = this.#options
    const { risk } = rateStep(step, classify)
    const isPaused = effects.includes(risk.effect) && risk.tier >= minTier && isAtLeast(run.mode, 'advise')
    return isPaused ? this.#pauseAll(step, run) : this.#resumeDue(run, () => false)
  }

  /** At any other point: resumes the watchdogs of ended operations. */
  resumeEnded(step: Step, run: RunContext): Promise<VerdictObject | undefined> {
    return this.#resumeDue(run, matchEndedHolds(step))
  }

  async #pauseAll(step: Step, run: RunContext): Promise<VerdictObject> {
    const { clock, newId, whenBlocked } = this.#services
    const since = clock.wall()
    const until = since + this.#options.maxPauseMs
    const hold: Hold = { ...readOwner(step), id: newId(), call: identifyCall(step), since, until }
    for (const holds of this.#holds.values()) holds.add(hold)
    this.#timers.set(hold.id, this.#resumeAt(hold))
    this.#leaveToResumer()
    // A blocked operation does not run: its watchdogs need not wait for the end of the turn.
    whenBlocked?.(step.id, () => this.#resumeHold(hold.id))
    const ended = await this.#runAll('pause', this.#options.watchdogs, run)
    const watchdogsPaused = this.#options.watchdogs.map(({ name }) => name).filter((name) => !ended.failed.has(name))
    const metadata = { watchdogsPaused, watchdogsPausedUntil: new Date(until).toISOString() }
    if (ended.problems.length === 0) return { decision: 'pass', metadata }
    // A watchdog that cannot be paused does not block the work: it is reported, and resumed like the others.
    return { decision: 'flag', reason: `not every watchdog could be paused: ${ended.problems.join('; ')}`, metadata }
  }

  isPaused(): boolean {
    return [...this.#holds.values()].some((holds) => holds.isPaused)
  }

  async resumeOverdue(): Promise<void> {
    await this.#resumeOutside(() => false)
  }

  // After the hold is stored: a resumer that is about to end looks once more.
  #leaveToResumer(): void {
    const { resumeLater, state } = this.#services
    const key = JSON.stringify(this.#options)
    try {
      if (resumeLater !== undefined && !hasResumer(state, key)) resumeLater(key)
    } catch (error) {
      this.#warn('resume', '', `nothing waits for the limit: ${describe(error)}`)
    }
  }

  async #resumeDue(run: RunContext, isOver: (hold: Hold) => boolean): Promise<VerdictObject | undefined> {
    const { resumed, problems } = await this.#release(run, isOver)
    if (resumed.length === 0 && problems.length === 0) return undefined
    const metadata = { watchdogsResumed: resumed }
    if (problems.length === 0) return { decision: 'pass', metadata }
    return { decision: 'flag', reason: `a watchdog is still paused: ${problems.join('; ')}`, metadata }
  }

  async #release(run: Limits, isOver: (hold: Hold) => boolean) {
    const { clock } = this.#services
    // Long enough for the attempt, and short enough if this process dies during it.
    const leaseMs = 2 * this.#options.timeoutMs + 5_000
    const due = this.#options.watchdogs.filter((dog) =>
      this.#holds.get(dog)?.release((hold) => this.#isDone(hold, isOver), clock.wall(), leaseMs),
    )
    const { failed, problems } = await this.#runAll('resume', due, run)
    const again = due.filter((dog) => !failed.has(dog.name) && this.#holds.get(dog)?.resumed() === false)
    await this.#runAll('pause', again, run)
    for (const dog of due) if (failed.has(dog.name)) this.#retryLater(dog)
    return { resumed: due.map(({ name }) => name).filter((name) => !failed.has(name)), problems }
  }

  #isDone(hold: Hold, isOver: (hold: Hold) => boolean): boolean {
    if (!isOver(hold)) return false
    this.#timers.get(hold.id)?.()
    this.#timers.delete(hold.id)
    return true
  }

  #retryLater(dog: Watchdog): void {
    const { clock, record } = this.#services
    if (this.#holds.get(dog)?.resumeFailed(clock.wall()) !== false) return
    const message = `The watchdog ${dog.name} could not be resumed and will not be retried: resume it manually.`
    record({ component: 'hooks', action: 'watchdog:lost', level: 'error', message, data: { hook: 'watchdog-pause' } })
  }

  // A process that keeps running resumes at the deadline, or when it closes. Returns how to give that up.
  #resumeAt({ id, since, until }: Hold): () => void {
    const { clock, whenClosed, resumeLater } = this.#services
    const resume = (): Promise<void> => this.#resumeHold(id)
    const keep = resumeLater === undefined ? whenClosed?.(resume) : undefined
    const cancel = clock.after(until - since, () => void resume())
    return () => {
      cancel()
      keep?.()
    }
  }

  #resumeHold(id: string): Promise<void> {
    return this.#resumeOutside((hold) => hold.id === id)
  }

  // Outside of a dispatch: a failure is recorded.
  async #resumeOutside(isOver: (hold: Hold) => boolean): Promise<void> {
    const limits = { limitMs: 4 * this.#options.timeoutMs, signal: new AbortController().signal }
    try {
      await this.#release(limits, isOver)
    } catch (error) {
      this.#warn('resume', '', String(error))
    }
  }

  async #runAll(act: Act, dogs: readonly Watchdog[], run: Limits) {
    const problems: string[] = []
    const failed = new Set<string>()
    const tryOne = async (dog: Watchdog): Promise<void> => {
      const problem = await this.#run(act, dog, run).catch((error: unknown) => String(error))
      if (problem === undefined) return
      failed.add(dog.name)
      problems.push(`${act} of ${dog.name}: ${problem}`)
      this.#warn(act, dog.name, problem)
    }
    await Promise.all(dogs.map(tryOne))
    return { failed, problems }
  }

  // Returns the problem; undefined on success.
  async #run(act: Act, dog: Watchdog, run: Limits): Promise<string | undefined> {
    const { clock, fetch, runCommand } = this.#services
    const how = dog[act]
    const maxSeconds = String(Math.ceil(this.#options.maxPauseMs / 1_000))
    const fill = (text: string): string => text.replaceAll('{max_seconds}', maxSeconds)
    // A pause may follow a resume, and ending a command takes a moment beyond its limit.
    const limitMs = Math.min(this.#options.timeoutMs, run.limitMs / 3)
    if ('command' in how) {
      const command = typeof how.command === 'string' ? fill(how.command) : how.command.map(fill)
      const end = await runCommand(command, { cwd: how.cwd, timeoutMs: limitMs, signal: run.signal })
      if (end.timedOut) return `no result within ${limitMs} ms`
      return end.exitCode === 0 ? undefined : `exit ${end.exitCode ?? 'by a signal'} ${end.stderr.trim().slice(0, 200)}`
    }
    const body = JSON.stringify({ action: act, watchdog: dog.name, maxSeconds: Number(maxSeconds) })
    const sent = how.method === 'GET' ? {} : { body, headers: { 'content-type': 'application/json' } }
    return withDeadline({ clock, limitMs, signal: run.signal }, async (signal) => {
      const response = await fetch(fill(how.url), { method: how.method, signal, redirect: 'manual', ...sent })
      await response.body?.cancel()
      return response.ok ? undefined : `status ${response.status}`
    })
  }

  #warn(act: Act, watchdog: string, problem: string): void {
    const data = { hook: 'watchdog-pause', watchdog, problem }
    const message = `${act} of the watchdog ${watchdog} failed: ${problem}`
    this.#services.record({ component: 'hooks', action: `watchdog:${act}-failed`, level: 'warn', message, data })
  }
}

type Limits = Pick<RunContext, 'limitMs' | 'signal'>

// Matches the holds that end at this point: of the tool call, or of the agent's turn.
function matchEndedHolds(step: Step): (hold: Hold) => boolean {
  const { session, agent } = readOwner(step)
  if (step.point === 'post:tool' || step.point === 'post:tool:failure') {
    const call = identifyCall(step)
    return (hold) => hold.session === session && hold.call === call
  }
  const isOfTurn = step.point === 'pre:turn:end' || step.point === 'run:end' || step.point === 'pre:message'
  return (hold) => hold.session === session && (!isOfTurn || hold.agent === agent)
}

function readOwner(step: Step): Pick<Hold, 'session' | 'agent'> {
  return { session: step.session ?? '', agent: step.agent ?? '' }
}

// The host's call id pairs a call with its end; without one, the tool and its arguments do.
function identifyCall(step: Step): string {
  const { callId, tool, args } = step.data as { callId?: unknown; tool?: unknown; args?: unknown }
  if (typeof callId === 'string' && callId !== '') return `id:${callId}`
  return createHash('sha256')
    .update(JSON.stringify([tool, args]))
    .digest('hex')
}
