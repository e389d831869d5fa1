// What an adapter between a coding agent and ARC is: events as data, payload → step, outcome → reply, and how it is
// installed. Everything here is pure; only install/apply.ts touches files.

import type { Outcome } from '../engine/outcome.ts'
import type { PermissionRole, PersonsYes } from '../engine/permission.ts'
import type { PointName, ToolArgs } from '../engine/points.ts'
import type { StepContext } from '../engine/step.ts'
import type { Check, HostFacts } from './check.ts'
import type { HostName } from './facts/list.ts'
import type { Fields } from './fields.ts'
import type { Env, HostInstall, InstallFile, InstallTarget } from './install/install-file.ts'

export { HOST_NAMES, type HostName } from './facts/list.ts'
export type { Env } from './install/install-file.ts'

/**
 * How a host takes a block at an event: a permission, a decision or a behaviour in its JSON, the exit code alone, a
 * cancelled task, an exception in its plugin, or not at all.
 */
export type BlockForm = 'permission' | 'decision' | 'behavior' | 'exit' | 'cancel' | 'throw' | 'none'

/** What becomes of `ask`: the host's own prompt, a prompt that the host shows anyway, or a denial with instructions. */
export type AskForm = 'prompt' | 'prompting' | 'deny'

/** A field of the step's data whose edit a host may carry out. */
export type EditField = 'args' | 'result' | 'prompt' | 'output'

/** One row of a host's table of events. */
export interface HostEvent {
  readonly point: PointName
  /** How a block is honoured here. */
  readonly block: BlockForm
  readonly ask: AskForm
  /** The edits that the host carries out. */
  readonly edits: readonly EditField[]
  /** Changed arguments are merged over those of the call. */
  readonly isMerged: boolean
  /** At a turn's end: does the payload have the agent's answer? `maybe`: its documents say so, its releases do not send it. */
  readonly hasAnswer: boolean | 'maybe'
  /** The event is a part of an action that ends at this point: hooks that see an action once see it there. */
  readonly partOf?: PointName | undefined
  /** Does text for the agent's context reach it? */
  readonly context: boolean
  /** Is there a way to tell the user something? */
  readonly notice: boolean
  /** Is it registered by `arc install`? */
  readonly isInstalled: boolean
  /** Registered only if a hook at its point is configured: the host sends it with each request to the model. */
  readonly isOnDemand?: boolean | undefined
  /** How long the host waits for the hook as `arc install` registers it. */
  readonly limitMs: number
  /** What the event means for the own permissions of the host; default: nothing. */
  readonly permission?: PermissionRole | undefined
  /** Does text reach the reviewer of the host, a second model that reviews its calls? */
  readonly reviewer?: boolean | undefined
}

/** A host's events by its own names for them. */
export type HostEvents = Readonly<Record<string, HostEvent>>

/** A payload as a step, with what the reply needs to know of it. */
export interface HostStep {
  /** The program that really called, which need not be the one named on the command line. */
  readonly host: HostName
  /** The host's own name of the event. */
  readonly event: string
  readonly spec: HostEvent
  readonly point: PointName
  readonly data: Readonly<Record<string, unknown>>
  readonly context: StepContext
  /** The host's own id of the tool call, which its pre and post events share. */
  readonly callId?: string | undefined
  /** The event is in no table: traced as such, and never a way past a block. */
  readonly isUnknown: boolean
  /** False where the host would answer its own prompt: no person is asked. */
  readonly canPrompt: boolean
  /** The tool's arguments as the host gave them. */
  readonly hostArgs?: ToolArgs | undefined
  /** Copilot: it runs hooks of Claude's files in Claude's dialect. */
  readonly isBorrowed?: boolean | undefined
}

/** A payload that is no step: not JSON, not an object, or a tool call without a tool. */
export interface Unreadable {
  readonly unreadable: string
  /** Enough of a step to answer with. */
  readonly step: HostStep
}

/** What `arc hook` knows beside the outcome. */
export interface ReplyFacts {
  /** The id under which the step is in the trace. */
  readonly traceId?: string | undefined
  /** The id under which a held step waits for a person. */
  readonly approvalId?: string | undefined
  /** Lines that must be seen, such as an open breaker. */
  readonly notes?: readonly string[] | undefined
  /** After a tool ran: the outcome before it, whose advice the agent could not get then. */
  readonly before?: Pick<Outcome, 'metadata'> | undefined
  /** The answer of a person for exactly this step: without one the reply never lets the host skip its own question. */
  readonly yes?: PersonsYes | undefined
  /** What ARC knows about the call, for the reviewer of the host. */
  readonly reviewed?: string | undefined
}

