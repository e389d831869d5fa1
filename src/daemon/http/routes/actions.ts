// What the pages are drawn from: the first paint in one answer, actions by page and by id, sessions, the configuration.

import type { Context } from 'hono'
import { ArcError } from '../../../engine/errors.ts'
import type { ConfigView, SessionsView, Snapshot } from '../../../protocol/views.ts'
import type { TraceStore } from '../../../storage/ports.ts'
import { ProfileHome } from '../../../supervisor/profile-home.ts'
import { showProfile } from '../../../supervisor/profile-view.ts'
import type { Supervisor } from '../../../supervisor/supervisor.ts'
import { readAction } from '../../live/action-detail.ts'
import { readActions, readSession } from '../../live/action-pages.ts'
import { buildOverview } from '../../live/overview.ts'
import type { App, Env, Service } from '../service.ts'

const FIRST_ROWS = 100
const MAX_ROWS = 500

export function addActionRoutes(app: App, service: Service): void {
  const { pool, traceTail, home } = service
  const supervisor = (): Promise<Supervisor> => pool.find(undefined, undefined)
  const trace = async (): Promise<TraceStore> => (await supervisor()).trace
  app.get('/v1/overview', async (c) => {
    await traceTail.catchUp()
    return c.json(buildOverview(service, await supervisor()))
  })
  app.get('/v1/snapshot', async (c) => c.json(await snapshotOf(service)))
  app.get('/v1/actions', async (c) => {
    const { decision, hook, tool, session, text } = c.req.query()
    const wish = { before: wholeNumber(c.req.query('before')), limit: limitIn(c) }
    return c.json(await readActions(await trace(), { decision, hook, tool, session, text }, wish))
  })
  app.get('/v1/actions/:id', async (c) => {
    const id = c.req.param('id')
    const found = await readAction(await trace(), id)
    if ('action' in found) return c.json(found)
    if (found.found === 'several') {
      return refuse(c, 409, 'ARC_NOT_FOUND', `Several begin with ${JSON.stringify(id)}: ${found.ids.join(', ')}.`)
    }
    return refuse(c, 404, 'ARC_NOT_FOUND', `There is no action ${JSON.stringify(id)}.`)
  })
  app.get('/v1/sessions', async (c) => {
    await traceTail.catchUp()
    const { counters } = traceTail
    return c.json({ since: counters.since, sessions: counters.sessions(Date.now()) } satisfies SessionsView)
  })
  app.get('/v1/sessions/:id', async (c) => {
    const id = c.req.param('id')
    const found = await readSession(await trace(), id, Date.now())
    if (found !== undefined) return c.json(found)
    return refuse(c, 404, 'ARC_NOT_FOUND', `Nothing is recorded of the session ${JSON.stringify(id)}.`)
  })
  app.get('/v1/config', async (c) => {
    const { config } = await supervisor()
    const name = c.req.query('profile') || config.profile
    try {
      return c.json(configOf(home, name, config.profile))
    } catch (error) {
      if (!(error instanceof ArcError)) throw error
      return refuse(c, 404, error.code, error.message)
    }
  })
}

// What it says is of one place of the record: the stream goes on behind it, so that nothing is missed or comes twice.
async function snapshotOf(service: Service): Promise<Snapshot> {
  const supervisor = await service.pool.find(undefined, undefined)
  const feed = await readActions(supervisor.trace, {}, { limit: FIRST_ROWS })
  await service.traceTail.catchUp()
  return { pulse: buildOverview(service, supervisor), feed, url: service.url() ?? null, seq: feed.seq }
}

function configOf(home: string, name: string, active: string): ConfigView {
  const profiles = new ProfileHome(home)
  profiles.require(name)
  const all = profiles.list().map((profile) => ({ name: profile, active: profile === active }))
  return { ...showProfile(profiles, name), profiles: all, home: profiles.home }
}

function refuse(c: Context<Env>, status: 404 | 409, code: string, message: string): Response {
  return c.json({ error: { code, message } }, status)
}

function limitIn(c: Context<Env>): number {
  return Math.min(wholeNumber(c.req.query('limit')) ?? FIRST_ROWS, MAX_ROWS)
}

function wholeNumber(text: string | undefined): number | undefined {
  const number = text === undefined || text === '' ? Number.NaN : Number(text)
  return Number.isSafeInteger(number) && number >= 1 ? number : undefined
}
