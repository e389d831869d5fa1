// What is held for a person, and the person's answer. To answer takes the token or the page, also over the socket: an
// agent that can reach the socket must not be able to say yes to itself.

import { ArcError } from '../../core/errors.ts'
import { approvalView, shortApprovalView } from '../approval-view.ts'
import type { App, Service } from '../service.ts'

export function addApprovalRoutes(app: App, { pool, gate }: Service): void {
  app.get('/v1/approvals', async (c) => {
    const { approvals } = await pool.find(undefined, undefined)
    const all = c.req.query('all') === 'true'
    return c.json(
      approvals
        .list()
        .filter(({ status }) => all || status === 'pending')
        .map((approval) => (approval.status === 'pending' ? approvalView(approval) : shortApprovalView(approval))),
    )
  })
  app.post('/v1/approvals/:id/:word{approve|deny}', async (c) => {
    const facts = { host: undefined, origin: undefined, cookie: c.req.header('cookie') }
    if (!gate.isKnown({ ...facts, authorization: c.req.header('authorization') })) {
      const message = 'An answer takes the token: Authorization: Bearer, from run/token.'
      return c.json({ error: { code: 'ARC_TOKEN_MISSING', message } }, 401)
    }
    try {
      const { approvals } = await pool.find(undefined, undefined)
      const word = c.req.param('word') === 'approve' ? 'approve' : 'deny'
      return c.json(approvalView(approvals.answer(c.req.param('id'), word, { by: 'dashboard' })))
    } catch (error) {
      if (!(error instanceof ArcError)) throw error
      const status = error.code === 'ARC_APPROVAL_UNKNOWN' ? 404 : 409
      return c.json({ error: { code: error.code, message: error.message } }, status)
    }
  })
}