/** Exactly what the hook process gives back to its host. */
export interface HostReply {
  readonly stdout: string
  readonly stderr: string
  readonly exitCode: number
  /** Parts of the outcome that this host cannot carry out here, for the trace. */
  readonly unsupported: readonly string[]
}

/** An adapter. */
export interface Host {
  readonly name: HostName
  /** For people. */
  readonly title: string
  /** The release that the table was checked against; undefined where it rests on documents. */
  readonly verifiedWith?: string | undefined
  readonly events: HostEvents
  /** What holds for an event that is in no table. */
  readonly unknownEvent: HostEvent
  /** Reads the payload that the host sent on stdin: its text, or its parsed fields. Never throws. */
  readPayload(
    event: string | undefined,
    payload: string | Readonly<Record<string, unknown>>,
    env: Env,
  ): HostStep | Unreadable
  /** The reply that makes the host do what the outcome says. */
  reply(step: HostStep, outcome: Outcome, facts: ReplyFacts): HostReply
  readonly install: HostInstall
  /** The program of the agent, which prints its version with `--version`; undefined for a desktop application. */
  readonly program?: string | undefined
  /** The arguments with which the program answers one prompt from stdin and exits. They grant no extra permissions. */
  readonly headless?: readonly string[] | undefined
  /** A test call as this host would send it. */
  canary(call: CanaryCall): Canary
  /** How the host blocks a call when its hook fails; undefined where it cannot. */
  readonly failClosed?: string | undefined
  /** Its events tell the mode of the session, such as planning. */
  readonly tellsMode?: boolean | undefined
  /** The command line of the hook names the event, because the payload does not. */
  readonly isEventInLine?: boolean | undefined
  /** For agents that also run the hooks of Claude's files: whether a payload that came there is from this agent. */
  isSender?(fields: Fields): boolean
  /** The system-wide settings at this path, for `arc setup --managed`. Users cannot switch its hooks off. */
  systemFile?(path: string): InstallFile
  /** Further checks of `arc doctor`. */
  readonly checks?: HostChecks | undefined
  /** How the agent is supervised for a single run; undefined where only `arc install` works. */
  launch?(input: LaunchInput): LaunchPlan
}

/** Checks that only one host needs. */
interface HostChecks {
  /** Files beside those of the installation. */
  paths?(target: InstallTarget): readonly string[]
  run(host: Host, facts: HostFacts): readonly Check[]
}

/** The values of a test call. */
export interface CanaryCall {
  readonly session: string
  readonly dir: string
  readonly command: string
}

/** The payload of a test call, and the event where the payload does not name it. */
export interface Canary {
  readonly event?: string
  readonly payload: object
}

/** The surroundings of a single supervised run. */
export interface LaunchInput {
  readonly host: Host
  /** The program that the agent calls as its hook. */
  readonly launcher: string
  /** A temporary folder for files of this run. */
  readonly folder: string
  readonly cwd: string
  readonly env: Env
  /** Should a failing hook block the call? */
  readonly failClosed?: boolean | undefined
  /** The events to register that are registered on demand. */
  readonly onDemand?: readonly string[] | undefined
  /** Reads a file; undefined if it does not exist. */
  readText(path: string): string | undefined
}

/** The arguments, variables and files that supervise a single run. */
export interface LaunchPlan {
  /** Arguments before the user's own. */
  readonly args?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  readonly files?: readonly LaunchFile[]
  /** A note for the user. */
  readonly note?: string
  /** A file that the agent only reads if root owns it and its folders. */
  readonly rootOwnedFile?: string
  /** Why the run cannot be supervised. */
  readonly refusal?: string
}

/** A file of a single run. */
export interface LaunchFile {
  readonly path: string
  readonly text: string
  readonly mode?: number | undefined
}

const SECOND = 1_000

/** A row of a table of events: what is not said is not honoured. */
export function event(point: PointName, honoured: Partial<Omit<HostEvent, 'point'>> = {}): HostEvent {
  return {
    point,
    block: 'none',
    ask: 'deny',
    edits: [],
    isMerged: false,
    hasAnswer: false,
    context: false,
    notice: false,
    isInstalled: false,
    limitMs: 60 * SECOND,
    ...honoured,
  }
}

/** Is this payload one that could not be read? */
export function isUnreadable(read: HostStep | Unreadable): read is Unreadable {
  return 'unreadable' in read
}
