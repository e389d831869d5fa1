// A table: exempt from the file length limit.
// The points of hooks: one table drives types, validation, spellings, abort and modify rules, and the docs.
// To add a point, add a row. Resolving spellings and declaring own points is point-names.ts.

/** What a block means to the main loop: stop this action, continue the turn, or skip the compaction. */
export type BlockMeaning = 'stop' | 'continue' | 'skip'

/** One row of the table. `data` exists for types only. */
export interface PointSpec<
  Data extends object = object,
  Field extends string = string,
  Answer extends string = string,
  Alias extends string = string,
> {
  /** When the point is reached, for the docs. */
  readonly when: string
  readonly canAbort: boolean
  /** The fields of the data that a hook may change. */
  readonly modify: readonly Field[]
  /** What a block means here; `stop` unless said otherwise. */
  readonly blockMeans?: BlockMeaning
  /** A field which, supplied by a verdict, answers the action in its stead. */
  readonly answer?: Answer
  /** Other names under which verdict JSON may give a field. */
  readonly fieldAliases?: Readonly<Record<string, Field>>
  /** Other spellings of the point's name. */
  readonly aliases: readonly Alias[]
  /** Do steps carry a tool call, so that `<point>:<tool>` names one tool? */
  readonly hasTool?: boolean
  /** A type witness, never read. */
  readonly data?: Data
}

/** A table of points by canonical name. */
export type PointTable = Readonly<Record<string, PointSpec>>

export type ToolArgs = Readonly<Record<string, unknown>>

/** A message on its way to the model. */
export interface MessageData {
  readonly prompt: string
  /** Who sent it, as the host names them. */
  readonly sender?: string
  /** To whom, where the host names them. */
  readonly recipient?: string
}

/** What the model answered. */
export interface ResponseData {
  readonly output: string
  readonly prompt?: string
  readonly toolCalls?: readonly ToolCallData[]
}

/** A tool call about to run. */
export interface ToolCallData {
  readonly tool: string
  readonly args: ToolArgs
  /** The host's own id of the call, which pairs pre and post. */
  readonly callId?: string
}

/** A message that is part of the context now. */
export interface IngestData {
  readonly prompt?: string
  /** Text before the input of the model. */
  readonly prepend_input?: string
}

/** A request to the model. */
export interface ModelRequestData {
  readonly model?: string
}

/** An answer of the model to one request. */
export interface ModelResponseData extends ModelRequestData {
  readonly assistant?: string
}

/** A permission that was granted or refused. */
export interface PermissionResultData extends ToolCallData {
  readonly isGranted?: boolean
  readonly reason?: string
}

/** Tool calls that ran side by side. */
export interface ToolBatchData {
  readonly calls?: readonly unknown[]
}

/** A tool call that returned. */
export interface ToolResultData extends ToolCallData {
  readonly result: unknown
}

/** A tool call that failed. */
export interface ToolFailureData extends ToolCallData {
  readonly error: string
}

/** An agent about to be created. */
export interface SpawnData {
  readonly agent?: string
  readonly config: Readonly<Record<string, unknown>>
}

/** An agent that finished. */
export interface AgentCompleteData {
  readonly agent: string
  readonly output?: string
}

/** A session that moves from one phase to the next. */
export interface PhaseData {
  readonly from?: string
  readonly to: string
}

/** A file about to be written, or written. */
export interface FileWriteData {
  readonly path: string
  /** The text that the file gets; of an edit, the new text. */
  readonly content: string
  /** The content is only a part of the file. */
  readonly isPart?: boolean
}

/** A frame about to be rendered. */
export interface RenderData {
  readonly renderData: unknown
}

/** An agent process about to start, or ended. */
export interface LaunchData {
  readonly command: string
  readonly args: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /** How the process ended, after it did. */
  readonly exitCode?: number
}

/** A session that begins or ends. */
export interface SessionData {
  readonly reason?: string
}

