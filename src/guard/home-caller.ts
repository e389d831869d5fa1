// Checks the caller of a command in a home: src/guard/human-caller.ts with the agents and the creator of that home.

import type { StateStore } from '../storage/ports.ts'
import { checkHumanCaller, type HumanCallerCheck } from './human-caller.ts'
import { openProcessTable } from './process-table.ts'
import { findSubreaper } from './subreaper.ts'
import { listAgents } from './supervised-agents.ts'
import { readUnattendedHome } from './unattended-home.ts'

/** Whether a process acts for a human in this home. In an unattended home, a process of unknown origin does, too. */
export function checkHomeCaller(home: string, state: StateStore, pid = process.pid): HumanCallerCheck {
  const creator = readUnattendedHome(home)
  const facts = { table: openProcessTable(), agents: listAgents(state), subreaper: findSubreaper(), creator }
  const check = checkHumanCaller(pid, facts)
  if (check.isHuman || check.kind !== 'unknown' || creator === undefined) return check
  return { isHuman: true, requester: { pid, start: '', program: 'unknown', tty: null } }
}
