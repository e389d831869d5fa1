// GET /v1/config and /v1/profiles: the configuration in force and the profiles of a home. Read-only.

import { join } from 'node:path'
import { listProfiles } from '../../../config/profile-files.ts'
import { ArcError } from '../../../engine/errors.ts'
import type { ConfigView } from '../../../protocol/views.ts'
import { ProfileHome } from '../../../supervisor/profile-home.ts'
import { showProfile } from '../../../supervisor/profile-view.ts'
import type { HttpApp, Service } from '../service.ts'

export function addConfigRoutes(app: HttpApp, { pool, home }: Service): void {
  app.get('/v1/config', async (c) => {
    const { config } = await pool.find(undefined, undefined)
    const name = c.req.query('profile') || config.profile
    try {
      return c.json(buildConfigView(home, name, config.profile))
    } catch (error) {
      if (!(error instanceof ArcError)) throw error
      return c.json({ error: { code: error.code, message: error.message } }, 404)
    }
  })
  app.get('/v1/profiles', async (c) => {
    const { config } = await pool.find(c.req.query('project'), c.req.query('profile'))
    const names = new Set([...listProfiles(join(home, 'profiles')), 'default', config.profile])
    return c.json([...names].sort().map((name) => ({ name, active: name === config.profile })))
  })
}

function buildConfigView(home: string, name: string, active: string): ConfigView {
  const profiles = new ProfileHome(home)
  profiles.require(name)
  const all = profiles.list().map((profile) => ({ name: profile, active: profile === active }))
  return { ...showProfile(profiles, name), profiles: all, home: profiles.home }
}
