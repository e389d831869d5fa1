// The built-in hooks. One line a hook; each is a file in this folder.

import type { BuiltInName } from '../../config/built-in-hooks.ts'
import { attemptTracker } from './attempt-tracker.ts'
import { auditScore } from './audit-score.ts'
import type { BuiltIn } from './built-in.ts'
import { interagentRouting } from './interagent-routing.ts'
import { memorySync } from './memory-sync.ts'
import { postVerify } from './post-verify.ts'
import { riskDetection } from './risk-detection.ts'
import { roundtable } from './roundtable.ts'
import { sourceClassify } from './source-classify.ts'
import { subagentInject } from './subagent-inject.ts'
import { supervisionGate } from './supervision-gate.ts'
import { watchdogPause } from './watchdog-pause.ts'

const HOOKS: Readonly<Record<BuiltInName, BuiltIn>> = {
  'source-classify': sourceClassify,
  'interagent-routing': interagentRouting,
  'watchdog-pause': watchdogPause,
  'risk-detection': riskDetection,
  'subagent-inject': subagentInject,
  'attempt-tracker': attemptTracker,
  roundtable: roundtable,
  'memory-sync': memorySync,
  'audit-score': auditScore,
  'supervision-gate': supervisionGate,
  'post-verify': postVerify,
}

/** The built-in hooks in the order in which they run. The source of docs/reference/hooks.md. */
export const BUILT_INS: readonly BuiltIn[] = Object.values(HOOKS)
