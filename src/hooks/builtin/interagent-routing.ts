// Stops endless conversations between agents: a message from an agent to an agent needs a mention or a roundtable.

import * as z from 'zod'
import { isOpen, readRoundtable, roundtableKey } from '../../roundtable/machine.ts'
import { builtIn } from './built-in.ts'
import { readSource } from './source-classify.ts'

const options = z.strictObject({})

export const interagentRouting = builtIn<z.output<typeof options>>({
  name: 'interagent-routing',
  priority: 2,
  points: ['pre:message'],
  summary: 'Blocks messages between agents without a mention, unless a roundtable is open.',
  critical: true,
  options,
  create(_options, { state, clock }) {
    return {
      check(step) {
        if (readSource(step) !== 'agent') return 'pass'
        const { prompt } = step.data as { readonly prompt?: unknown }
        if (typeof prompt === 'string' && hasMention(prompt)) {
          return { decision: 'pass', metadata: { should_suppress: false, hasMention: true } }
        }
        // Read for each message: another process may have opened or closed the roundtable.
        const table = readRoundtable(state.get(roundtableKey(step.session))?.value)
        if (isOpen(table, clock.wall())) {
          return { decision: 'pass', metadata: { should_suppress: false, roundtableBypass: true } }
        }
        return {
          decision: 'block',
          reason: 'a message from an agent to an agent without a mention, and no roundtable is open',
          suggestion: 'Mention the recipient with @name, or open a discussion with "roundtable: <topic>".',
          metadata: { should_suppress: true },
        }
      },
    }
  },
})

// An @ in code is no mention: decorators, package scopes.
const CODE = /```[\s\S]*?(?:```|$)|`[^`\n]*`/g
// Neither is an e-mail address (`me@example.org`) or a package scope (`@types/node`).
const MENTION = /(?<![\p{L}\p{N}_@.+\-/])@[\p{L}\p{N}_][\p{L}\p{N}_-]*(?![\p{L}\p{N}_-]|\/)/u

function hasMention(text: string): boolean {
  return text.includes('@') && MENTION.test(text.replace(CODE, ' '))
}
