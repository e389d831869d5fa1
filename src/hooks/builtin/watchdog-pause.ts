// The watchdog hook of the pipeline, with the classifier of the risk rules. Its code is in watchdog-pauser.ts.

import { RULE_PACKS } from '../../risk/rulebook.ts'
import { createClassifier } from './call-risk.ts'
import { createWatchdogPause } from './watchdog-pauser.ts'

export const watchdogPause = createWatchdogPause((services) => createClassifier(RULE_PACKS, services))
