// POST /v1/login-link: a link that opens the page signed in, once and within minutes. Only for a process that may act for
// a person. The caller names its process; the connection proves it.

import type { Context } from 'hono'
import { holdsConnection } from '../../../guard/connection-owner.ts'
import { checkHomeCaller } from '../../../guard/home-caller.ts'
import { LOGIN_PROCESS_HEADER } from '../../../protocol/messages.ts'
import type { Env, HttpApp, Service } from '../service.ts'

export function addLoginLinkRoutes(app: HttpApp, service: Service): void {
  app.post('/v1/login-link', async (c) => {
    const pid = Number(c.req.header(LOGIN_PROCESS_HEADER))
    const isProven = Number.isSafeInteger(pid) && pid > 0 && isPeer(c, pid)
    if (!isProven) return refuse(c, 'The calling process cannot be determined.')
    const { state } = await service.pool.find(undefined, undefined)
    const check = checkHomeCaller(service.home, state, pid)
    if (!check.isHuman) return refuse(c, check.reason)
    const { code, expiresAt } = service.auth.createLoginCode(check.requester)
    return c.json({ url: `${service.url()}/login?code=${code}`, expiresAt: new Date(expiresAt).toISOString() })
  })
}

function isPeer(c: Context<Env>, pid: number): boolean {
  const { clientPort, serverPort } = c.env
  return clientPort !== undefined && serverPort !== undefined && holdsConnection(pid, { clientPort, serverPort })
}

function refuse(c: Context<Env>, why: string): Response {
  const message = `Only a person can get a login link. ${why}`
  return c.json({ error: { code: 'ARC_NEEDS_PERSON', message } }, 403)
}
