// Tools with which an agent sends a message: the words of their names, and the arguments with recipient and text.

import { isRecord } from './plain-data.ts'

/** A message that a tool call would send. */
export interface ToolMessage {
  /** As the arguments name them; none for a message without a recipient. */
  readonly recipients: readonly string[]
  readonly text: string
  /** The message answers a request of its recipient. */
  readonly isReply: boolean
  /** The names of the tool or its arguments say that the recipient is an agent. */
  readonly namesAgent: boolean
}

const SENDING = words('send post reply broadcast push deliver forward')
const SPEAKING = words('send reply message notify tell ask')
const READING = words('get list read search fetch find wait poll receive check delete edit update')
const MESSAGES = words('message messages msg dm input')
const AGENTS = /^(?:sub|co)?(?:agents?|teammates?|peers?|bots?)$/
const PEOPLE = /^(?:users?|humans?|persons?|people|owner|operator)$/

/** Does a tool send messages, by its name? `SendMessage`, `send_input`, `mcp__mail__post_message`, `ask_agent`. */
export function isMessageTool(tool: string): boolean {
  // The last part of a server's tool is its own name.
  const own = splitWords(tool.slice(tool.lastIndexOf('__') + 1))
  const has = (known: ReadonlySet<string>): boolean => own.some((word) => known.has(word))
  if (has(READING) || own.some((word) => PEOPLE.test(word))) return false
  if (own.includes('broadcast') || (has(SPEAKING) && own.some((word) => AGENTS.test(word)))) return true
  return own.length > 1 && has(SENDING) && has(MESSAGES)
}

/** The message of a call of such a tool. */
export function readToolMessage(tool: string, args: unknown): ToolMessage {
  const given = isRecord(args) ? args : {}
  const keys = Object.keys(given)
  const namesAgent = [tool, ...keys].some((name) => splitWords(name).some((word) => AGENTS.test(word)))
  return {
    recipients: keys.filter(isRecipientKey).flatMap((key) => readNames(given[key])),
    text: keys
      .filter(isTextKey)
      .flatMap((key) => readTexts(given[key]))
      .join('\n'),
    isReply: keys.some((key) => isReplyKey(key) && given[key] !== undefined && given[key] !== ''),
    namesAgent,
  }
}

// To all at once, so to none by name.
const ALL = /^(?:\*|all|everyone|everybody|broadcast|team|any|@?(?:channel|here|all|everyone))$/i

/** Is a message addressed to recipients by name? */
export function hasNamedRecipient(recipients: readonly string[]): boolean {
  return recipients.length > 0 && !recipients.some((name) => ALL.test(name.trim()))
}

/** Is a message for people only? */
export function isForPeople(recipients: readonly string[]): boolean {
  return recipients.length > 0 && recipients.every((name) => PEOPLE.test(name.trim().toLowerCase()))
}

function isRecipientKey(key: string): boolean {
  const words = splitWords(key)
  const isSender = words.some((word) => ['from', 'sender', 'source', 'own', 'my'].includes(word))
  if (isSender) return false
  const isName = words.some((word) => ['to', 'recipient', 'recipients', 'target', 'targets', 'receiver'].includes(word))
  return isName || words.some((word) => AGENTS.test(word)) || ADDRESSES.has(words.join('_'))
}

const ADDRESSES = new Set([
  'id',
  'name',
  'channel',
  'channel_id',
  'chat',
  'chat_id',
  'room',
  'thread_id',
  'user',
  'email',
])

function isTextKey(key: string): boolean {
  return /^(?:message|content|text|body|prompt|input|items?|summary|msg)$/.test(splitWords(key).join('_'))
}

function isReplyKey(key: string): boolean {
  return /^(?:request_id|in_reply_to|reply_to|reply_to_id|correlation_id)$/.test(splitWords(key).join('_'))
}

function readNames(value: unknown): readonly string[] {
  const items = Array.isArray(value) ? value : [value]
  return items.filter((item): item is string => typeof item === 'string' && item.trim() !== '')
}

const MAX_DEPTH = 4

function readTexts(value: unknown, depth = 0): readonly string[] {
  if (typeof value === 'string') return [value]
  if (depth >= MAX_DEPTH || typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap((inner) => readTexts(inner, depth + 1))
}

function words(text: string): ReadonlySet<string> {
  return new Set(text.split(' '))
}

// `sendMessage`, `SEND_MESSAGE` and `send-message` are the same words.
function splitWords(name: string): readonly string[] {
  const spaced = name.normalize('NFKC').replace(/(?<=[a-z\d])(?=[A-Z])/g, ' ')
  return spaced
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
}
