// POST /v1/login-link: a link that opens the page signed in, once and within minutes. Only for a process that may speak
// for a human. The caller names its process; the connection itself proves that it is this one.

import type { Context } from 'hono'
import { holdsConnection } from '../../../guard/connection-owner.ts'
import { checkPersonIn } from '../../../guard/home-person.ts'
import { LOGIN_PROCESS_HEADER } from '../../../protocol/messages.ts'
import type { App, Env, Service } from '../service.ts'

export function addLoginLinkRoutes(app: App, service: Service): void {
  app.post('/v1/login-link', async (c) => {
    const pid = Number(c.req.header(LOGIN_PROCESS_HEADER))
    const isProven = Number.isSafeInteger(pid) && pid > 0 && isPeer(c, pid)
    if (!isProven) return refuse(c, 'The process that asks cannot be told.')
    const { state } = await service.pool.find(undefined, undefined)
    const check = checkPersonIn(service.home, state, pid)
    if (!check.may) return refuse(c, check.why)
    const { code, expiresAt } = service.auth.createLoginCode(check.who)
    return c.json({ url: `${service.url()}/login?code=${code}`, expiresAt: new Date(expiresAt).toISOString() })
  })
}

function isPeer(c: Context<Env>, pid: number): boolean {
  const { clientPort, serverPort } = c.env
  return clientPort !== undefined && serverPort !== undefined && holdsConnection(pid, { clientPort, serverPort })
}

function refuse(c: Context<Env>, why: string): Response {
  const message = `A link to the page is only for a person. ${why}`
  return c.json({ error: { code: 'ARC_NEEDS_PERSON', message } }, 403)
}
