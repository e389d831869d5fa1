// GET /health, /v1/status, /v1/hooks and /v1/breaker: the state of the daemon and of its pipeline.

import type { Context } from 'hono'
import type { HealthView, StatusView } from '../../../protocol/messages.ts'
import type { Supervisor } from '../../../supervisor/supervisor.ts'
import { buildBreakerView, buildHookViews } from '../../live/overview.ts'
import type { Env, HttpApp, Service } from '../service.ts'

export function addStatusRoutes(app: HttpApp, service: Service): void {
  const supervisor = (c: Context<Env>): Promise<Supervisor> =>
    service.pool.find(c.req.query('project'), c.req.query('profile'))
  app.get('/health', (c) => {
    const { version, build = null } = service
    const health: HealthView = { ok: true, version, build, pid: process.pid, uptimeMs: service.uptimeMs() }
    return c.json(health)
  })
  app.get('/v1/status', async (c) => c.json(buildStatus(service, await supervisor(c))))
  app.get('/v1/hooks', async (c) => {
    const { traceTail } = service
    await traceTail.catchUp()
    return c.json(buildHookViews(await supervisor(c), traceTail.counters, Date.now(), service.home))
  })
  app.get('/v1/breaker', async (c) => c.json(buildBreakerView(await supervisor(c))))
}

function buildStatus(service: Service, supervisor: Supervisor): StatusView & Readonly<Record<string, unknown>> {
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
    build: service.build ?? null,
    hooks: supervisor.hooks().length,
    problems: supervisor.problems.length,
    open: service.pool.counts,
    isDurable: supervisor.isDurable,
    unrecorded: supervisor.stores.gap() ?? null,
    counters: supervisor.trace.counters({ hours: 24 }),
  }
}
