// The hook that the sample session brings along, written as a user would write one: it keeps keys out of what the model
// reads. Everything else is decided by the built-in hooks, and by a hook in shell (workspace.ts).

import type { HookEngine } from '../../../platform/hook-engine.ts'

/** Registers it. */
export function registerSampleHooks(engine: HookEngine): void {
  const options = { name: 'mask-keys', priority: 50, match: { agent: 'sample-agent' } } as const
  engine.register(
    'pre:message',
    ({ data }) => (hasKey(data.prompt) ? { modify: { prompt: maskKeys(data.prompt) } } : 'pass'),
    options,
  )
  engine.register(
    'post:tool',
    ({ data }) => (hasKey(data.result) ? { modify: { result: maskKeys(data.result) } } : 'pass'),
    options,
  )
}

const KEY = /\bsk-[a-z]+-\w{4,}/

function hasKey(text: unknown): text is string {
  return typeof text === 'string' && KEY.test(text)
}

function maskKeys(text: string): string {
  return text.replace(new RegExp(KEY, 'g'), 'sk-…')
}
