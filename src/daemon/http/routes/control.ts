// The routes of the control socket of a managed daemon: pending approvals, their answers, and the login link. Only the
// group of approvers can open that socket.

import type { Approval } from '../../../approvals/approvals.ts'
import { ArcError } from '../../../engine/errors.ts'
import { findAccountName, formatProof, PROOF_HEADER, readProof } from '../managed-sockets.ts'
import type { HttpApp, Service } from '../service.ts'

const NOT_CONTROL = {
  code: 'ARC_CONTROL_ONLY',
  message: 'Only the control socket of a managed machine answers this route.',
}
const PROOF_MISSING = {
  code: 'ARC_PROOF_MISSING',
  message: 'An answer must prove which account it comes from. Use: arc approve ID',
}

export function addControlRoutes(app: HttpApp, service: Service): void {
  const { pool, managed } = service
  if (managed === undefined) return
  for (const path of ['/v1/control/*', '/v1/login-link']) {
    app.use(path, (c, next) => {
      return c.env.socket === 'control' ? next() : Promise.resolve(c.json({ error: NOT_CONTROL }, 403))
    })
  }
  app.get('/v1/control/approvals', async (c) => {
    const { approvals } = await pool.find(undefined, undefined)
    return c.json(approvals.pending())
  })
  app.post('/v1/control/approvals/:id/:word{approve|deny}', async (c) => {
    const id = c.req.param('id')
    const word = c.req.param('word') === 'approve' ? 'approve' : 'deny'
    const uid = readProof(managed.run, c.req.header(PROOF_HEADER), formatProof(id, word))
    if (uid === undefined) return c.json({ error: PROOF_MISSING }, 401)
    try {
      return c.json(await answer(service, { id, word, uid, message: c.req.query('message') }))
    } catch (error) {
      if (!(error instanceof ArcError)) throw error
      const status = error.code === 'ARC_APPROVAL_UNKNOWN' ? 404 : 409
      return c.json({ error: { code: error.code, message: error.message } }, status)
    }
  })
  app.post('/v1/control/login-link', (c) => c.json({ loginUrl: service.loginUrl() ?? null }))
}

interface Answer {
  readonly id: string
  readonly word: 'approve' | 'deny'
  readonly uid: number
  readonly message: string | undefined
}

async function answer({ pool }: Service, { id, word, uid, message }: Answer): Promise<Approval> {
  const { approvals } = await pool.find(undefined, undefined)
  const source = { by: findAccountName(uid), channel: 'control-socket', process: { uid }, message } as const
  return approvals.answer(id, word, source)
}
