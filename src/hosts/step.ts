// From what a payload says, in ARC's words, to a step. Each host's payload.ts finds the words; the rest is the same.

import { describe } from '../engine/errors.ts'
import { isRecord } from '../engine/plain-data.ts'
import type { PointName, ToolArgs } from '../engine/points.ts'
import { toolClass } from '../engine/tools.ts'
import { defined, type Fields, parsePayload } from './fields.ts'
import type { HostEvent, HostEvents, HostName, HostStep, Unreadable } from './host.ts'
import { normaliseArgs, readArgs } from './tool-args.ts'

/** What a payload says. All of it may be missing. */
export interface ParsedPayload {
  readonly event: string
  readonly session?: string | undefined
  readonly turn?: string | undefined
  readonly agent?: string | undefined
  readonly workspace?: string | undefined
  readonly tool?: string | undefined
  readonly args?: unknown
  readonly callId?: string | undefined
  readonly result?: unknown
  readonly error?: unknown
  /** The tool calls of one answer, after they ran. */
  readonly calls?: unknown
  readonly prompt?: unknown
  /** The agent that sent the prompt, and to whom. */
  readonly sender?: string | undefined
  readonly recipient?: string | undefined
  /** What wrote the prompt, if the payload says so: `agent`, `system`, `cron`. */
  readonly source?: string | undefined
  /** What the agent said last. */
  readonly output?: string | undefined
  readonly reason?: string | undefined
  /** A hook has already continued this turn. */
  readonly isContinued?: boolean | undefined
  /** Facts for the hooks, beside the data. */
  readonly facts?: Fields | undefined
  readonly canPrompt?: boolean | undefined
  readonly isBorrowed?: boolean | undefined
  /** The row to use instead of the row of the event's name. */
  readonly spec?: HostEvent | undefined
}

/** How one host's payloads are read. */
export interface PayloadReader {
  readonly host: HostName
  readonly events: HostEvents
  readonly unknownEvent: HostEvent
  /** Finds the words. What it throws makes the payload unreadable. */
  tell(fields: Fields, event: string | undefined): ParsedPayload
}

/** Reads a payload to a step. Never throws, whatever came. */
export function readStep(
  reader: PayloadReader,
  event: string | undefined,
  payload: string | Fields,
): HostStep | Unreadable {
  const fields = parsePayload(payload)
  if (typeof fields === 'string') return unreadable(reader, { event: event ?? '' }, fields)
  let told: ParsedPayload = { event: event ?? '' }
  try {
    told = reader.tell(fields, event)
    return buildStep(reader, told)
  } catch (error) {
    return unreadable(reader, told, error instanceof Missing ? error.message : describe(error))
  }
}

class Missing extends Error {}

function buildStep(reader: PayloadReader, told: ParsedPayload): HostStep | Unreadable {
  const known = told.spec ?? findRow(reader.events, told.event)
  const spec = known ?? guessRow(reader.unknownEvent, told)
  const hostArgs = told.tool === undefined ? undefined : readArgs(told.args)
  return {
    host: reader.host,
    event: told.event,
    spec,
    point: spec.point,
    data: dataAt(spec.point, told),
    context: buildContext(reader.host, addTurnEndFacts(told, spec), known === undefined),
    callId: told.callId,
    isUnknown: known === undefined,
    canPrompt: told.canPrompt ?? true,
    hostArgs,
    isBorrowed: told.isBorrowed,
  }
}

// An answer must be possible even to what cannot be read: as if it were about to do something that can be stopped.
function unreadable(reader: PayloadReader, told: ParsedPayload, why: string): Unreadable {
  const known = told.spec ?? findRow(reader.events, told.event)
  const spec = known ?? reader.unknownEvent
  const step: HostStep = {
    host: reader.host,
    event: told.event,
    spec,
    point: spec.point,
    data: {},
    context: buildContext(reader.host, told, known === undefined),
    isUnknown: known === undefined,
    canPrompt: told.canPrompt ?? true,
    isBorrowed: told.isBorrowed,
  }
  return { unreadable: `${reader.host} ${told.event || 'hook'}: ${why}`, step }
}

