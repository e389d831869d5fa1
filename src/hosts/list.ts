// The hosts by name, and the question which of them is really calling.

import { ArcError, didYouMean, show } from '../engine/errors.ts'
import { antigravity } from './antigravity/antigravity.ts'
import { claude } from './claude/claude.ts'
import { cline } from './cline/cline.ts'
import { codex } from './codex/codex.ts'
import { copilot } from './copilot/copilot.ts'
import { cursor } from './cursor/cursor.ts'
import { type Fields, parsePayload } from './fields.ts'
import { gemini } from './gemini/gemini.ts'
import { type Env, HOST_NAMES, type Host, type HostName, type HostStep, type Unreadable } from './host.ts'
import { kimi } from './kimi/kimi.ts'
import { kiro } from './kiro/kiro.ts'
import { opencode } from './opencode/opencode.ts'
import { pi } from './pi/pi.ts'
import { qwen } from './qwen/qwen.ts'

/** Every adapter. */
export const HOSTS: Readonly<Record<HostName, Host>> = {
  claude,
  codex,
  gemini,
  qwen,
  copilot,
  cline,
  opencode,
  pi,
  kimi,
  cursor,
  antigravity,
  kiro,
}

/** The adapter of this name; an unknown one is an error that suggests the nearest. */
export function findHost(name: string): Host {
  if (Object.hasOwn(HOSTS, name)) return HOSTS[name as HostName]
  const known = HOST_NAMES.join(', ')
  throw new ArcError(
    'ARC_HOST_UNKNOWN',
    `There is no host ${show(name)}; there are ${known}.${didYouMean(name, HOST_NAMES)}`,
  )
}

/**
 * Reads what a hook process got on stdin. The host named on the command line need not be the one that calls: Copilot and
 * Cursor run the hooks of Claude's files, and others import them.
 * @example
 * const read = readHostPayload('claude', undefined, stdin, process.env)
 */
export function readHostPayload(
  declared: HostName,
  event: string | undefined,
  payload: string,
  env: Env,
): HostStep | Unreadable {
  const fields = parsePayload(payload)
  if (typeof fields === 'string') return HOSTS[declared].readPayload(event, payload, env)
  return HOSTS[findSender(declared, fields)].readPayload(event, fields, env)
}

// By the payload alone: an agent that runs inside another inherits the other's variables. The agents at the end of the list
// are asked first: those at its beginning recognise their payloads by the fields that are missing.
function findSender(declared: HostName, fields: Fields): HostName {
  if (declared !== 'claude') return declared
  return HOST_NAMES.findLast((name) => HOSTS[name].isSender?.(fields)) ?? declared
}
