// The facts of every agent, in the order of lists and help texts. The names of hosts follow from it; the adapters are in
// src/hosts/list.ts.

import { antigravityFacts, antigravityTools } from '../antigravity/facts.ts'
import { claudeFacts, claudeTools } from '../claude/facts.ts'
import { clineFacts, clineTools } from '../cline/facts.ts'
import { codexFacts, codexTools } from '../codex/facts.ts'
import { copilotFacts, copilotTools } from '../copilot/facts.ts'
import { cursorFacts, cursorTools } from '../cursor/facts.ts'
import { geminiFacts, geminiTools } from '../gemini/facts.ts'
import { kimiFacts, kimiTools } from '../kimi/facts.ts'
import { kiroFacts, kiroTools } from '../kiro/facts.ts'
import { opencodeFacts, opencodeTools } from '../opencode/facts.ts'
import { piFacts, piTools } from '../pi/facts.ts'
import { qwenFacts, qwenTools } from '../qwen/facts.ts'
import type { AgentFacts, ToolNames } from './agent-facts.ts'

const ALL = [
  claudeFacts,
  codexFacts,
  geminiFacts,
  qwenFacts,
  copilotFacts,
  clineFacts,
  opencodeFacts,
  piFacts,
  kimiFacts,
  cursorFacts,
  antigravityFacts,
  kiroFacts,
] as const

/** The agents that ARC knows, by the name on the command line: `arc hook claude`. */
export type HostName = (typeof ALL)[number]['name']

export const AGENT_FACTS: readonly AgentFacts<HostName>[] = ALL

/** The names of all hosts. */
export const HOST_NAMES: readonly HostName[] = /* @__PURE__ */ ALL.map(({ name }) => name)

/** The names that each host gives to tools. Apart from the facts, because the engine needs nothing else of them. */
export const HOST_TOOLS: Readonly<Record<HostName, ToolNames>> = {
  claude: claudeTools,
  codex: codexTools,
  gemini: geminiTools,
  qwen: qwenTools,
  copilot: copilotTools,
  cline: clineTools,
  opencode: opencodeTools,
  pi: piTools,
  kimi: kimiTools,
  cursor: cursorTools,
  antigravity: antigravityTools,
  kiro: kiroTools,
}

/** The agent with this name or program; undefined for other programs. */
export function findAgentFacts(command: string): AgentFacts<HostName> | undefined {
  const name = (command.split(/[/\\]/).at(-1) ?? '').replace(/\.(?:exe|cmd)$/i, '')
  return AGENT_FACTS.find((facts) => facts.name === name || facts.programs.includes(name))
}
