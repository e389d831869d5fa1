// Whether the agent behind a hook call asks no person, by the command line of its process: a headless run, or a mode that
// bypasses permissions. Payloads do not always say so.

import type { AgentFacts, UnattendedRun } from '../hosts/facts/agent-facts.ts'
import { AGENT_FACTS } from '../hosts/facts/list.ts'
import { isAgentHost, readWords } from './known-programs.ts'
import { openProcessTable, type ProcessTable } from './process-table.ts'
import { findAgentAbove } from './supervised-agents.ts'

/** Whether the agent that called a hook runs unattended. False where its process cannot be read. */
export function isUnattendedAgent(
  host: string,
  callerPid: number | undefined,
  table: ProcessTable | undefined = callerPid === undefined ? undefined : openProcessTable(),
): boolean {
  const facts = AGENT_FACTS.find(({ name }) => name === host)
  if (callerPid === undefined || table === undefined || facts === undefined) return false
  const agent = findAgentAbove(callerPid, table)
  if (agent === undefined || !isAgentHost(agent)) return false
  return isUnattendedRun(readWords(agent), facts)
}

/** Whether an agent with this command line asks no person. The program is not part of `words`. */
export function isUnattendedRun(words: readonly string[], { unattended }: Pick<AgentFacts, 'unattended'>): boolean {
  if (unattended === undefined) return false
  const end = words.indexOf('--')
  const own = end === -1 ? words : words.slice(0, end)
  const { options = [], commands = [], unless = [] }: UnattendedRun = unattended
  if (own.some((_, at) => unless.some((option) => hasOption(own, at, option)))) return false
  const [command = ''] = own.filter((word) => !word.startsWith('-'))
  return commands.includes(command) || own.some((_, at) => options.some((option) => hasOption(own, at, option)))
}

function hasOption(words: readonly string[], at: number, option: string): boolean {
  const word = words[at] ?? ''
  const [name = '', value] = option.split('=')
  if (value !== undefined) return word === option || (word === name && words[at + 1] === value)
  return word === name || word.startsWith(`${name}=`)
}
