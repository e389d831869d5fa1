// The HTTP app of a daemon: the checks of every request, and all routes.

import { Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { describe } from '../../engine/errors.ts'
import { commitAll } from '../../storage/sqlite/writer-queue.ts'
import { isCardPath } from '../a2a/card.ts'
import { addA2aRoutes } from './routes/a2a.ts'
import { addActionRoutes } from './routes/actions.ts'
import { addApprovalRoutes } from './routes/approvals.ts'
import { addConfigRoutes } from './routes/config.ts'
import { addControlRoutes } from './routes/control.ts'
import { addDecisionRoutes } from './routes/decisions.ts'
import { addDispatchRoutes } from './routes/dispatch.ts'
import { addHookRoutes, type HookEndpoint } from './routes/hook.ts'
import { addLoginLinkRoutes } from './routes/login-link.ts'
import { addOverviewRoutes } from './routes/overview.ts'
import { addPageRoutes, signInPage } from './routes/page.ts'
import { addRoundtableRoutes } from './routes/roundtables.ts'
import { addStatusRoutes } from './routes/status.ts'
import { addTaskRoutes } from './routes/tasks.ts'
import { COMMON_HEADERS, type Env, type HttpApp, INTERNAL_ERROR, MAX_BODY_BYTES, type Service } from './service.ts'

/** The errors of the checks before the routes, by status. */
const CHECK_ERRORS = {
  401: { code: 'ARC_TOKEN_MISSING', message: 'Send the token of run/token: Authorization: Bearer …' },
  403: {
    code: 'ARC_REQUEST_FOREIGN',
    message: 'The Host header does not name ARC, or the request comes from another page.',
  },
  413: { code: 'ARC_BODY_TOO_LARGE', message: `A request may hold at most ${MAX_BODY_BYTES} bytes.` },
} as const

/** The app behind both the socket and the port. */
export function makeApp(service: Service, options: AppOptions): HttpApp {
  const { auth } = service
  const app = new Hono<Env>()
  app.onError((error, c) => {
    options.report(`${c.req.method} ${c.req.path}: ${describe(error)}`)
    return c.json({ error: INTERNAL_ERROR }, 500)
  })
  app.use(async (c, next) => {
    await next()
    // Hook calls wait for a shared commit; every other response follows its own commit.
    if (!c.req.path.startsWith('/v1/hook')) commitAll()
    for (const [name, value] of COMMON_HEADERS) if (!c.res.headers.has(name)) c.res.headers.set(name, value)
  })
  app.use(async (c, next) => {
    if (c.env.isLocal) return next()
    const { host, origin, authorization, cookie, accept, 'sec-fetch-site': site } = c.req.header()
    const { method, path } = c.req
    const credentials = { host, origin, authorization, cookie }
    const isPublic = path === '/health' || path === '/login' || isCardPath(path)
    const isAuthenticated = auth.isAuthenticated(credentials)
    const isCrossSite = isAuthenticated && auth.isCrossSite({ method, path, site }, credentials)
    if (!auth.isOurHost(host) || !auth.isOurOrigin(origin) || isCrossSite)
      return c.json({ error: CHECK_ERRORS[403] }, 403)
    if (isPublic || isAuthenticated) return next()
    const isPage = method === 'GET' && !path.startsWith('/v1/') && accept?.includes('text/html') === true
    return isPage ? signInPage(c) : c.json({ error: CHECK_ERRORS[401] }, 401, { 'www-authenticate': 'Bearer' })
  })
  const counted = bodyLimit({ maxSize: MAX_BODY_BYTES, onError: (c) => c.json({ error: CHECK_ERRORS[413] }, 413) })
  app.use((c, next) => {
    // A declared length cannot be exceeded; counting would copy every body into a stream.
    const length = c.req.header('content-length')
    if (length === undefined || c.req.header('transfer-encoding') !== undefined) return counted(c, next)
    return Number(length) <= MAX_BODY_BYTES ? next() : Promise.resolve(c.json({ error: CHECK_ERRORS[413] }, 413))
  })
  // First: on other sockets the control routes are refused before any other route.
  addControlRoutes(app, service)
  addHookRoutes(app, options.hooks)
  addDispatchRoutes(app, service)
  addStatusRoutes(app, service)
  addDecisionRoutes(app, service)
  addOverviewRoutes(app, service)
  addActionRoutes(app, service)
  addConfigRoutes(app, service)
  addApprovalRoutes(app, service)
  addLoginLinkRoutes(app, service)
  addRoundtableRoutes(app, service)
  addTaskRoutes(app, service)
  addA2aRoutes(app, service, options.report)
  addPageRoutes(app, service, options.dashboard)
  return app
}

/** The parts of the app. */
export interface AppOptions {
  /** The folder of the built dashboard. */
  readonly dashboard: string | undefined
  readonly hooks: HookEndpoint
  readonly report: (message: string) => void
}
