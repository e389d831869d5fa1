// The further steps that one event of a host is: a call that writes a file is a file write, a prompt starts a run, the end
// of a turn has an answer. One table: which event leads to which points, with which data, and how an edit there comes back
// into the event's own data. Pure.

import type { DerivedStep } from '../engine/action-views.ts'
import { isRefusal, type PermissionRole } from '../engine/permission.ts'
import { isRecord } from '../engine/plain-data.ts'
import type { PointName, ToolArgs } from '../engine/points.ts'
import { findPromptArgument, toolClass } from '../engine/tools.ts'
import { HOST_TOOLS } from './facts/list.ts'
import { defined } from './fields.ts'
import { readFileWrites } from './file-writes.ts'
import type { Host, HostEvent, HostStep } from './host.ts'
import { listOnDemand } from './install/registered-events.ts'

type Data = Readonly<Record<string, unknown>>

/** A change of the session's mode, such as from planning to editing, that the host tells with its events. */
export interface ModeChange {
  readonly from: string
  readonly to: string
  /** The call that asked for it was seen before it. */
  readonly isAnnounced: boolean
}

/** The parts of a host's step that its further steps depend on. */
export type ActionStep = Pick<HostStep, 'point' | 'data' | 'context'> & {
  readonly spec?: Pick<HostEvent, 'ask' | 'hasAnswer'> & { readonly permission?: PermissionRole | undefined }
}

/** What an event leads to. */
interface Derivation {
  /** The point of the event; undefined for every event. */
  readonly from: PointName | undefined
  readonly point: PointName
  /** Also from the permission request of a call. */
  readonly isOfRequest?: boolean
  /** Does a host reach the point this way, with its installed events of the point `from`? */
  isReached(host: Host, rows: readonly HostEvent[]): boolean
  steps(step: ActionStep, change: () => ModeChange | undefined): readonly Omit<DerivedStep, 'point'>[]
}

const WRITE_TOOLS = ['edit', 'multi-edit', 'write', 'patch', 'notebook'] as const
const isAlways = (): boolean => true
const tellsMode = ({ tellsMode: isTold = false }: Host): boolean => isTold
const hasWriteTool = ({ name }: Host): boolean => WRITE_TOOLS.some((kind) => HOST_TOOLS[name][kind] !== undefined)

const DERIVATIONS: readonly Derivation[] = [
  {
    from: 'pre:tool',
    point: 'pre:permission',
    isOfRequest: true,
    isReached: (_host, rows) => rows.some(({ permission }) => permission === 'asks'),
    steps: ({ spec }) => (spec?.permission === 'asks' ? [REQUEST] : []),
  },
  {
    from: 'post:tool:failure',
    point: 'post:permission',
    isReached: (_host, rows) => rows.some(({ permission }) => isRefusal(permission)),
    steps: ({ spec }) => (isRefusal(spec?.permission) ? [REFUSAL] : []),
  },
  {
    from: 'pre:message',
    point: 'run:start',
    isReached: isAlways,
    steps: () => [{ isAfterPass: true, read: ({ prompt }) => ({ prompt }) }],
  },
  {
    from: 'pre:turn:end',
    point: 'post:message',
    isReached: (_host, rows) => rows.some(({ hasAnswer }) => hasAnswer === true),
    steps: ({ data, spec }) =>
      (spec?.hasAnswer ?? false) !== false && data.output !== undefined && data.output !== '' ? [ANSWER] : [],
  },
  {
    from: 'pre:turn:end',
    point: 'run:end',
    isReached: isAlways,
    steps: () => [{ isAfterPass: true, read: ({ output, stopReason }) => defined({ output, stopReason }) }],
  },
  { from: 'pre:tool', point: 'pre:git:write', isReached: hasWriteTool, steps: readWrites },
  { from: 'post:tool', point: 'post:git:write', isReached: hasWriteTool, steps: readWrites },
  {
    from: 'pre:tool',
    point: 'pre:agent:spawn',
    isReached: ({ name }) => HOST_TOOLS[name].spawn !== undefined,
    steps: ({ data }) => (toolClass(String(data.tool)) === 'spawn' ? [SPAWN] : []),
  },
  {
    from: 'pre:tool',
    point: 'pre:session:phase',
    isReached: tellsMode,
    steps: (step) => [readPlanTool(step)].flatMap((phase) => (phase === undefined ? [] : [{ read: () => phase }])),
  },
  {
    from: 'post:tool',
    point: 'post:session:phase',
    isReached: tellsMode,
    // With a mode in its events the host itself tells when the phase has changed.
    steps: (step) => {
      const phase = readSessionMode(step) === undefined ? readPlanTool(step) : undefined
      return phase === undefined ? [] : [{ read: () => phase }]
    },
  },
  {
    from: 'pre:compact',
    point: 'pre:session:phase',
    isReached: isAlways,
    steps: (step) => [{ read: () => defined({ from: readSessionMode(step), to: COMPACTION }) }],
  },
  {
    from: 'post:compact',
    point: 'post:session:phase',
    isReached: isAlways,
    steps: (step) => [{ read: () => ({ from: COMPACTION, to: readSessionMode(step) ?? 'default' }) }],
  },
  {
    from: undefined,
    point: 'pre:session:phase',
    isReached: tellsMode,
    steps: (_step, change) => readChange(change()?.isAnnounced === true ? undefined : change()),
  },
  {
    from: undefined,
    point: 'post:session:phase',
    isReached: tellsMode,
    steps: (_step, change) => readChange(change()),
  },
]

const COMPACTION = 'compact'

/**
 * The further steps of an event, for points with hooks. A permission request leads to `pre:permission` only: its call has
 * passed the other points already.
 * @example
 * const steps = deriveSteps(step, (point) => point === 'pre:git:write')
 */
