// What the subjects of the host contract have in common: reading captured payloads, payloads in Claude's format, and
// configurations as users have them. The subject of an agent is `fixtures/subject.ts` in its folder.

import { readdirSync, readFileSync } from 'node:fs'
import type { PointName } from '../src/engine/points.ts'
import type { HostName, HostReply } from '../src/hosts/host.ts'
import type { CapturedPayload, HostEffect } from '../src/testing/host-contract.ts'

type Expected = Readonly<Record<string, readonly [PointName, string?]>>

/** The captured payloads of a host, by the name of their file, with the point and tool that each is read to. */
export function readCaptured(host: HostName, expected: Expected, isEventInLine: boolean): CapturedPayload[] {
  const folder = new URL(`../src/hosts/${host}/fixtures/`, import.meta.url)
  const files = readdirSync(folder).filter((file) => file.endsWith('.json') && !file.startsWith('borrowed-'))
  return files.map((file) => {
    const name = file.replace(/\.json$/, '')
    const [point, tool] = expected[name] ?? []
    if (point === undefined) throw new Error(`no expectation for ${host}/${name}`)
    const event = isEventInLine ? name : undefined
    return {
      name,
      event,
      payload: readFileSync(new URL(file, folder), 'utf8'),
      point,
      ...(tool === undefined ? {} : { tool }),
    }
  })
}

const SNAKE = {
  session_id: 's-1',
  transcript_path: '/home/dev/t.jsonl',
  cwd: '/home/dev/project',
  tool_name: 'Bash',
  tool_input: { command: 'touch a' },
  tool_use_id: 'call-1',
  prompt: 'go',
}

/** A payload in Claude's format. */
export const snakePayload = (event: string): string => {
  const isAfter = /^(Post|After|PermissionDenied)/.test(event)
  const result = isAfter ? { tool_response: { stdout: '', llmContent: '' } } : {}
  return JSON.stringify({ hook_event_name: event, ...SNAKE, ...result })
}

/** JSON files as users have them. */
export const JSON_CONFIGURATIONS = [
  undefined,
  '',
  '{}',
  '{ }\n',
  '{\n}',
  '{"hooks":{}}',
  '{"model": "x"}\n',
  '{\r\n\t"hooks" : {\r\n\t}\r\n}\r\n',
  '\uFEFF{ "a": 1 }',
  '// mine\n{\n  /* here */ "hooks": { // hooks\n    "Other": [ ], // none\n  },\n}\n',
  '{\n\t"hooks": { "PreToolUse": [\n\t\t{"hooks": [ {"type":"command", "command":"touch \\"$HOME/x\\""} ]} ] }\n}',
  '{"hooks":{"BeforeTool":[],"preToolUse":[{"command":"own"}],"PreToolUse":[{"matcher":"Bash","hooks":[]}]},"z":[1,2]}',
]

export type Json = Record<string, unknown>

/** How an agent interprets the reply of a hook. */
export type Interpret = (event: string, reply: HostReply) => HostEffect

export function parseJson(text: string): Json | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : undefined
  } catch {
    return undefined
  }
}

export const asText = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

/** An effect without the fields that are undefined. */
export const effect = (fields: Record<string, unknown>): HostEffect =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as unknown as HostEffect
