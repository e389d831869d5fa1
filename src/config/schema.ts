// The keys of profiles and project layers: one zod schema for types, validation and the published JSON Schema. layers.ts
// maps the keys of the files to those of `Config`.

import * as z from 'zod'
import { ON_ERROR, type OnError } from '../engine/degradation.ts'
import { ArcError, didYouMean, show } from '../engine/errors.ts'
import { compileMatch } from '../engine/matcher.ts'
import { MODES, type Mode } from '../engine/mode.ts'
import { BUILT_IN_POINTS } from '../engine/point-names.ts'
import { BUILT_IN_HOOKS } from './built-in-hooks.ts'
import { EXCEPTION_KEYS, exceptionSchema } from './exception-schema.ts'

const DAY_MS = 86_400_000

const mode = z
  .enum([...(Object.keys(MODES) as [Mode, ...Mode[]]), 'warn'])
  .transform((given): Mode => (given === 'warn' ? 'advise' : given))
const onError = z.enum(ON_ERROR as [OnError, ...OnError[]])
const limitMs = z.number().positive().max(DAY_MS)
const word = z.string().trim().min(1)

const hookSettings = z
  .strictObject({
    enabled: z.boolean().optional().describe('Whether the hook runs; default true.'),
    timeout: limitMs.optional().describe('The time limit of the hook, in milliseconds.'),
    mode: mode.optional().describe('The maximum mode of this hook.'),
    onError: onError.optional().describe('What a failure of this hook means.'),
    options: z.record(z.string(), z.unknown()).optional().describe("The hook's own settings."),
  })
  .describe('Settings of one hook, by its name.')

const riskSettings = hookSettings
  .extend({
    messages: z
      .enum(['rate', 'hold'])
      .optional()
      .describe(
        'Messages of people: "rate" rates and records them, "hold" also holds and blocks them; default "rate".',
      ),
  })
  .describe(
    'The settings of every hook, and `messages`: whether messages of people are only rated (`rate`) or also held.',
  )

const hooks = z
  .object({
    errorBehavior: onError.optional().describe('What a failure of a hook means by default; "log".'),
    timeout: limitMs.optional().describe('The default time limit of a hook, in milliseconds; 5000.'),
    maxHooksPerPoint: z.int().min(1).max(10_000).optional().describe('The most hooks per point; 50.'),
    'risk-detection': riskSettings.optional(),
  })
  .catchall(hookSettings)

const SPELLINGS = [...BUILT_IN_POINTS.points].flatMap(([name, { aliases }]) => [name, ...aliases])

// The whole row in one step, because the tool may be in the event (`pre:tool:shell`) or in the matcher.
const command = z
  .strictObject({
    name: word.optional().describe('The name of the hook, for enabling, disabling and tracing.'),
    event: z
      .string()
      .describe('The point, in any spelling: pre_tool_use, PreToolUse, pre:tool, pre:tool:shell.')
      .meta({ anyOf: [{ enum: SPELLINGS }, { pattern: '^[^:]+:.+$' }] }),
    matcher: word.optional().describe('Only for this tool or class of tools: bash, shell, write, mcp__*.'),
    command: z
      .union([word, z.array(z.string()).min(1)])
      .describe('A line for sh, or a list of program and arguments. {tool_name} {session_id} {workspace} {tool_input}'),
    timeout_secs: z.number().positive().max(86_400).default(10).describe('The time limit, in seconds.'),
    blocking: z.boolean().default(false).describe('Every exit code but 0 blocks.'),
    priority: z.number().optional().describe('Lower runs earlier; default 100.'),
    onError: onError.optional().describe('What a failure means; the default of the profile when absent.'),
    critical: z.boolean().default(false).describe('Never lowered by the breaker.'),
  })
  .transform(({ event, matcher, timeout_secs, ...rest }, context) => {
    const resolved = readEvent(event, matcher)
    if ('problem' in resolved) {
      context.issues.push({ code: 'custom', message: resolved.problem, path: [resolved.key], input: event })
      return z.NEVER
    }
    return { ...rest, ...resolved, timeoutMs: timeout_secs * 1_000 }
  })

