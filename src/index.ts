// The library: `import { createEngine } from 'arc-supervisor'`. Exports only; nothing is decided here.

export type { Bus, Message, RequestOptions } from './collaboration/bus/bus.ts'
export {
  parseRoundtable,
  type RoundtableDefaults,
  type RoundtableRequest,
} from './collaboration/roundtable/parse.ts'
export type { DelegateOptions, DelegatorOptions, TaskMessage } from './collaboration/tasks/delegator.ts'
export { TASK_KEPT_MS, type TaskFilter, type TaskStore } from './collaboration/tasks/store.ts'
export type { Task, TaskDraft, TaskPriority, TaskRecord, TaskStatus } from './collaboration/tasks/task.ts'
export {
  advance as advanceTask,
  isLeaseOver as isTaskLeaseOver,
  isOver as isTaskOver,
  type Move as TaskMove,
  openTask,
  renewLease as renewTaskLease,
  type TaskAction,
  unknownTask,
} from './collaboration/tasks/transitions.ts'
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
export type { Assessment, Effect, Evidence, RiskInput, Tier } from './risk/assessment.ts'
export { classifyRisk, type RiskOptions } from './risk/classify.ts'
export { createSupervisor } from './runtime/create-supervisor.ts'
export { defaultPipeline, type Pipeline } from './runtime/default-pipeline.ts'
export { createEngine, HandlerTable, HookEngine } from './runtime/engine.ts'
export type { PipelineHook } from './runtime/pipeline.ts'
export type { Supervisor } from './runtime/supervisor.ts'
export type { SupervisorOptions } from './runtime/supervisor-options.ts'
export {
  MessageBus,
  type OpenTasks,
  type OpenTasksOptions,
  openTasks,
  TaskDelegator,
} from './runtime/task-delegation.ts'
export { admitBy, TaskRefusal } from './runtime/task-supervision.ts'
export { CircuitBreaker, type CircuitBreakerOptions } from './supervision/breaker.ts'
export { createSupervisionGate, type GateOptions, type GateRule } from './supervision/gate.ts'
export { type RetryOptions, type RetryResult, runWithRetry } from './supervision/retry.ts'
