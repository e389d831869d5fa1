// `arc-supervisor/config`: reading profiles, project layers and scripts. Exports only; apart from the engine, so that
// programs which do not read configuration do not load what reads it.

export {
  type ArmaCommand,
  type ArmaHook,
  type ArmaScript,
  COMMANDS,
  compileArma,
  fill,
} from './config/arma/compile-script.ts'
export type { ArmaError } from './config/arma/lex.ts'
export { BUILT_IN_HOOKS } from './config/built-in-hooks.ts'
export { type Config, DEFAULTS, effectiveOnError, type HookSettings, hookSettings } from './config/config.ts'
export { type LastGood, openLastGood } from './config/last-good.ts'
export { type Loaded, type LoadedProject, type LoadOptions, loadConfig } from './config/load.ts'
export { formatProblem, isFatal, type Problem, type ProblemKind } from './config/problem.ts'
export { listProfiles } from './config/profile-files.ts'
export { type FileKind, toJsonSchema } from './config/schema.ts'
export { describeHooks, type Fingerprint, fingerprint, type ProjectHooks, type TrustedSet } from './config/trust.ts'
export { type ConfigReload, type WatchedConfig, type WatchOptions, watchConfig } from './config/watch.ts'
