// The built-in hooks for a program: on their own engine or on the program's, without a home, a database or a profile.

import type { EngineOptions } from '../engine/engine.ts'
import { ArcError, didYouMean, rejectUnknownOptions, show } from '../engine/errors.ts'
import type { HookObject } from '../engine/hook.ts'
import { type ModeInput, readMode } from '../engine/mode.ts'
import { linearRegex } from '../platform/engine-services.ts'
import { HookEngine } from '../platform/hook-engine.ts'
import { MemoryStateStore } from '../storage/memory/state-store.ts'
import { createParts, toHookObject } from './builtin/built-in.ts'
import { BUILT_INS } from './builtin/list.ts'
import type { SupervisionServices } from './builtin/services.ts'
import { effectiveOptions } from './effective-options.ts'
import { createServices } from './pipeline-services.ts'
import type { Dispatcher } from './retry.ts'

/** The settings of a pipeline: the same keys as in a profile. */
export interface PipelineProfile {
  readonly name?: string
  readonly enforcement?: ModeInput
  readonly hooks?: Readonly<Record<string, HookProfile>>
  readonly risk?: { readonly floor?: boolean }
}

/** Settings of one built-in hook. */
interface HookProfile {
  readonly enabled?: boolean
  readonly timeout?: number
  readonly mode?: ModeInput
  readonly options?: Readonly<Record<string, unknown>>
  /** Of risk-detection: whether messages of people are only rated, or also held and blocked. */
  readonly messages?: 'rate' | 'hold'
}

const PROFILE_KEYS = ['name', 'tool', 'enforcement', 'hooks', 'risk'] as const
const HOOK_KEYS = ['enabled', 'timeout', 'mode', 'options'] as const
const RISK_KEYS = [...HOOK_KEYS, 'messages'] as const

/** The built-in hooks, to register on an engine or to dispatch directly. */
export interface Pipeline extends Dispatcher {
  readonly hooks: readonly HookObject[]
  /** Registers all hooks; returns a function that unregisters them. */
  registerOn(engine: Pick<HookEngine, 'register'>): () => void
  /** The pipeline's own engine; created on first use. */
  readonly engine: HookEngine
  readonly dispatch: HookEngine['dispatch']
  readonly list: HookEngine['list']
}

/**
 * The pipeline of all built-in hooks, with the settings of a profile.
 * @example
 * const pipeline = defaultPipeline({ enforcement: 'enforce', hooks: { 'interagent-routing': { enabled: false } } })
 * const outcome = await pipeline.dispatch('pre:tool', { tool: 'shell', args: { command: 'rm -rf /' } })
 */
export function defaultPipeline(
  profile: PipelineProfile = {},
  services: Partial<SupervisionServices> & Pick<EngineOptions, 'sink' | 'notify' | 'onFault'> = {},
): Pipeline {
  const { sink, notify, maxMode, onFault, ...given } = services
  const hooks = buildHooks(profile, { ...ownServices(profile), ...given, maxMode })
  const options = { mode: profile.enforcement ?? 'log', sink, notify, maxMode, onFault }
  let engine: HookEngine | undefined
  const ownEngine = (): HookEngine => {
    if (engine !== undefined) return engine
    engine = new HookEngine(Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)))
    registerAll(hooks, engine)
    return engine
  }
  return {
    hooks,
    registerOn: (other) => registerAll(hooks, other),
    get engine() {
      return ownEngine()
    },
    dispatch: ((...args: Parameters<HookEngine['dispatch']>) =>
      ownEngine().dispatch(...args)) as HookEngine['dispatch'],
    list: () => ownEngine().list(),
  }
}

// Hooks that the profile switches off are dropped.
function buildHooks(profile: PipelineProfile, services: SupervisionServices): readonly HookObject[] {
  rejectUnknownOptions(profile, PROFILE_KEYS, 'defaultPipeline')
  const { hooks = {}, risk } = profile
  const names = BUILT_INS.map(({ name }) => name)
  for (const name of Object.keys(hooks)) {
    if (names.includes(name)) continue
    throw new ArcError('ARC_HOOK_UNKNOWN', `There is no built-in hook ${show(name)}.${didYouMean(name, names)}`)
  }
  const enabled = BUILT_INS.filter(({ name }) => hooks[name]?.enabled !== false)
  const hasFloor = risk?.floor !== false
  return enabled.map((builtIn) => {
    const { name } = builtIn
    const given = hooks[name] ?? {}
    rejectUnknownOptions(given, name === 'risk-detection' ? RISK_KEYS : HOOK_KEYS, `hook ${show(name)}`)
    const mode = given.mode === undefined ? undefined : readMode(given.mode, `mode of hook ${show(name)}`)
    const settings = { timeoutMs: given.timeout, mode }
    const options = effectiveOptions(name, (hook) => hooks[hook] ?? {})
    return toHookObject(builtIn, createParts(builtIn, options, services), { settings, hasFloor })
  })
}

function registerAll(hooks: readonly HookObject[], engine: Pick<HookEngine, 'register'>): () => void {
  const undo = hooks.map((hook) => engine.register(hook as never))
  return () => {
    for (const unregister of undo) unregister()
  }
}

// The state is in memory, and events of hooks are not logged: the program has the sink.
function ownServices(profile: PipelineProfile): SupervisionServices {
  const trace = { append: async () => ({ id: '', seqs: [] }) }
  const name = (): string => profile.name ?? 'default'
  const services = createServices({ state: new MemoryStateStore(), trace, profile: name, notify: () => undefined })
  return { ...services, regex: linearRegex }
}
