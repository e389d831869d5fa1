// The question of src/guard/person.ts for a home: with its agents, and with those who made it for scripts.

import type { StateStore } from '../storage/state.ts'
import { findAdopter } from './adopter.ts'
import { listAgents } from './agents.ts'
import { readConfirmNone } from './confirm-file.ts'
import { checkPerson, type PersonCheck } from './person.ts'
import { openProcessTable } from './process-table.ts'

/** May a process speak for a human in this home? In a home for scripts also one whose origin cannot be told. */
export function checkPersonIn(home: string, state: StateStore, pid = process.pid): PersonCheck {
  const maker = readConfirmNone(home)
  const facts = { table: openProcessTable(), agents: listAgents(state), adopter: findAdopter(), maker }
  const check = checkPerson(pid, facts)
  if (check.may || check.is !== 'unknown' || maker === undefined) return check
  return { may: true, who: { pid, start: '', program: 'unknown', tty: null } }
}
