// The watchdog hook as it stands in the pipeline: judging by the risk rules. What it does is watchdog-keeper.ts.

import { classifyByRules } from './call-risk.ts'
import { createWatchdogPause } from './watchdog-keeper.ts'

export const watchdogPause = createWatchdogPause(classifyByRules)
