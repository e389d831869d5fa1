// Checks the health of services after an operation on one, at once and then at growing intervals. Never blocks. It polls
// within its own time limit (31 s, so that 30 s of polling fit); with a shorter limit it reports a timeout. It does not
// poll in the background: a host starts one process per event, and a result after its end would be lost.

import { connect } from 'node:net'
import * as z from 'zod'
import { pause, withDeadline } from '../../engine/deadline.ts'
import { describe } from '../../engine/errors.ts'
import type { RunContext } from '../../engine/hook.ts'
import type { Step } from '../../engine/step.ts'
import type { VerdictObject } from '../../engine/verdict.ts'
import { SESSION_TTL_MS, update } from '../../storage/state.ts'
import { builtIn } from './built-in.ts'
import { findServiceOperation } from './service-operation.ts'
import type { SupervisionServices } from './services.ts'

const name = z.string().trim().min(1).max(64)
const status = z.int().min(100).max(599)
const check = z.union([
  z.strictObject({
    name,
    url: z.url({ protocol: /^https?$/ }),
    expect: z
      .union([status, z.array(status).min(1)])
      .optional()
      .describe('The expected status; any 2xx by default.'),
  }),
  z.strictObject({ name, port: z.int().min(1).max(65_535), host: z.string().trim().min(1).default('127.0.0.1') }),
  z.strictObject({ name, command: z.union([z.string().trim().min(1), z.array(z.string()).min(1)]) }),
])

const options = z.strictObject({
  checks: z.array(check).max(50).default([]).describe('{name} and one of {url, expect}, {port, host} or {command}.'),
  words: z
    .array(z.string().trim().min(1).max(200))
    .max(100)
    .default([])
    .describe('Further words that mark an operation on a service.'),
  pollIntervalMs: z
    .number()
    .min(1)
    .max(60_000)
    .default(1_000)
    .describe('The first wait; each further wait is twice as long.'),
  pollTimeoutMs: z.number().min(0).max(600_000).default(30_000).describe('How long to poll.'),
  attemptMs: z.number().min(1).max(60_000).default(5_000).describe('The time limit of one check.'),
})

type Options = z.output<typeof options>
type Check = z.output<typeof check>

/** The health of one service. */
interface Health {
  readonly name: string
  readonly healthy: boolean
  readonly detail: string
}

// Reserved from the hook's time limit for returning the verdict.
const RESERVE_MS = 250

export const postVerify = builtIn<Options>({
  name: 'post-verify',
  priority: 95,
  points: ['post:tool', 'post:tool:failure', 'post:message'],
  summary: 'Polls health checks after operations on services.',
  critical: false,
  timeoutMs: 31_000,
  options,
  create(settings, services) {
    const { checks, words } = settings
    return {
      check(step, run) {
        if (checks.length === 0) return 'pass'
        const operation = findServiceOperation(step.data as Readonly<Record<string, unknown>>, words)
        if (operation === undefined || wasJustVerified(step, settings, services)) return 'pass'
        storeVerified(step, services)
        return verify(step, run, { operation, settings, services })
      },
    }
  },
})

// An agent reports a restart in its message as well: the same operation, already verified.
function wasJustVerified(step: Step, { pollTimeoutMs }: Options, { state, clock }: SupervisionServices): boolean {
  if (step.point !== 'post:message') return false
  const ageMs = clock.wall() - Number(state.get(verifiedKey(step))?.value ?? Number.NaN)
  return ageMs >= 0 && ageMs < 2 * pollTimeoutMs
}

function storeVerified(step: Step, { state, clock }: SupervisionServices): void {
  if (step.session !== undefined) update(state, verifiedKey(step), () => clock.wall(), SESSION_TTL_MS)
}

function verifiedKey({ session = '' }: Step): string {
  return `post-verify/${session}`
}

interface Job {
  readonly operation: string
  readonly settings: Options
  readonly services: SupervisionServices
}

