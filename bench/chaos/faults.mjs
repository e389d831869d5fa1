// The faults, as one table. `start` brings it about, `stop` ends it after `forMs`; both get the stage, and `stop` what
// `start` gave. `needs`: what the machine must allow. `destroys`: calls sent before may be missing from the record.
// `verify`: what `arc trace verify` must say afterwards: `ok` (default), `notices` or `either`.

import { DATABASE_FAULTS } from './faults/database.mjs'
import { DISK_FAULTS } from './faults/disk.mjs'
import { FILE_FAULTS } from './faults/files.mjs'
import { LOAD_FAULTS } from './faults/load.mjs'
import { PROCESS_FAULTS } from './faults/process.mjs'

export const FAULTS = { ...PROCESS_FAULTS, ...DATABASE_FAULTS, ...DISK_FAULTS, ...FILE_FAULTS, ...LOAD_FAULTS }
