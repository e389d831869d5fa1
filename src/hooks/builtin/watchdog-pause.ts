// The watchdog hook as it stands in the pipeline: judging by the risk rules. What it does is watchdog-keeper.ts.

import { RULE_PACKS } from '../../risk/rulebook.ts'
import { classifierOf } from './call-risk.ts'
import { createWatchdogPause } from './watchdog-keeper.ts'

export const watchdogPause = createWatchdogPause(({ guard }) => classifierOf(RULE_PACKS, guard))
