// The daemon as an A2A agent: its card, and JSON-RPC for all agents at /a2a or for one at /a2a/AGENT.

import { setMaxListeners } from 'node:events'
import type { Context } from 'hono'
import { checkAgent } from '../../../bus/subject.ts'
import { ArcError, describe } from '../../../engine/errors.ts'
import { A2A_PATH, buildAgentCard, CARD_PATH } from '../../a2a/card.ts'
import type { App, Env, Service } from '../service.ts'

/** Who asks, where a client wants to say it once and not in the metadata of every request. */
const CLIENT_HEADER = 'x-arc-agent'
const NAMELESS_CLIENT = 'a2a-client'
// Below what clients of HTTP usually wait for an answer.
const WAIT_MS = 240_000

export function addA2aRoutes(app: App, service: Service, report: (message: string) => void): void {
  // Every open stream listens to it.
  setMaxListeners(0, service.signal)
  const showCard = (c: Context<Env>): Response => {
    const card = cardFor(c, service)
    return card === undefined ? nobody(c) : c.json(card)
  }
  app.get(CARD_PATH, showCard)
  app.get(`${A2A_PATH}/:agent${CARD_PATH}`, showCard)
  const answer = async (c: Context<Env>): Promise<Response> => {
    const card = cardFor(c, service)
    if (card === undefined) return nobody(c)
    const { answerA2a } = await import('../../a2a/endpoint.ts')
    const { signal, leave } = presence(c.req.raw.signal, service.signal)
    const options = {
      ...{ card, signal, agent: c.req.param('agent'), client: clientOf(c), waitMs: WAIT_MS },
      open: () => service.tasks.open(),
      count: <T>(work: Promise<T>) => service.inFlight.add(work),
      report: (error: unknown) => report(`A2A: ${describe(error)}`),
    }
    return answerA2a(c.req.raw, options, leave)
  }
  app.post(A2A_PATH, answer)
  app.post(`${A2A_PATH}/:agent`, answer)
}

function cardFor(c: Context<Env>, { url, version }: Service): object | undefined {
  const agent = c.req.param('agent')
  try {
    if (agent !== undefined) checkAgent(agent, 'the agent of the path')
  } catch (error) {
    if (error instanceof ArcError) return undefined
    throw error
  }
  return buildAgentCard({ url: url() ?? '', version, agent })
}

function nobody(c: Context<Env>): Response {
  return c.json({ error: { code: 'ARC_NOT_FOUND', message: 'No agent can have this name.' } }, 404)
}

function clientOf(c: Context<Env>): string {
  const name = c.req.header(CLIENT_HEADER)
  if (name === undefined || name === '') return NAMELESS_CLIENT
  try {
    return decodeURIComponent(name)
  } catch {
    // Not encoded: taken as it stands.
    return name
  }
}

// Aborted when the client is gone, the daemon stops or the answer is over.
function presence(...ends: readonly AbortSignal[]): { readonly signal: AbortSignal; leave(): void } {
  const controller = new AbortController()
  const leave = (): void => {
    controller.abort()
    for (const end of ends) end.removeEventListener('abort', leave)
  }
  for (const end of ends) end.addEventListener('abort', leave)
  if (ends.some(({ aborted }) => aborted)) leave()
  return { signal: controller.signal, leave }
}