/** A run of the agent's loop that starts or ends. */
export interface RunData {
  readonly prompt?: string
  readonly output?: string
  readonly stopReason?: string
}

/** A turn about to end. */
export interface TurnEndData {
  readonly output?: string
  readonly stopReason?: string
  /** How often a hook has continued this turn. */
  readonly continues?: number
}

/** A context about to be compacted, or compacted. */
export interface CompactData {
  readonly tokensBefore?: number
  readonly tokensAfter?: number
}

/** A configuration that changed. */
export interface ConfigChangeData {
  readonly files?: readonly string[]
  readonly [key: string]: unknown
}

/** Writes one row: the type of its data is given, the rest is inferred. */
const point =
  <Data extends object>() =>
  <const Field extends keyof Data & string, const Alias extends string, const Answer extends string = never>(
    spec: Omit<PointSpec<Data, Field, Answer, Alias>, 'data'>,
  ): PointSpec<Data, Field, Answer, Alias> =>
    spec

/** The built-in points. */
export const POINTS = {
  'pre:message': point<MessageData>()({
    when: 'Before a message is sent to the model',
    canAbort: true,
    modify: ['prompt'],
    fieldAliases: { input: 'prompt' },
    aliases: ['pre-message', 'user_prompt_submit', 'UserPromptSubmit', 'before_ingest'],
  }),
  'post:message': point<ResponseData>()({
    when: 'After the model answered',
    canAbort: false,
    modify: ['output'],
    aliases: ['post-message'],
  }),
  'pre:tool': point<ToolCallData>()({
    when: 'Before a tool runs',
    canAbort: true,
    modify: ['args'],
    answer: 'result',
    hasTool: true,
    aliases: ['pre_tool_use', 'PreToolUse', 'before_tool_apply'],
  }),
  'post:tool': point<ToolResultData>()({
    when: 'After a tool returned',
    canAbort: false,
    modify: ['result'],
    fieldAliases: { output: 'result' },
    hasTool: true,
    aliases: ['post_tool_use', 'PostToolUse', 'after_tool_apply'],
  }),
  'post:tool:failure': point<ToolFailureData>()({
    when: 'After a tool failed',
    canAbort: false,
    modify: [],
    hasTool: true,
    aliases: ['post_tool_use_failure', 'PostToolUseFailure'],
  }),
  'post:tool:batch': point<ToolBatchData>()({
    when: 'After the tool calls of one answer ran',
    canAbort: false,
    modify: [],
    aliases: ['after_tool_batch', 'PostToolBatch'],
  }),
  'post:ingest': point<IngestData>()({
    when: 'After a message became part of the context',
    canAbort: false,
    modify: ['prepend_input'],
    aliases: ['after_ingest'],
  }),
  'pre:model': point<ModelRequestData>()({
    when: 'Before each request to the model',
    canAbort: true,
    modify: ['model'],
    aliases: ['before_generate', 'PreModelRequest', 'BeforeModel'],
  }),
  'post:model': point<ModelResponseData>()({
    when: 'After each answer of the model',
    canAbort: false,
    modify: ['assistant'],
    aliases: ['after_generate', 'AfterModel'],
  }),
  'pre:permission': point<ToolCallData>()({
    when: 'Before a person or a reviewer of the agent is asked for permission',
    canAbort: true,
    modify: ['args'],
    hasTool: true,
    aliases: ['before_permission'],
  }),
  'post:permission': point<PermissionResultData>()({
    when: 'After a permission was granted or refused',
    canAbort: false,
    modify: [],
    hasTool: true,
    aliases: ['after_permission'],
  }),
  'pre:agent:spawn': point<SpawnData>()({
    when: 'Before an agent is created',
    canAbort: true,
    modify: ['config'],
    aliases: [],
  }),
  'post:agent:complete': point<AgentCompleteData>()({
    when: 'After an agent finished',
    canAbort: false,
    modify: [],
    aliases: [],
  }),
  'pre:session:phase': point<PhaseData>()({
    when: 'Before a session changes its phase',
    canAbort: true,
    modify: [],
    aliases: [],
  }),
  'post:session:phase': point<PhaseData>()({
    when: 'After a session changed its phase',
    canAbort: false,
    modify: [],
    aliases: [],
  }),
  'pre:git:write': point<FileWriteData>()({
    when: 'Before a file is written (shadow git)',
    canAbort: true,
    modify: ['content'],
    aliases: [],
  }),
  'post:git:write': point<FileWriteData>()({
    when: 'After a file was written',
    canAbort: false,
    modify: [],
    aliases: [],
  }),
  'pre:view:render': point<RenderData>()({
    when: 'Before a frame is rendered',
    canAbort: false,
    modify: ['renderData'],
    aliases: [],
  }),
  'pre:launch': point<LaunchData>()({
    when: 'Before an agent process is started',
    canAbort: true,
    modify: ['args', 'env'],
    aliases: ['pre-launch'],
  }),
  'post:launch': point<LaunchData>()({
    when: 'After an agent process ended',
    canAbort: false,
    modify: [],
    aliases: ['post-launch'],
  }),
  'session:start': point<SessionData>()({
    // Cannot abort on purpose: a cloned repository must not be able to refuse a session.
    when: 'When a session begins',
    canAbort: false,
    modify: [],
    aliases: ['session_start', 'SessionStart', 'after_session_enter'],
  }),
  'session:end': point<SessionData>()({
    when: 'When a session ends',
    canAbort: false,
    modify: [],
    aliases: ['session_end', 'SessionEnd'],
  }),
  'run:start': point<RunData>()({
    when: 'When a run of the agent loop starts',
    canAbort: false,
    modify: [],
    aliases: ['run_start', 'RunStart', 'after_turn_enter'],
  }),
  'run:end': point<RunData>()({
    when: 'When a run of the agent loop is complete',
    canAbort: false,
    modify: [],
    aliases: ['run_end', 'RunEnd'],
  }),
  'pre:turn:end': point<TurnEndData>()({
    when: 'Before a turn ends; a block makes the agent continue, with the reason as feedback',
    canAbort: true,
    blockMeans: 'continue',
    modify: [],
    aliases: ['before_turn_end'],
  }),
  'pre:compact': point<CompactData>()({
    when: 'Before the context is compacted; a block skips the compaction',
    canAbort: true,
    blockMeans: 'skip',
    modify: [],
    aliases: ['pre_compact', 'PreCompact', 'before_compact'],
  }),
  'post:compact': point<CompactData>()({
    when: 'After the context was compacted',
    canAbort: false,
    modify: [],
    aliases: ['post_compact', 'PostCompact', 'after_compact'],
  }),
  'config:change': point<ConfigChangeData>()({
    when: 'When the configuration changed',
    canAbort: false,
    modify: [],
    aliases: ['config_change', 'ConfigChange'],
  }),
} as const

/** The built-in points, as a type. */
export type BuiltInPoints = typeof POINTS

/** The name of a built-in point. */
export type PointName = keyof BuiltInPoints

/** The step data at a point. */
export type DataOf<Spec> = Spec extends PointSpec<infer Data, string, string, string> ? Data : never

type FieldOf<Spec> = Spec extends { readonly modify: readonly (infer Field)[] } ? Field & string : never

// Return types of callbacks get no excess-property check, so foreign fields are forbidden by name.
type EditableAnywhere = { [N in PointName]: FieldOf<BuiltInPoints[N]> }[PointName]

/** The edits a verdict may make at a point. */
export type EditOf<Spec> = { readonly [F in FieldOf<Spec> & keyof DataOf<Spec>]?: DataOf<Spec>[F] } & {
  readonly [F in Exclude<EditableAnywhere | keyof DataOf<Spec>, FieldOf<Spec>>]?: never
}

/** The field, if any, with which a verdict answers the action in its stead. */
export type AnswerOf<Spec> =
  Spec extends PointSpec<object, string, infer Answer, string> ? (string extends Answer ? never : Answer) : never
