// All scenarios by name: those of every agent, and those of each built-in hook in each mode.

import { HOOK_SCENARIOS } from './hook-modes.mjs'
import { SCENARIOS } from './scenarios.mjs'

export const ALL_SCENARIOS = [...SCENARIOS, ...HOOK_SCENARIOS]
