// Which hook calls belong together: the two of one tool call, and several of one and the same event. Pure; the
// store of the keys decides how long they are valid.

import { hash as digest, randomUUID } from 'node:crypto'
import { toolClass } from '../engine/tools.ts'
import type { HostStep } from './host.ts'

/** A key, and whether it can only mean this one call. */
export interface CallKey {
  readonly key: string
  /** False where the host gives its calls no id: an equal call of the same session has the same key. */
  readonly isExact: boolean
}

/** The same for a tool call before and after it ran; undefined for a step without a tool. */
export function pairKey(step: HostStep): CallKey | undefined {
  const { tool, args } = step.data
  if (typeof tool !== 'string') return undefined
  const { session = '' } = step.context
  if (step.callId !== undefined) return { key: hash([step.host, session, step.callId]), isExact: true }
  return { key: hash([step.host, session, toolName(tool), args]), isExact: false }
}

/**
 * The same for every call of one event, when a host finds ARC in two of its files. Spelling and dialect do not count,
 * since each file has its own.
 */
export function buildEventKey(step: HostStep): CallKey {
  const { session = '', turn = '' } = step.context
  if (step.callId !== undefined) return { key: hash([step.host, session, step.point, step.callId]), isExact: true }
  const { tool, args } = step.data
  const what = typeof tool === 'string' ? [toolName(tool), args] : [step.data]
  return { key: hash([step.host, session, turn, step.point, ...what]), isExact: false }
}

/**
 * What exactly is checked: tool, arguments and everything else of the step's data, in this workspace. An answer to one
 * digest is never given to another, whatever id the host or the model gave to the call.
 */
export function stepDigest(step: HostStep, workspace: string | undefined): string {
  const { tool, callId: _, ...rest } = step.data
  return hash([workspace ?? '', typeof tool === 'string' ? toolName(tool) : tool, rest])
}

// Copilot calls one tool `bash` in its own files and `Bash` in Claude's.
function toolName(tool: string): string {
  return toolClass(tool) === 'shell' ? 'shell' : tool.toLowerCase()
}

function hash(parts: readonly unknown[]): string {
  return digest('sha256', stableText(parts), 'hex').slice(0, 32)
}

function stableText(value: unknown): string {
  try {
    return JSON.stringify(value, sortKeys)
  } catch {
    // Nested too deep to write down: equal to nothing, so that it is checked each time.
    return randomUUID()
  }
}

function sortKeys(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
}
