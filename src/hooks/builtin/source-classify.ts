// Who a message comes from, so that later hooks can treat people and agents differently.
// From what is declared and configured only: a session's id says nothing about who speaks in it.

import * as z from 'zod'
import type { Step } from '../../engine/step.ts'
import { builtIn } from './built-in.ts'

/** Where a message comes from. */
export type Source = 'human' | 'agent' | 'system' | 'cron' | 'unknown'

/** The words by which hosts declare a source, as a whole or before a colon: `agent:reviewer`. */
const DECLARED = {
  human: ['human', 'user', 'person'],
  agent: ['agent', 'bot', 'assistant', 'subagent'],
  system: ['system'],
  cron: ['cron', 'schedule', 'scheduled', 'scheduler', 'timer', 'heartbeat'],
} as const satisfies Record<Exclude<Source, 'unknown'>, readonly string[]>

// Agents that go by the name of their tool. Whoever bears such a name and is no agent is declared human by the host.
const AGENT_NAMES = new Set(
  'claude claude-code codex gemini gemini-cli qwen copilot cline opencode cursor openclaw hermes'.split(' '),
)

// A marker stands at the head of a message; a pasted file is not searched to its end.
const MAX_READ = 4_000

const name = z.string().trim().min(1).max(200)
const options = z.strictObject({
  botAccountIds: z.array(name).max(1_000).default([]).describe('Senders that are agents, whatever else is declared.'),
  cronPatterns: z
    .array(name)
    .max(100)
    .default(['CRON_TRIGGER', 'heartbeat'])
    .describe('Words that mark a message as sent by a timer.'),
})

export const sourceClassify = builtIn<z.output<typeof options>>({
  name: 'source-classify',
  priority: 1,
  points: ['pre:message', 'pre:launch'],
  summary: 'Says where a message comes from: human, agent, system, cron or unknown.',
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

/** The source of a step, as the classifier left it or, where it does not run, as the host declared it. */
export function readSource(step: Step): Source {
  const found = step.metadata.messageSource
  return (typeof found === 'string' ? readDeclared(found) : undefined) ?? readDeclared(step.source) ?? 'unknown'
}

/** Who sent a message, as the host names them. */
export function readSender(step: Step): string | undefined {
  const { sender } = step.data as { readonly sender?: unknown }
  return typeof sender === 'string' && sender.trim() !== '' ? sender.trim() : undefined
}

// The configured account first: it is the word of whoever runs the supervisor, against what a message says of itself.
function classify(step: Step, bots: ReadonlySet<string>, marker: RegExp | undefined): readonly [Source, string] {
  const sender = readSender(step)
  if (sender !== undefined && bots.has(fold(sender))) return ['agent', 'the sender is a known bot account']
  const declared = readDeclared(step.source)
  if (declared !== undefined) return [declared, 'declared by the host']
  const bySender = readDeclared(sender)
  if (bySender !== undefined) return [bySender, 'declared by the sender']
  if (sender !== undefined && AGENT_NAMES.has(fold(sender))) return ['agent', 'the sender has the name of an agent']
  if (marker?.test(readPrompt(step).slice(0, MAX_READ)) === true) return ['cron', 'the message has the mark of a timer']
  if (readDeclared(step.host) === 'system') return ['system', 'the host is the system itself']
  // What comes through an agent's own prompt, with nobody else named, was typed there.
  const isTyped = step.host !== undefined && step.host !== '' && sender === undefined && step.point === 'pre:message'
  return isTyped ? ['human', `typed at the prompt of ${step.host}`] : ['unknown', 'nothing says who sent it']
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

// A word as part of a name (`heartbeat.ts`, `src/heartbeat`, `heartbeat-monitor`) is somebody speaking of that thing.
function wholeWords(words: readonly string[]): RegExp | undefined {
  if (words.length === 0) return undefined
  const any = words.map((word) => word.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')).join('|')
  return new RegExp(String.raw`(?<![\p{L}\p{N}_./\-])(?:${any})(?![\p{L}\p{N}_]|[./\-][\p{L}\p{N}_])`, 'iu')
}