async function verify(step: Step, run: RunContext, job: Job): Promise<VerdictObject> {
  const { clock, record } = job.services
  try {
    const { found, timedOut } = await poll(run, job)
    const unhealthy = found.filter(({ healthy }) => !healthy)
    const metadata: Record<string, unknown> = {
      post_verify_healthy: unhealthy.length === 0,
      post_verify_operation: job.operation,
      verified_at: new Date(clock.wall()).toISOString(),
      ...(timedOut && { post_verify_timed_out: true }),
    }
    for (const { name: service, healthy, detail } of found) {
      metadata[`${service}_healthy`] = healthy
      metadata[`${service}_detail`] = detail
    }
    if (unhealthy.length === 0) return { decision: 'pass', metadata }
    const alert = `Unhealthy services: ${unhealthy.map(({ name: service }) => service).join(', ')}`
    const details = unhealthy.map(({ name: service, detail }) => `${service}: ${detail}`).join('; ')
    const data = { hook: 'post-verify', session: step.session, operation: job.operation, details }
    record({ component: 'hooks', action: 'post-verify:unhealthy', level: 'error', message: alert, data })
    const suggestion = 'Check the logs of the service, and undo the operation if it caused this.'
    const reason = `${alert} (${details}) after: ${job.operation}`
    return { decision: 'flag', reason, suggestion, metadata: { ...metadata, post_verify_alert: alert } }
  } catch (error) {
    const problem = describe(error)
    return {
      decision: 'flag',
      reason: `health could not be checked: ${problem}`,
      metadata: { post_verify_error: problem },
    }
  }
}

// The last wait is shortened so that one more check fits before the limit.
async function poll(
  run: RunContext,
  { settings, services }: Job,
): Promise<{ found: readonly Health[]; timedOut: boolean }> {
  const { clock } = services
  const { checks, pollIntervalMs, attemptMs } = settings
  const limitMs = Math.max(0, Math.min(settings.pollTimeoutMs, run.limitMs - RESERVE_MS))
  const endAt = clock.now() + limitMs
  const roomMs = Math.min(attemptMs, limitMs / 4)
  for (let waitMs = pollIntervalMs; ; waitMs *= 2) {
    const attempt = { limitMs: Math.max(1, Math.min(attemptMs, endAt - clock.now())), signal: run.signal }
    const found = await Promise.all(checks.map((one) => checkHealth(one, attempt, services)))
    if (found.every(({ healthy }) => healthy)) return { found, timedOut: false }
    const leftMs = endAt - roomMs - clock.now()
    if (leftMs <= 0 || run.signal.aborted) return { found, timedOut: true }
    await pause(Math.min(waitMs, leftMs), { clock, signal: run.signal })
  }
}

async function checkHealth(
  one: Check,
  limits: { limitMs: number; signal: AbortSignal },
  services: SupervisionServices,
) {
  const { clock } = services
  try {
    const problem =
      'command' in one
        ? await runCheck(one, limits, services)
        : await withDeadline({ clock, ...limits }, (signal) =>
            'url' in one ? request(one, signal, services) : open(one.host, one.port, signal),
          )
    return { name: one.name, healthy: problem === undefined, detail: problem ?? 'ok' }
  } catch (error) {
    return { name: one.name, healthy: false, detail: describeCause(error) }
  }
}

async function request(
  { url, expect }: Extract<Check, { url: string }>,
  signal: AbortSignal,
  { fetch }: SupervisionServices,
): Promise<string | undefined> {
  const response = await fetch(url, { signal, redirect: 'manual' })
  await response.body?.cancel()
  const isExpected = expect === undefined ? response.ok : [expect].flat().includes(response.status)
  return isExpected ? undefined : `status ${response.status}`
}

// A connection is enough: the protocol of the port is unknown.
function open(host: string, port: number, signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port })
    const stop = (): void => void socket.destroy()
    signal.addEventListener('abort', stop, { once: true })
    socket.once('connect', () => resolve(undefined))
    socket.once('error', reject)
    socket.once('connect', stop)
    socket.once('close', () => signal.removeEventListener('abort', stop))
  })
}

async function runCheck(
  { command }: Extract<Check, { command: unknown }>,
  { limitMs, signal }: { limitMs: number; signal: AbortSignal },
  { runCommand }: SupervisionServices,
): Promise<string | undefined> {
  const end = await runCommand(command, { timeoutMs: limitMs, signal })
  if (end.timedOut) return `no result within ${limitMs} ms`
  if (end.exitCode === 0) return undefined
  return `exit ${end.exitCode ?? 'by a signal'} ${end.stderr.trim().slice(0, 200)}`.trim()
}

// The cause of a fetch error is more specific than its message.
function describeCause(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined
  const { code } = (cause ?? error) as NodeJS.ErrnoException
  return typeof code === 'string' ? code : error instanceof Error ? error.message : String(error)
}
