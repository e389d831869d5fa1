// Keeps agents from talking to each other without end: what an agent says to another needs a mention or a roundtable.

import * as z from 'zod'
import { isOpen, readRoundtable, roundtableKey } from '../../roundtable/machine.ts'
import { builtIn } from './built-in.ts'
import { readSource } from './source-classify.ts'

const options = z.strictObject({})

export const interagentRouting = builtIn<z.output<typeof options>>({
  name: 'interagent-routing',
  priority: 2,
  points: ['pre:message'],
  summary: 'Suppresses what agents say to each other without a mention, unless they sit at a roundtable.',
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
        // Read again for each message: another process may have opened or closed the table.
        const table = readRoundtable(state.get(roundtableKey(step.session))?.value)
        if (isOpen(table, clock.wall())) {
          return { decision: 'pass', metadata: { should_suppress: false, roundtableBypass: true } }
        }
        return {
          decision: 'block',
          reason: 'an agent speaks to an agent without a mention, and there is no roundtable',
          suggestion: 'Address somebody with @name, or open a discussion with "roundtable: <topic>".',
          metadata: { should_suppress: true },
        }
      },
    }
  },
})

// What stands in code is no mention: decorators, scopes of packages.
const CODE = /```[\s\S]*?(?:```|$)|`[^`\n]*`/g
// Neither is what stands in an address (`me@example.org`), nor the scope of a package (`@types/node`).
const MENTION = /(?<![\p{L}\p{N}_@.+\-/])@[\p{L}\p{N}_][\p{L}\p{N}_-]*(?![\p{L}\p{N}_-]|\/)/u

function hasMention(text: string): boolean {
  return text.includes('@') && MENTION.test(text.replace(CODE, ' '))
}
