// Pending approvals and their answers. Only a page's session can answer, also over the socket: an agent that can read the
// token or open the socket must not be able to approve its own step.

import { ArcError } from '../../../engine/errors.ts'
import { buildApprovalView, buildShortApprovalView } from '../../live/approval-view.ts'
import type { HttpApp, Service } from '../service.ts'

export function addApprovalRoutes(app: HttpApp, { pool, auth }: Service): void {
  app.get('/v1/approvals', async (c) => {
    const { approvals } = await pool.find(undefined, undefined)
    const found = c.req.query('all') === 'true' ? approvals.list() : approvals.pending()
    return c.json(
      found.map((approval) =>
        approval.status === 'pending' ? buildApprovalView(approval) : buildShortApprovalView(approval),
      ),
    )
  })
  app.post('/v1/approvals/:id/:word{approve|deny}', async (c) => {
    const session = auth.findSession(c.req.header('cookie'))
    if (session === undefined) {
      const message =
        'Answer on the signed-in page (arc open) or in a terminal (arc approvals); the token is not enough.'
      return c.json({ error: { code: 'ARC_NEEDS_PERSON', message } }, 403)
    }
    try {
      const { approvals } = await pool.find(undefined, undefined)
      const word = c.req.param('word') === 'approve' ? 'approve' : 'deny'
      const by = { by: 'dashboard', channel: 'page', pageSession: session.id, process: session.openedBy } as const
      const source = { ...by, message: c.req.query('message') || undefined }
      return c.json(buildApprovalView(approvals.answer(c.req.param('id'), word, source)))
    } catch (error) {
      if (!(error instanceof ArcError)) throw error
      const status = error.code === 'ARC_APPROVAL_UNKNOWN' ? 404 : 409
      return c.json({ error: { code: error.code, message: error.message } }, status)
    }
  })
}
