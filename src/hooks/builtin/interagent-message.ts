// Who says something to whom between agents: derived from the step, whatever its host calls it.

import { hasNamedRecipient, isForPeople, isMessageTool, readToolMessage } from '../../engine/message-tools.ts'
import { isRecord } from '../../engine/plain-data.ts'
import type { Step } from '../../engine/step.ts'
import { toolClass } from '../../engine/tools.ts'
import { HOST_NAMES } from '../../hosts/facts/list.ts'
import { readSender, readSource } from './source-classify.ts'

/** Something that an agent says to an agent. */
export interface InteragentMessage {
  /** A task for a subagent and its report belong to each other: a request and its answer, no conversation. */
  readonly kind: 'message' | 'task' | 'report'
  readonly from: string
  readonly to: readonly string[]
  readonly text: string
  /** Addressed to recipients by name, which counts as a mention. */
  readonly isNamed: boolean
  /** The answer to a request of the recipient. */
  readonly isReply: boolean
}

/** The message between agents in a step; undefined if it has none. */
export function readInteragentMessage(step: Step): InteragentMessage | undefined {
  if (step.point === 'post:agent:complete') return readReport(step)
  if (step.point === 'pre:agent:spawn') return readTask(step)
  if (step.point === 'pre:tool') return readSentMessage(step)
  return readSource(step) === 'agent' ? readReceivedMessage(step) : undefined
}

const OTHER = { isNamed: false, isReply: false } as const

function readTask(step: Step): InteragentMessage {
  const { agent, config } = step.data as { readonly agent?: unknown; readonly config?: unknown }
  const { prompt } = (isRecord(config) ? config : {}) as { readonly prompt?: unknown }
  const to = typeof agent === 'string' ? [agent] : []
  return { ...OTHER, kind: 'task', from: nameParent(step), to, text: typeof prompt === 'string' ? prompt : '' }
}

function readReport(step: Step): InteragentMessage {
  const { agent, output } = step.data as { readonly agent?: unknown; readonly output?: unknown }
  const from = typeof agent === 'string' ? agent : 'subagent'
  return { ...OTHER, kind: 'report', from, to: [nameParent(step)], text: typeof output === 'string' ? output : '' }
}

function readSentMessage(step: Step): InteragentMessage | undefined {
  const { tool, args } = step.data as { readonly tool: string; readonly args: unknown }
  const from = step.agent ?? nameParent(step)
  const { recipients: to, text, isReply, namesAgent } = readToolMessage(tool, args)
  const isMessage = toolClass(tool) === 'message' || isMessageTool(tool)
  // A tool of a server or of another program may send to people: a mail, a message in a channel.
  const isToAgent = namesAgent || (isHost(step.host) && toolClass(tool) !== 'mcp')
  if (!isMessage || !isToAgent || isForPeople(to)) return undefined
  return { kind: 'message', from, to, text, isNamed: hasNamedRecipient(to), isReply }
}

function readReceivedMessage(step: Step): InteragentMessage {
  const { prompt, recipient } = step.data as { readonly prompt?: unknown; readonly recipient?: unknown }
  const text = typeof prompt === 'string' ? prompt : ''
  const to = typeof recipient === 'string' && recipient !== '' ? [recipient] : []
  const sender = readSender(step)
  // A prompt in the session of a subagent is its task.
  const isTask = sender === undefined && step.agent !== undefined && isHost(step.host)
  if (isTask) return { ...OTHER, kind: 'task', from: nameParent(step), to: [step.agent], text }
  const from = sender ?? step.agent ?? 'unknown'
  return { kind: 'message', from, to, text, isNamed: hasNamedRecipient(to), isReply: false }
}

function nameParent({ host }: Step): string {
  return host ?? 'agent'
}

function isHost(host: string | undefined): boolean {
  return (HOST_NAMES as readonly (string | undefined)[]).includes(host)
}