/** A command hook of a file, with its point resolved. */
export type CommandSetting = z.output<typeof command>

const keep = z.strictObject({
  days: z
    .number()
    .min(1)
    .max(36_500)
    .nullable()
    .optional()
    .describe('Not older than this many days; 90. null: no limit.'),
  bytes: z
    .int()
    .min(1_000_000)
    .nullable()
    .optional()
    .describe('The size of the database, without free pages; 2000000000. null: no limit.'),
})

// A call that waits longer would count as abandoned.
const waitMs = z.int().min(0).max(60_000)

const approvals = z.strictObject({
  lifetimeMs: z
    .int()
    .min(1_000)
    .max(DAY_MS)
    .optional()
    .describe('How long a held step can be approved, and an approval used, in milliseconds; 600000.'),
  waitMs: waitMs
    .optional()
    .describe('How long a call waits for an answer if the agent has no prompt, in milliseconds; 55000.'),
  unattendedWaitMs: waitMs
    .optional()
    .describe('The same for headless agents and modes that bypass permissions, in milliseconds; 10000.'),
})

const webhook = z.strictObject({
  url: z
    .string()
    .regex(/^https?:\/\/[^/]/, 'expected https://…')
    .describe('An address that takes POST with JSON.'),
  secret: z.string().min(16).optional().describe('Signs each message: HMAC-SHA256 in the header x-arc-signature.'),
})

const settings = {
  $schema: z.string().optional().describe('The URL of this schema, for editors.'),
  extends: z
    .union([word, z.array(word)])
    .optional()
    .describe('Profiles by name, or files by path, that this file extends.'),
  enforcement: mode.optional().describe('off, log, advise (or warn), enforce; default "log".'),
  hooks: hooks.optional(),
  commands: z.array(command).optional().describe('Command hooks.'),
  breaker: z
    .strictObject({
      failureThreshold: z.int().min(1).optional().describe('Failures in a row that open the breaker; 3.'),
      cooldownMs: z
        .number()
        .positive()
        .max(DAY_MS)
        .optional()
        .describe('The time until the breaker is half-open, in milliseconds; 60000.'),
    })
    .optional(),
  risk: z.strictObject({ floor: z.boolean().optional().describe('Tier 5 blocks in every mode but off.') }).optional(),
  scripts: z.array(word).optional().describe('.arma scripts, by path relative to this file.'),
  daemon: z
    .strictObject({
      onDemand: z.boolean().optional().describe('A hook that finds no daemon starts one in the background; true.'),
      idleMs: limitMs
        .optional()
        .describe('How long that daemon runs without a call or an open page, in milliseconds; 1800000.'),
    })
    .optional(),
  approvals: approvals.optional().describe('The time limits of approvals.'),
  notify: z
    .array(z.union([z.enum(['desktop', 'bell']), webhook]))
    .max(10)
    .optional()
    .describe('How you are notified of a held step: "desktop", "bell" (of the terminal of the agent), {url, secret}.'),
  onUnrecorded: z
    .enum(['allow', 'deny'])
    .optional()
    .describe('Whether a step that can be stopped runs while it cannot be recorded; "deny" in enforce, else "allow".'),
  exceptions: z
    .array(exceptionSchema)
    .max(1_000)
    .optional()
    .describe('What may run although a rule would hold or block it; written by "arc allow". Only in your own files.'),
  permissions: z
    .array(z.string().regex(/^[^\s,]+$/, 'expected a name without blanks and commas'))
    .max(1_000)
    .optional()
    .describe(
      'What "/perms check" of .arma scripts grants, such as shellExec, fileWrite, network. A project can only remove names.',
    ),
  trace: z
    .strictObject({
      anchors: z
        .array(z.string().regex(/^(?:file:(?:\/\/)?\/|https?:\/\/)/, 'expected file:/path or https://…'))
        .max(10)
        .optional()
        .describe('Where the daemon also notes the end of the record: file:/path, or an address that takes POST.'),
      keep: keep.optional().describe('What the daemon keeps of the trace: it removes the oldest records.'),
      archive: z
        .string()
        .startsWith('/', 'expected an absolute path')
        .optional()
        .describe('A folder for what is removed, as compressed exports. If one cannot be written, nothing is removed.'),
    })
    .optional(),
}