// By its own name only: an event called `constructor` is unknown.
function findRow(events: HostEvents, name: string): HostEvent | undefined {
  return Object.hasOwn(events, name) ? events[name] : undefined
}

// A new event that carries a tool call without a result is taken for one that could still be stopped.
function guessRow(unknown: HostEvent, told: ParsedPayload): HostEvent {
  if (told.tool === undefined) return unknown
  return { ...unknown, point: told.result === undefined && told.error === undefined ? 'pre:tool' : 'post:tool' }
}

function buildContext(host: HostName, told: ParsedPayload, isUnknown: boolean): HostStep['context'] {
  const { session, turn, agent, workspace } = told
  const source = agent === undefined ? told.source : 'agent'
  const facts = defined({ hostEvent: told.event, unknownEvent: isUnknown ? true : undefined, ...told.facts })
  return { session, turn, agent, source, workspace, host, metadata: facts }
}

// A hook that wants the turn to continue needs to know whether the host can.
function addTurnEndFacts(told: ParsedPayload, { point, block }: HostEvent): ParsedPayload {
  if (point !== 'pre:turn:end') return told
  return { ...told, facts: { ...told.facts, canContinue: block !== 'none' } }
}

type DataMaker = (told: ParsedPayload) => Fields

const DATA: Partial<Record<PointName, DataMaker>> = {
  'pre:message': ({ prompt, sender, recipient }) => ({ prompt: needText(prompt, 'the prompt'), sender, recipient }),
  'post:message': ({ output }) => ({ output: output ?? '' }),
  'pre:tool': buildCall,
  'post:tool': (told) => ({ ...buildCall(told), result: told.result ?? null }),
  'post:tool:failure': (told) => ({ ...buildCall(told), error: errorText(told.error) }),
  'post:tool:batch': ({ calls }) => ({ calls: Array.isArray(calls) ? calls : undefined }),
  'pre:model': ({ facts }) => ({ model: facts?.model }),
  'post:model': ({ output, facts }) => ({ assistant: output, model: facts?.model }),
  'pre:agent:spawn': ({ agent, facts }) => ({ agent, config: defined({ type: facts?.agentType, task: facts?.task }) }),
  'post:agent:complete': ({ agent, output }) => ({ agent: agent ?? 'unknown', output }),
  'pre:session:phase': ({ event }) => ({ to: event }),
  'post:session:phase': ({ event }) => ({ to: event }),
  'session:start': ({ reason }) => ({ reason }),
  'session:end': ({ reason }) => ({ reason }),
  'run:start': ({ prompt }) => ({ prompt }),
  'run:end': ({ output, reason }) => ({ output, stopReason: reason }),
  'pre:turn:end': ({ output, reason, isContinued }) => ({ output, stopReason: reason, continues: isContinued ? 1 : 0 }),
}

function dataAt(point: PointName, told: ParsedPayload): Fields {
  return defined(DATA[point]?.(told) ?? {})
}

function buildCall({ tool, args, callId }: ParsedPayload): Fields {
  const name = needText(tool, "the tool's name")
  return { tool: name, args: normaliseArgs(name, readToolArgs(name, args)), callId }
}

// A shell call whose arguments are missing is not one without arguments: what it would run cannot be read.
function readToolArgs(tool: string, args: unknown): ToolArgs {
  const isMissing = args === undefined || args === null
  return isMissing && toolClass(tool) === 'shell' ? { command: null } : readArgs(args)
}

function needText(value: unknown, what: string): string {
  if (typeof value === 'string') return value
  throw new Missing(`${what} is missing or is not a text`)
}

function errorText(error: unknown): string {
  if (typeof error === 'string') return error
  if (isRecord(error) && typeof error.message === 'string') return error.message
  return error === undefined ? 'failed' : JSON.stringify(error)
}
