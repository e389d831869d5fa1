// The watchdog hook as it stands in the pipeline: judging by the risk rules. What it does is watchdog-keeper.ts.

import { RULE_PACKS } from '../../risk/rulebook.ts'
import { createClassifier } from './call-risk.ts'
import { createWatchdogPause } from './watchdog-pauser.ts'

export const watchdogPause = createWatchdogPause(({ guard }) => createClassifier(RULE_PACKS, guard))