const named = {
  name: word.optional().describe('For people; the name of the file counts.'),
  tool: word.optional().describe('The agent that the profile launches.'),
  headless: z
    .union([word, z.array(z.string()).min(1)])
    .optional()
    .describe('What answers one prompt, from stdin to stdout, at a roundtable; known for most agents.'),
}

/** The three kinds of file. */
export const SCHEMAS = {
  config: z.strictObject({ ...settings, profile: word.optional().describe('The profile in use.') }),
  profile: z.strictObject({ ...settings, ...named }),
  project: z.strictObject({ ...settings, ...named }),
} as const

/** A kind of configuration file. */
export type FileKind = keyof typeof SCHEMAS

/** What a file may hold, whatever its kind. */
export type Settings = z.output<typeof SCHEMAS.profile> & { readonly profile?: string | undefined }

/** The JSON Schema of a kind of file, for `$schema` in editors. */
export function toJsonSchema(kind: FileKind = 'profile'): Record<string, unknown> {
  return { ...z.toJSONSchema(SCHEMAS[kind], { io: 'input' }), title: `ARC ${kind}` }
}

/** The names that a key may have at a place in a file: for suggestions. */
export function knownKeys(kind: FileKind, path: readonly PropertyKey[]): readonly string[] {
  const [first, second] = path
  if (first === undefined) return Object.keys(SCHEMAS[kind].shape)
  if (first === 'exceptions') return EXCEPTION_KEYS
  if (first === 'commands') return Object.keys(command.in.shape)
  if (first === 'breaker') return Object.keys(settings.breaker.unwrap().shape)
  if (first === 'risk') return Object.keys(settings.risk.unwrap().shape)
  if (first === 'approvals') return Object.keys(approvals.shape)
  if (first === 'notify') return Object.keys(webhook.shape)
  if (first === 'daemon') return Object.keys(settings.daemon.unwrap().shape)
  if (first === 'trace') return Object.keys(second === 'keep' ? keep.shape : settings.trace.unwrap().shape)
  if (first !== 'hooks') return []
  if (second === undefined) return [...new Set([...Object.keys(hooks.shape), ...Object.keys(BUILT_IN_HOOKS)])]
  return Object.keys(second === 'risk-detection' ? riskSettings.shape : hookSettings.shape)
}

type Event = { point: string; tool: string | undefined } | { problem: string; key: 'event' | 'matcher' }

function readEvent(event: string, matcher: string | undefined): Event {
  try {
    const { name, spec, tool } = BUILT_IN_POINTS.resolve(event)
    if (tool !== undefined && matcher !== undefined) {
      return { key: 'matcher', problem: `expected no matcher, because the event names the tool ${show(tool)} already.` }
    }
    if (matcher !== undefined && spec.hasTool !== true) {
      return { key: 'matcher', problem: `expected no matcher, because ${name} has no tool to match.` }
    }
    const wanted = tool ?? matcher
    return checkTool(wanted, tool === undefined ? 'matcher' : 'event') ?? { point: name, tool: wanted }
  } catch (error) {
    if (!(error instanceof ArcError)) throw error
    return { key: 'event', problem: `expected a point, not ${show(event)}.${didYouMean(event, SPELLINGS)}` }
  }
}

// A pattern that could never match is an error here, at its place in the file, and not a hook that never runs.
function checkTool(tool: string | undefined, key: 'event' | 'matcher'): Event | undefined {
  if (tool === undefined) return undefined
  try {
    compileMatch({ tool }, () => {
      throw new ArcError('ARC_PATTERN_INVALID', 'A matcher cannot contain a regular expression.')
    })
    return undefined
  } catch (error) {
    if (!(error instanceof ArcError)) throw error
    return { key, problem: `expected a tool, a class of tools or a glob, not ${show(tool)}: ${error.message}` }
  }
}
