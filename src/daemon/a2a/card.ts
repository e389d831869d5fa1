// The agent card: how to reach the daemon as an A2A agent and what it can do. Clients read it before they know that a
// token is needed, so it is shown without one and says nothing of this home: no agent, task, profile or path.

/** Where a card is found, for the daemon as a whole and under the name of an agent. */
export const CARD_PATH = '/.well-known/agent-card.json'

/** Where requests go; with `/AGENT` after it they are all for that agent. */
export const A2A_PATH = '/a2a'

/** The version of the protocol. */
const PROTOCOL_VERSION = '1.0'

const TEXT = 'text/plain'

/** Whose card. */
export interface CardOptions {
  /** The address of the daemon. */
  readonly url: string
  readonly version: string
  /** The agent of the path. Any name will do, so it tells nothing about who there is. */
  readonly agent?: string | undefined
}

/** Is it the address of a card? */
export function isCardPath(path: string): boolean {
  return /^(?:\/a2a\/[^/]+)?\/\.well-known\/agent-card\.json$/.test(path)
}

/** The card as it goes over the wire. */
export function buildAgentCard({ url, version, agent }: CardOptions) {
  const whom = agent === undefined ? 'the agent that metadata.to names' : `the agent ${agent}`
  const path = agent === undefined ? A2A_PATH : `${A2A_PATH}/${encodeURIComponent(agent)}`
  return {
    name: agent === undefined ? 'ARC' : `${agent} (ARC)`,
    description: `Hands tasks to ${whom}. Each passes the hooks of ARC before it is stored.`,
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
        description: `The text of the message becomes a task for ${whom}; its questions come back as input-required.`,
        tags: ['tasks', 'delegation', 'supervision'],
      },
    ],
  }
}
