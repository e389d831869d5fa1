// The names of the built-in hooks and what a failure of each means. Apart from their code, so that reading a
// configuration loads no hook. `src/hooks/builtin/list.ts` has to hold exactly these.

import type { OnError } from '../engine/degradation.ts'

/** By name: `abort` where a failure blocks by default; undefined where the profile's `errorBehavior` decides. */
export const BUILT_IN_HOOKS = {
  'source-classify': 'abort',
  'interagent-routing': 'abort',
  'watchdog-pause': 'abort',
  'risk-detection': 'abort',
  'subagent-inject': undefined,
  'attempt-tracker': 'abort',
  roundtable: undefined,
  'memory-sync': undefined,
  'audit-score': undefined,
  'supervision-gate': 'abort',
  'post-verify': undefined,
} as const satisfies Record<string, OnError | undefined>

/** The name of a built-in hook. */
export type BuiltInName = keyof typeof BUILT_IN_HOOKS
