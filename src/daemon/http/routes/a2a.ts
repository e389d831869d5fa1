// The daemon as an A2A agent: its card, and JSON-RPC for all agents at /a2a or for one at /a2a/AGENT.

import { setMaxListeners } from 'node:events'
import type { Context } from 'hono'
import { checkAgent } from '../../../bus/subject.ts'
import { ArcError, describe } from '../../../engine/errors.ts'
import { A2A_PATH, buildAgentCard, CARD_PATH } from '../../a2a/card.ts'
import type { Env, HttpApp, Service } from '../service.ts'

/** The client's name, for clients that do not send it in the metadata of every request. */
const CLIENT_HEADER = 'x-arc-agent'
const DEFAULT_CLIENT = 'a2a-client'
// Less than the usual time limit of HTTP clients.
const WAIT_MS = 240_000

export function addA2aRoutes(app: HttpApp, service: Service, report: (message: string) => void): void {
  // Every open stream adds a listener.
  setMaxListeners(0, service.signal)
  const showCard = (c: Context<Env>): Response => {
    const card = buildCard(c, service)
    return card === undefined ? refuseName(c) : c.json(card)
  }
  app.get(CARD_PATH, showCard)
  app.get(`${A2A_PATH}/:agent${CARD_PATH}`, showCard)
  const answer = async (c: Context<Env>): Promise<Response> => {
    const card = buildCard(c, service)
    if (card === undefined) return refuseName(c)
    const { answerA2a } = await import('../../a2a/endpoint.ts')
    const { signal, leave } = anySignal(c.req.raw.signal, service.signal)
    const options = {
      ...{ card, signal, agent: c.req.param('agent'), client: readClient(c), waitMs: WAIT_MS },
      open: () => service.tasks.open(),
      count: <T>(work: Promise<T>) => service.inFlight.add(work),
      report: (error: unknown) => report(`A2A: ${describe(error)}`),
    }
    return answerA2a(c.req.raw, options, leave)
  }
  app.post(A2A_PATH, answer)
  app.post(`${A2A_PATH}/:agent`, answer)
}

function buildCard(c: Context<Env>, { url, version }: Service): object | undefined {
  const agent = c.req.param('agent')
  try {
    if (agent !== undefined) checkAgent(agent, 'the agent of the path')
  } catch (error) {
    if (error instanceof ArcError) return undefined
    throw error
  }
  return buildAgentCard({ url: url() ?? '', version, agent })
}

function refuseName(c: Context<Env>): Response {
  return c.json({ error: { code: 'ARC_NOT_FOUND', message: 'This is not a valid agent name.' } }, 404)
}

function readClient(c: Context<Env>): string {
  const name = c.req.header(CLIENT_HEADER)
  if (name === undefined || name === '') return DEFAULT_CLIENT
  try {
    return decodeURIComponent(name)
  } catch {
    // Not encoded: used as it is.
    return name
  }
}

// Aborted when the client disconnects, the daemon stops or the response ends.
function anySignal(...ends: readonly AbortSignal[]): { readonly signal: AbortSignal; leave(): void } {
  const controller = new AbortController()
  const leave = (): void => {
    controller.abort()
    for (const end of ends) end.removeEventListener('abort', leave)
  }
  for (const end of ends) end.addEventListener('abort', leave)
  if (ends.some(({ aborted }) => aborted)) leave()
  return { signal: controller.signal, leave }
}
