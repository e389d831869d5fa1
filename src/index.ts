// The library: `import { createEngine } from 'arc-supervisor'`. Exports only; nothing is decided here.

export type { Bus, Message, RequestOptions } from './bus/bus.ts'
export { type BusHook, createHookBus, type HookBus, type HookContext, hookBus } from './compat/hook-bus.ts'
export {
  HOOK_EVENTS,
  type HookConfig,
  HookDenied,
  type HookEvent,
  HookRegistry,
  type HookRegistryContext,
  type HookResult,
  readHookConfig,
} from './compat/hook-registry.ts'
export {
  HookSystem,
  type HookSystemContext,
  type HookSystemHandler,
  type HookSystemOptions,
} from './compat/hook-system.ts'
export type { Clock } from './engine/clock.ts'
export { type Cause, DEGRADATION, Failure, type FailureKind, type OnError } from './engine/degradation.ts'
export { type Engine, type EngineOptions, type HookListing, NoopHookEngine } from './engine/engine.ts'
export { ArcError, ERRORS, type ErrorCode } from './engine/errors.ts'
export type { Handler, HookObject, HookOptions, RunContext } from './engine/hook.ts'
export type { Match, Pattern } from './engine/matcher.ts'
export { effectiveMode, MODES, type Mode, type ModeInput } from './engine/mode.ts'
export type { Evaluation, Fault, Notice, Outcome, Sink } from './engine/outcome.ts'
export { type DeclaredPoint, definePoint } from './engine/point-names.ts'
export { type DataOf, type EditOf, POINTS, type PointName, type PointSpec } from './engine/points.ts'
export type { Step, StepContext, StepEnvelope } from './engine/step.ts'
export { TOOLS, type ToolClass, toolClass } from './engine/tools.ts'
export { DECISIONS, type Decision, type HandlerResult, type VerdictObject } from './engine/verdict.ts'
export { createSupervisionGate, type GateOptions, type GateRule } from './hooks/builtin/gate.ts'
export { defaultPipeline, type Pipeline } from './hooks/default-pipeline.ts'
export { type CommandHandler, type CommandOptions, commandHandler } from './hooks/handlers/command/command.ts'
export { type HttpOptions, httpHandler } from './hooks/handlers/http.ts'
export { type PromptOptions, promptHandler } from './hooks/handlers/prompt/prompt.ts'
export type { PipelineHook } from './hooks/live-pipeline.ts'
export { type RetryOptions, type RetryResult, runWithRetry } from './hooks/retry.ts'
export { createEngine, HandlerTable, HookEngine } from './platform/hook-engine.ts'
export type { Assessment, Effect, Evidence, RiskInput, Tier } from './risk/assessment.ts'
export { classifyRisk, type RiskOptions } from './risk/classify.ts'
export {
  parseRoundtable,
  type RoundtableDefaults,
  type RoundtableRequest,
} from './roundtable/parse-request.ts'
export { TASK_RETENTION_MS, type TaskFilter, type TaskStore } from './storage/ports.ts'
export { CircuitBreaker, type CircuitBreakerOptions } from './supervisor/breaker/breaker.ts'
export { createSupervisor } from './supervisor/create-supervisor.ts'
export type { Supervisor } from './supervisor/supervisor.ts'
export type { SupervisorOptions } from './supervisor/supervisor-options.ts'
export type { DelegateOptions, DelegatorOptions, TaskMessage } from './tasks/delegator.ts'
export {
  MessageBus,
  type OpenTasks,
  type OpenTasksOptions,
  openTasks,
  TaskDelegator,
} from './tasks/service/open-tasks.ts'
export { admitBy, TaskRefusal } from './tasks/service/task-supervision.ts'
export type { Task, TaskDraft, TaskPriority, TaskRecord, TaskStatus } from './tasks/task.ts'
export {
  advanceTask,
  isTaskLeaseOver,
  isTaskOver,
  openTask,
  renewTaskLease,
  type TaskAction,
  type TaskMove,
  unknownTask,
} from './tasks/transitions.ts'
