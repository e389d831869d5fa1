// Who a message comes from, so that later hooks can treat people and agents differently.
// Uses only declarations and configuration: the id of a session does not identify the sender.

import * as z from 'zod'
import type { Step } from '../../engine/step.ts'
import { AGENT_FACTS } from '../../hosts/facts/list.ts'
import { builtIn } from './built-in.ts'

/** The source of a message. */
export type Source = 'human' | 'agent' | 'system' | 'cron' | 'unknown'

/** The words with which hosts declare a source, alone or before a colon: `agent:reviewer`. */
const DECLARED = {
  human: ['human', 'user', 'person'],
  agent: ['agent', 'bot', 'assistant', 'subagent'],
  system: ['system'],
  cron: ['cron', 'schedule', 'scheduled', 'scheduler', 'timer', 'heartbeat'],
} as const satisfies Record<Exclude<Source, 'unknown'>, readonly string[]>

// Agents named after their tool. A human with such a name is declared human by the host.
const AGENT_NAMES: ReadonlySet<string> = new Set([
  ...AGENT_FACTS.flatMap(({ name, programs, aliases }) => [name, ...programs, ...aliases]),
  ...['openclaw', 'hermes'],
])

// A marker is at the start of a message; long messages are not searched to the end.
const MAX_READ = 4_000

const name = z.string().trim().min(1).max(200)
const options = z.strictObject({
  botAccountIds: z.array(name).max(1_000).default([]).describe('Senders that are agents, whatever the host declares.'),
  cronPatterns: z
    .array(name)
    .max(100)
    .default(['CRON_TRIGGER', 'heartbeat'])
    .describe('Words that mark a message as scheduled.'),
})

export const sourceClassify = builtIn<z.output<typeof options>>({
  name: 'source-classify',
  priority: 1,
  points: ['pre:message', 'pre:launch'],
  summary: 'Classifies the source of a message: human, agent, system, cron or unknown.',
  critical: true,
  options,
  create({ botAccountIds, cronPatterns }) {
    const bots = new Set(botAccountIds.map(fold))
    const marker = wholeWords(cronPatterns)
    return {
      check(step) {
        const [source, sourceReason] = classify(step, bots, marker)
        return { decision: 'pass', metadata: { source, messageSource: source, sourceReason } }
      },
    }
  },
})

/** The source of a step: from the classifier or, where it does not run, from the host. */
export function readSource(step: Step): Source {
  const found = step.metadata.messageSource
  const known = (typeof found === 'string' ? readDeclared(found) : undefined) ?? readDeclared(step.source)
  if (known !== undefined) return known
  return found === undefined && isTyped(step) ? 'human' : 'unknown'
}

/** The sender of a message, as the host names it. */
export function readSender(step: Step): string | undefined {
  const { sender } = step.data as { readonly sender?: unknown }
  return typeof sender === 'string' && sender.trim() !== '' ? sender.trim() : undefined
}

// The configured accounts come first: the operator's configuration outranks the claims of a message.
function classify(step: Step, bots: ReadonlySet<string>, marker: RegExp | undefined): readonly [Source, string] {
  const sender = readSender(step)
  if (sender !== undefined && bots.has(fold(sender))) return ['agent', 'the sender is a known bot account']
  const declared = readDeclared(step.source)
  if (declared !== undefined) return [declared, 'declared by the host']
  const bySender = readDeclared(sender)
  if (bySender !== undefined) return [bySender, 'declared by the sender']
  if (sender !== undefined && AGENT_NAMES.has(fold(sender))) return ['agent', 'the sender has the name of an agent']
  if (hasMarker(step, marker)) return ['cron', 'the message has a cron marker']
  if (readDeclared(step.host) === 'system') return ['system', 'the host is the system itself']
  return isTyped(step) ? ['human', `typed at the prompt of ${step.host}`] : ['unknown', 'the sender is not declared']
}

// A message at the prompt of an agent without a sender was typed there.
function isTyped(step: Step): boolean {
  const { host, point } = step
  const isAgent = host !== undefined && host !== '' && readDeclared(host) !== 'system'
  return isAgent && readSender(step) === undefined && point === 'pre:message'
}

// People write about heartbeats too: at a prompt only a marker at the start of the message counts.
function hasMarker(step: Step, marker: RegExp | undefined): boolean {
  const text = readPrompt(step).slice(0, MAX_READ)
  const found = marker?.exec(text)
  if (found === undefined || found === null) return false
  return !isTyped(step) || !/[\p{L}\p{N}]/u.test(text.slice(0, found.index))
}

function readDeclared(text: string | undefined): Source | undefined {
  if (text === undefined) return undefined
  const word = fold(text.split(/[:/]/, 1)[0] ?? '')
  const sources = Object.keys(DECLARED) as (keyof typeof DECLARED)[]
  return sources.find((source) => (DECLARED[source] as readonly string[]).includes(word))
}

function readPrompt(step: Step): string {
  const { prompt } = step.data as { readonly prompt?: unknown }
  return typeof prompt === 'string' ? prompt : ''
}

function fold(text: string): string {
  return text.trim().normalize('NFC').toLowerCase()
}

// A word as part of a name (`heartbeat.ts`, `src/heartbeat`, `heartbeat-monitor`) is no marker.
function wholeWords(words: readonly string[]): RegExp | undefined {
  if (words.length === 0) return undefined
  const any = words.map((word) => word.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')).join('|')
  return new RegExp(String.raw`(?<![\p{L}\p{N}_./\-])(?:${any})(?![\p{L}\p{N}_]|[./\-][\p{L}\p{N}_])`, 'iu')
}
