// What is there to see: the daemon itself, the pipeline, the decisions, the breaker, the profiles.

import { join } from 'node:path'
import type { Context } from 'hono'
import { listProfiles } from '../../../config/profile-files.ts'
import type { HealthView, StatusView } from '../../../protocol/messages.ts'
import type { TraceFilter } from '../../../storage/ports.ts'
import type { Supervisor } from '../../../supervisor/supervisor.ts'
import { buildBreakerView, buildHookViews } from '../../live/overview.ts'
import type { App, Env, Service } from '../service.ts'

const MAX_ROWS = 1_000

export function addStatusRoutes(app: App, service: Service): void {
  const supervisor = (c: Context<Env>): Promise<Supervisor> =>
    service.pool.find(c.req.query('project'), c.req.query('profile'))
  app.get('/health', (c) => {
    const { version } = service
    const health: HealthView = { ok: true, version, pid: process.pid, uptimeMs: service.uptimeMs() }
    return c.json(health)
  })
  app.get('/v1/status', async (c) => c.json(statusOf(service, await supervisor(c))))
  app.get('/v1/hooks', async (c) => {
    const { traceTail } = service
    await traceTail.catchUp()
    return c.json(buildHookViews(await supervisor(c), traceTail.counters, Date.now()))
  })
  app.get('/v1/breaker', async (c) => c.json(buildBreakerView(await supervisor(c))))
  app.get('/v1/profiles', async (c) => c.json(profilesOf(service, await supervisor(c))))
  app.get('/v1/decisions', async (c) => c.json((await supervisor(c)).trace.query(filterOf(c))))
  app.get('/v1/decisions/:id', async (c) => {
    const found = (await supervisor(c)).trace.get(c.req.param('id'))
    return c.json(found, found.found === 'nothing' ? 404 : 200)
  })
}

/** The state of things, as `arc status` tells it. */
function statusOf(service: Service, supervisor: Supervisor): StatusView & Readonly<Record<string, unknown>> {
  return {
    running: true,
    pid: process.pid,
    url: service.url() ?? null,
    socket: service.socket,
    profile: supervisor.config.profile,
    enforcement: supervisor.engine.mode,
    breaker: buildBreakerView(supervisor),
    uptimeMs: service.uptimeMs(),
    version: service.version,
    hooks: supervisor.hooks().length,
    problems: supervisor.problems.length,
    isDurable: supervisor.isDurable,
    counters: supervisor.trace.counters({ hours: 24 }),
  }
}

function profilesOf({ home }: Service, { config }: Supervisor) {
  const names = new Set([...listProfiles(join(home, 'profiles')), 'default', config.profile])
  return [...names].sort().map((name) => ({ name, active: name === config.profile }))
}

function filterOf(c: Context<Env>): TraceFilter {
  const { component, action, session, hook, decision, since, after, limit } = c.req.query()
  return {
    component: component as TraceFilter['component'],
    action,
    session,
    hook,
    decision: decision as TraceFilter['decision'],
    since: numberIn(since),
    afterSeq: numberIn(after),
    limit: Math.min(numberIn(limit) ?? 100, MAX_ROWS),
    steps: c.req.query('steps') === 'true',
  }
}

function numberIn(text: string | undefined): number | undefined {
  const number = text === undefined || text === '' ? Number.NaN : Number(text)
  return Number.isFinite(number) ? number : undefined
}
