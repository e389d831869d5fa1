// Stops endless conversations between agents: a message from an agent to an agent needs a mention or a roundtable.

import * as z from 'zod'
import { findSessionTable } from '../../roundtable/session-seats.ts'
import { builtIn } from './built-in.ts'
import { type InteragentMessage, readInteragentMessage } from './interagent-message.ts'

const options = z.strictObject({})

export const interagentRouting = builtIn<z.output<typeof options>>({
  name: 'interagent-routing',
  priority: 2,
  points: ['pre:message', 'pre:tool:message', 'pre:agent:spawn', 'post:agent:complete'],
  summary: 'Blocks messages between agents without a mention, unless a roundtable is open.',
  critical: true,
  options,
  create(_options, { state, clock }) {
    return {
      check(step) {
        const message = readInteragentMessage(step)
        if (message === undefined) return 'pass'
        const { from, to, kind } = message
        const interagent = { from, to, kind }
        const why = findPermission(message)
        if (why !== undefined) {
          return { decision: 'pass', metadata: { should_suppress: false, interagent, ...why } }
        }
        // Read for each message: another process may have opened or closed the roundtable.
        const table = findSessionTable((key) => state.get(key)?.value, step.session, clock.wall())
        if (table !== undefined) {
          return { decision: 'pass', metadata: { should_suppress: false, interagent, roundtableBypass: true } }
        }
        return {
          decision: 'block',
          reason: 'a message from an agent to an agent without a mention, and no roundtable is open',
          suggestion: 'Mention the recipient with @name, or open a discussion with "roundtable: <topic>".',
          metadata: { should_suppress: true, interagent },
        }
      },
    }
  },
})

// Why a message needs no roundtable: it belongs to a request, or it is meant for someone by name.
function findPermission({ kind, isReply, isNamed, text }: InteragentMessage): object | undefined {
  if (kind !== 'message') return {}
  if (isReply) return { isReply }
  return isNamed || hasMention(text) ? { hasMention: true } : undefined
}

// An @ in code is no mention: decorators, package scopes.
const CODE = /```[\s\S]*?(?:```|$)|`[^`\n]*`/g
// Neither is an e-mail address (`me@example.org`) or a package scope (`@types/node`).
const MENTION = /(?<![\p{L}\p{N}_@.+\-/])@[\p{L}\p{N}_][\p{L}\p{N}_-]*(?![\p{L}\p{N}_-]|\/)/u

function hasMention(text: string): boolean {
  return text.includes('@') && MENTION.test(text.replace(CODE, ' '))
}
