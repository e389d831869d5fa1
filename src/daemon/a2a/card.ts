// The agent card: the address and the skills of the daemon as an A2A agent. Clients read the card before they know that a
// token is required, so it needs no token and contains nothing about this home: no agent, task, profile or path.

/** The path of a card, for the daemon and below the path of an agent. */
export const CARD_PATH = '/.well-known/agent-card.json'

/** The path of requests; with `/AGENT` all requests are for that agent. */
export const A2A_PATH = '/a2a'

/** The version of the protocol. */
const PROTOCOL_VERSION = '1.0'

const TEXT = 'text/plain'

/** The daemon and agent of a card. */
export interface CardOptions {
  /** The address of the daemon. */
  readonly url: string
  readonly version: string
  /** The agent of the path. Every valid name has a card, so a card does not reveal which agents exist. */
  readonly agent?: string | undefined
}

/** Is this the path of a card? */
export function isCardPath(path: string): boolean {
  return /^(?:\/a2a\/[^/]+)?\/\.well-known\/agent-card\.json$/.test(path)
}

/** Builds the card as JSON. */
export function buildAgentCard({ url, version, agent }: CardOptions) {
  const assignee = agent === undefined ? 'the agent that metadata.to names' : `the agent ${agent}`
  const path = agent === undefined ? A2A_PATH : `${A2A_PATH}/${encodeURIComponent(agent)}`
  return {
    name: agent === undefined ? 'ARC' : `${agent} (ARC)`,
    description: `Delegates tasks to ${assignee}. Each task passes the hooks of ARC before it is stored.`,
    version,
    supportedInterfaces: [
      { url: `${url}${path}`, protocolBinding: 'JSONRPC', protocolVersion: PROTOCOL_VERSION, tenant: '' },
    ],
    capabilities: { streaming: true, pushNotifications: false, extendedAgentCard: false },
    securitySchemes: {
      bearer: { httpAuthSecurityScheme: { scheme: 'Bearer', description: 'The token in run/token of the home.' } },
    },
    securityRequirements: [{ schemes: { bearer: { list: [] } } }],
    defaultInputModes: [TEXT],
    defaultOutputModes: [TEXT],
    skills: [
      {
        id: 'delegate',
        name: 'Delegate a task',
        description: `The text of the message becomes a task for ${assignee}; its questions come back as input-required.`,
        tags: ['tasks', 'delegation', 'supervision'],
      },
    ],
  }
}
