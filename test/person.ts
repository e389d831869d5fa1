// Are these tests run by an agent? Then nothing they start may speak for a person, and tests that need one are skipped.

import { checkHumanCaller } from '../src/guard/human-caller.ts'
import { openProcessTable } from '../src/guard/process-table.ts'

/** Does a process that the tests start count as a person's? */
export const canBePerson = checkHumanCaller(process.pid, { table: openProcessTable(), agents: [] }).isHuman

if (!canBePerson) console.warn('skipped: an agent runs these tests, so none of them can act for a person')