export function deriveSteps(
  step: ActionStep,
  hasHooks: (point: string) => boolean,
  change: () => ModeChange | undefined = () => undefined,
): readonly DerivedStep[] {
  const isRequest = step.spec?.ask === 'prompting'
  return DERIVATIONS.flatMap(({ from, point, isOfRequest = false, steps }) => {
    const isFrom = from === undefined || (from === step.point && (isOfRequest || !isRequest))
    if (!isFrom || point === step.point || !hasHooks(point)) return []
    return steps(step, change).map((derived) => ({ ...derived, point }))
  })
}

/** Does a host reach a point, with the events that `arc install` registers and these events that it registers on demand? */
export function doesReach(host: Host, point: PointName, onDemand: readonly string[] = listOnDemand(host)): boolean {
  const rows = Object.entries(host.events)
    .filter(([name, { isInstalled }]) => isInstalled || onDemand.includes(name))
    .map(([, row]) => row)
  if (rows.some((row) => row.point === point)) return true
  return DERIVATIONS.some((derivation) => {
    if (derivation.point !== point) return false
    const from = rows.filter((row) => derivation.from === undefined || row.point === derivation.from)
    return from.length > 0 && derivation.isReached(host, from)
  })
}

/** The mode of the session as the host tells it with an event, such as `plan`. */
export function readSessionMode({ context }: ActionStep): string | undefined {
  const mode = context.metadata?.permissionMode
  return typeof mode === 'string' && mode !== '' ? mode : undefined
}

/** Does a step call a tool that changes between planning and editing? */
export function isPlanTool(step: ActionStep): boolean {
  return readPlanTool(step) !== undefined
}

// The arguments stay those of the call: no host takes others with its answer.
const REQUEST: Omit<DerivedStep, 'point'> = { read: ({ tool, args, callId }) => defined({ tool, args, callId }) }

const REFUSAL: Omit<DerivedStep, 'point'> = {
  honours: { block: false, ask: false },
  read: ({ tool, args, callId, error }) => defined({ tool, args, callId, isGranted: false, reason: error }),
}

const ANSWER: Omit<DerivedStep, 'point'> = {
  isBefore: true,
  read: ({ output }) => ({ output }),
  write: (action, { output }) => ({ ...action, output }),
}

function readWrites({ data }: ActionStep): readonly Omit<DerivedStep, 'point'>[] {
  const writesIn = ({ tool, args }: Data) => (isRecord(args) ? readFileWrites(String(tool), args) : [])
  return writesIn(data).map((_, at) => ({
    read: (action) => {
      const write = writesIn(action)[at]
      if (write === undefined) return undefined
      const { path, content, isPart } = write
      return { path, content, ...(isPart && { isPart }) }
    },
    write: (action, { content }) => {
      const args = typeof content === 'string' ? writesIn(action)[at]?.withContent?.(content) : undefined
      return args === undefined ? undefined : { ...action, args }
    },
  }))
}

const TYPE_FIELDS = ['subagent_type', 'subagentType', 'agent_type', 'agentType', 'agent', 'agent_name', 'type', 'role']

// The whole call is the configuration of the agent, with its prompt and its type under the same names for every host.
const SPAWN: Omit<DerivedStep, 'point'> = {
  read: ({ args }) => {
    const given = isRecord(args) ? args : {}
    const [promptKey, typeKey] = [findPromptArgument(given), findType(given)]
    const prompt = promptKey && given[promptKey]
    return { config: defined({ ...given, prompt, type: typeKey && given[typeKey] }) }
  },
  write: (action, { config }) => {
    const args: ToolArgs = isRecord(action.args) ? action.args : {}
    const edited = isRecord(config) ? writeConfig(args, config) : undefined
    return edited === undefined ? undefined : { ...action, args: edited }
  },
}

// The arguments of a tool must not get new fields, nor lose those they need.
function writeConfig(args: ToolArgs, { prompt, type, ...rest }: Data): ToolArgs | undefined {
  const own = { prompt: findPromptArgument(args), type: findType(args) }
  const edited: Record<string, unknown> = { ...args }
  const put = (key: string | undefined, value: unknown): boolean => {
    if (key === undefined || !Object.hasOwn(args, key)) return value === undefined
    if (value !== undefined) edited[key] = value
    return true
  }
  if (!Object.entries(rest).every(([key, value]) => put(key, value))) return undefined
  const isChanged = (key: string | undefined, value: unknown): boolean => key === undefined || args[key] !== value
  if (isChanged(own.prompt, prompt) && !put(own.prompt, prompt)) return undefined
  if (isChanged(own.type, type) && !put(own.type, type)) return undefined
  return edited
}

function findType(args: ToolArgs): string | undefined {
  return TYPE_FIELDS.find((name) => typeof args[name] === 'string')
}

const PLAN = 'plan'

// `ExitPlanMode`, `exit_plan_mode`, `plan_exit`; and the same for the way in.
function readPlanTool(step: ActionStep): Data | undefined {
  const name = String(step.data.tool ?? '')
    .toLowerCase()
    .replace(/[^a-z]/g, '')
  if (name === 'exitplanmode' || name === 'planexit') return { from: PLAN, to: 'default' }
  if (name === 'enterplanmode' || name === 'planenter') return defined({ from: readSessionMode(step), to: PLAN })
  return undefined
}

// The mode has changed already: it can only be recorded.
function readChange(change: ModeChange | undefined): readonly Omit<DerivedStep, 'point'>[] {
  if (change === undefined) return []
  const { from, to } = change
  return [{ isBefore: true, honours: { block: false, ask: false }, read: () => ({ from, to }) }]
}
