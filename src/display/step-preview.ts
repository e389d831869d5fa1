// The command, path or message of a step on one line: for the feed, the log and the replies to hosts.

import { isRecord } from '../engine/plain-data.ts'
import { toLine } from './display-text.ts'

const MAX_PREVIEW = 200

// The fields that describe a step best, in order.
const PREVIEW_FIELDS = [
  'command',
  'file_path',
  'path',
  'url',
  'query',
  'pattern',
  'prompt',
  'message',
  'output',
  'description',
]

/** The command, path or message of a step, on one line; hidden characters are escaped. */
export function buildPreview(data: unknown, length = MAX_PREVIEW): string {
  const text = readMainText(data)
  return text === undefined ? '' : toLine(text, length)
}

/** The whole command, path or message of a step; its arguments as JSON if it has none of these. */
export function readMainText(data: unknown): string | undefined {
  const { args, config }: { readonly args?: unknown; readonly config?: unknown } = isRecord(data) ? data : {}
  // `config` has the prompt of a spawned agent.
  const text = findPreviewText(args) ?? findPreviewText(data) ?? findPreviewText(config)
  if (text !== undefined) return text
  const rest = isRecord(args) ? args : isRecord(data) ? data : {}
  return Object.keys(rest).length === 0 ? undefined : stringify(rest)
}

// The first field of `PREVIEW_FIELDS` with a text.
function findPreviewText(value: unknown): string | undefined {
  if (!isRecord(value)) return undefined
  const key = PREVIEW_FIELDS.find((name) => typeof value[name] === 'string' && value[name] !== '')
  return key === undefined ? undefined : (value[key] as string)
}

// Arguments of a host may be too deep to print.
function stringify(value: object): string {
  try {
    return JSON.stringify(value)
  } catch {
    return 'arguments that cannot be shown'
  }
}
