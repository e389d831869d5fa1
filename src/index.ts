// The library: `import { createEngine } from 'arc-supervisor'`. Exports only; nothing is decided here.

export type { Clock } from './core/clock.ts'
export { type Cause, DEGRADATION, Failure, type FailureKind, type OnError } from './core/degradation.ts'
export { type Engine, type EngineOptions, type HookListing, NoopHookEngine } from './core/engine.ts'
export { ArcError, ERRORS, type ErrorCode } from './core/errors.ts'
export type { Handler, HookObject, HookOptions, RunContext } from './core/hook.ts'
export type { Match, Pattern } from './core/matcher.ts'
export { effectiveMode, MODES, type Mode, type ModeInput } from './core/mode.ts'
export type { Evaluation, Fault, Notice, Outcome } from './core/outcome.ts'
export { type DeclaredPoint, definePoint } from './core/point-names.ts'
export { type DataOf, type EditOf, POINTS, type PointName, type PointSpec } from './core/points.ts'
export type { Sink } from './core/recorder.ts'
export type { Step, StepContext, StepEnvelope } from './core/step.ts'
export { TOOLS, type ToolClass, toolClass } from './core/tools.ts'
export { DECISIONS, type Decision, type HandlerResult, type VerdictObject } from './core/verdict.ts'
export { type BusHook, createHookBus, type HookBus, type HookContext, hookBus } from './faces/hook-bus.ts'
export {
  HOOK_EVENTS,
  type HookConfig,
  HookDenied,
  type HookEvent,
  HookRegistry,
  type HookRegistryContext,
  type HookResult,
  readHookConfig,
} from './faces/hook-registry.ts'
export {
  HookSystem,
  type HookSystemContext,
  type HookSystemHandler,
  type HookSystemOptions,
} from './faces/hook-system.ts'
export { type CommandHandler, type CommandOptions, commandHandler } from './handlers/command/command.ts'
export { type HttpOptions, httpHandler } from './handlers/http.ts'
export { type PromptOptions, promptHandler } from './handlers/prompt/prompt.ts'
export { createEngine, HandlerTable, HookEngine } from './runtime/engine.ts'
