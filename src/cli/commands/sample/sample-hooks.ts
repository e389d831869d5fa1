// The hook of the sample session, written as a user would write it: it masks API keys before the model reads them. All
// other decisions come from the built-in hooks and a shell hook (workspace.ts).

import type { HookEngine } from '../../../platform/hook-engine.ts'

/** Registers the hook. */
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
