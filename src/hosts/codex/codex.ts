// OpenAI Codex CLI.

import { claudeCanary } from '../claude/canary.ts'
import { parseClaudePayload } from '../claude/payload.ts'
import { type ClaudeQuirks, replyClaude } from '../claude/reply.ts'
import { defineHost } from '../define-host.ts'
import { event } from '../host.ts'
import { checkTrust } from './checks.ts'
import { CODEX_EVENTS } from './events.ts'
import { codexFacts } from './facts.ts'
import { codexConfig, codexInstall } from './install.ts'
import { launchCodex } from './launch.ts'

// An unknown key, or one that it does not support here, makes the reply void and the call run.
const QUIRKS: ClaudeQuirks = { denyExit: 2, canEndTurn: false, editNeedsAllow: true }

/** Codex. */
export const codex = defineHost({
  facts: codexFacts,
  title: 'Codex CLI',
  verifiedWith: '0.166.0',
  events: CODEX_EVENTS,
  tellsMode: true,
  unknownEvent: event('pre:session:phase', { block: 'exit' }),
  tell: parseClaudePayload,
  reply: (step, outcome, facts) => replyClaude(step, outcome, facts, QUIRKS),
  program: 'codex',
  checks: { paths: (target) => [codexConfig(target)], run: checkTrust },
  // The last argument says that the prompt is on stdin; a discussion need not be about a repository.
  headless: ['exec', '--skip-git-repo-check', '-'],
  canary: (call) => claudeCanary(call),
  launch: launchCodex,
  install: codexInstall,
})
