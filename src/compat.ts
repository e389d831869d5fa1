// `arc-supervisor/compat`: the APIs of the systems that ARC unifies, over one engine. Exports only.

export {
  type BusHook,
  createHookBus,
  type Hook,
  type HookBus,
  type HookContext,
  type HookMetadata,
  hookBus,
} from './compat/hook-bus.ts'
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
