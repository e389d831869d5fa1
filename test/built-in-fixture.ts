// One built-in hook in a real engine, with real services on a clock that tests move by hand.

import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { CoreEngine } from '../src/engine/engine.ts'
import type { Mode } from '../src/engine/mode.ts'
import type { Evaluation, Outcome } from '../src/engine/outcome.ts'
import type { StepContext } from '../src/engine/step.ts'
import type { BuiltIn, BuiltInParts } from '../src/hooks/builtin/built-in.ts'
import type { SupervisionEvent, SupervisionServices } from '../src/hooks/builtin/services.ts'
import { createServices } from '../src/hooks/pipeline-services.ts'
import { linearRegex } from '../src/platform/engine-services.ts'
import { MemoryStateStore } from '../src/storage/memory/state-store.ts'
import type { StateStore } from '../src/storage/ports.ts'
import { SqliteStateStore } from '../src/storage/sqlite/state-store.ts'
import { FakeClock } from '../src/testing/fake-clock.ts'
import { makeTempFolder } from './temp-folder.ts'

interface Setting {
  readonly mode?: Mode
  readonly state?: StateStore
  readonly clock?: FakeClock
  readonly timeoutMs?: number
  /** The breaker's maximum mode. */
  readonly maxMode?: () => Mode
  readonly services?: Partial<SupervisionServices>
}

/** A hook and the options that its profile gives it. */
type Configured = readonly [hook: AnyBuiltIn, options?: object]

// Whatever its options are: they are checked by its own schema.
type AnyBuiltIn = Omit<BuiltIn, 'options' | 'create'> & {
  readonly options: { parse(given: unknown): unknown }
  create(options: never, services: SupervisionServices): BuiltInParts
}

/** An engine with these hooks, as the default pipeline would register them. */
export function pipelineOf(hooks: readonly Configured[], setting: Setting = {}) {
  const { mode = 'enforce', state = new MemoryStateStore(), clock = new FakeClock(), timeoutMs, maxMode } = setting
  const events: SupervisionEvent[] = []
  const evaluations: Evaluation[] = []
  let ids = 0
  const newId = (): string => `id-${++ids}`
  const trace = { append: () => undefined } as never
  const services: SupervisionServices = {
    ...createServices({ state, trace, clock, profile: () => 'default', notify: () => undefined }),
    newId,
    record: (event) => void events.push(event),
    maxMode,
    ...setting.services,
  }
  const engine = new CoreEngine(
    { mode, sink: (evaluation) => void evaluations.push(evaluation), ...(maxMode && { maxMode }) },
    { clock, newId, regex: linearRegex, report: () => undefined },
  )
  for (const [hook, options = {}] of hooks) {
    const { name, points, priority, critical, onError } = hook
    const limit = timeoutMs ?? hook.timeoutMs
    engine.register({
      name,
      points,
      priority,
      critical,
      ...(onError !== undefined && { onError }),
      ...(limit !== undefined && { timeoutMs: limit }),
      ...hook.create(hook.options.parse(options) as never, services),
    } as never)
  }
  const send = async (point: string, data: object, context: StepContext = {}): Promise<Outcome> =>
    engine.dispatch(point as 'config:change', data as Record<string, unknown>, { session: 's1', ...context })
  return { send, engine, clock, state, events, evaluations, services }
}

/** A folder that is gone when the test is over. */
export function makeFolder(): string {
  const folder = makeTempFolder('arc-hooks-')
  return folder
}

/** State in a database file, as separate processes would share it: one store for each of them. */
export function makeSharedState(processes: number): readonly StateStore[] {
  const file = join(makeFolder(), 'arc.db')
  return Array.from({ length: processes }, () => {
    const store = new SqliteStateStore(file)
    onTestFinished(() => store.close())
    return store
  })
}
