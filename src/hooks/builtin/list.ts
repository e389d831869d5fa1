// The hooks that ARC brings along, and how a profile configures them. One line a hook; each is a file in hooks/.

import { ArcError, didYouMean, rejectUnknownOptions, show } from '../../engine/errors.ts'
import type { HookObject } from '../../engine/hook.ts'
import type { ModeInput } from '../../engine/mode.ts'
import { attemptTracker } from './attempt-tracker.ts'
import { auditScore } from './audit-score.ts'
import type { BuiltIn } from './built-in.ts'
import { interagentRouting } from './interagent-routing.ts'
import { memorySync } from './memory-sync.ts'
import { postVerify } from './post-verify.ts'
import { riskDetection } from './risk-detection.ts'
import { roundtable } from './roundtable.ts'
import type { SupervisionServices } from './services.ts'
import { sourceClassify } from './source-classify.ts'
import { subagentInject } from './subagent-inject.ts'
import { supervisionGate } from './supervision-gate.ts'
import { watchdogPause } from './watchdog-pause.ts'

/** All eleven, in the order in which they run. The source of docs/reference/hooks.md. */
export const BUILT_INS: readonly BuiltIn[] = [
  sourceClassify,
  interagentRouting,
  watchdogPause,
  riskDetection,
  subagentInject,
  attemptTracker,
  roundtable,
  memorySync,
  auditScore,
  supervisionGate,
  postVerify,
]

/** What a program may set: the same keys as in a profile. */
export interface PipelineProfile {
  readonly name?: string
  readonly enforcement?: ModeInput
  readonly hooks?: Readonly<Record<string, BuiltInSettings>>
  readonly risk?: { readonly floor?: boolean }
}

/** Settings of one built-in hook. */
interface BuiltInSettings {
  readonly enabled?: boolean
  readonly timeout?: number
  readonly mode?: ModeInput
  readonly options?: Readonly<Record<string, unknown>>
}

const PROFILE_KEYS = ['name', 'tool', 'enforcement', 'hooks', 'risk'] as const
const HOOK_KEYS = ['enabled', 'timeout', 'mode', 'options'] as const

/** The built-in hooks of a profile, ready to register. Those that are switched off are left out. */
export function buildHooks(
  profile: PipelineProfile,
  services: SupervisionServices,
  builtIns: readonly BuiltIn[] = BUILT_INS,
): readonly HookObject[] {
  rejectUnknownOptions(profile, PROFILE_KEYS, 'defaultPipeline')
  const { hooks = {}, risk } = profile
  const names = builtIns.map(({ name }) => name)
  for (const name of Object.keys(hooks)) {
    if (names.includes(name)) continue
    throw new ArcError('ARC_HOOK_UNKNOWN', `There is no built-in hook ${show(name)}.${didYouMean(name, names)}`)
  }
  const wanted = builtIns.filter(({ name }) => hooks[name]?.enabled !== false)
  return wanted.map((builtIn) => buildHook(builtIn, hooks[builtIn.name] ?? {}, risk?.floor !== false, services))
}

function buildHook(
  builtIn: BuiltIn,
  settings: BuiltInSettings,
  hasFloor: boolean,
  services: SupervisionServices,
): HookObject {
  const { name, priority, points, critical, onError } = builtIn
  rejectUnknownOptions(settings, HOOK_KEYS, `hook ${show(name)}`)
  const { timeout = builtIn.timeoutMs, mode } = settings
  const { alwaysBlocks, ...parts } = builtIn.create(readOptions(builtIn, settings.options ?? {}), services)
  return {
    name,
    priority,
    points,
    critical,
    ...parts,
    ...(onError !== undefined && { onError }),
    ...(timeout !== undefined && { timeoutMs: timeout }),
    ...(mode !== undefined && { mode }),
    ...(alwaysBlocks !== undefined && hasFloor && { alwaysBlocks }),
  }
}

function readOptions({ name, options }: BuiltIn, given: unknown): unknown {
  const read = options.safeParse(given)
  if (read.success) return read.data
  const [issue] = read.error.issues
  const where = ['options', ...(issue?.path ?? [])].join('.')
  throw new ArcError('ARC_OPTION_INVALID', `${where} of hook ${show(name)} cannot be used: ${issue?.message}.`)
}
