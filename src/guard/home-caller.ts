// The question of src/guard/human-caller.ts for a home: with its agents, and with those who made it for scripts.

import type { StateStore } from '../storage/ports.ts'
import { checkHumanCaller, type HumanCallerCheck } from './human-caller.ts'
import { openProcessTable } from './process-table.ts'
import { findSubreaper } from './subreaper.ts'
import { listAgents } from './supervised-agents.ts'
import { readUnattendedHome } from './unattended-home.ts'

/** May a process speak for a human in this home? In a home for scripts also one whose origin cannot be told. */
export function checkHomeCaller(home: string, state: StateStore, pid = process.pid): HumanCallerCheck {
  const maker = readUnattendedHome(home)
  const facts = { table: openProcessTable(), agents: listAgents(state), adopter: findSubreaper(), maker }
  const check = checkHumanCaller(pid, facts)
  if (check.may || check.is !== 'unknown' || maker === undefined) return check
  return { may: true, who: { pid, start: '', program: 'unknown', tty: null } }
}
