// The hooks of the sample session: one for each thing a hook can do. Written as a user would write them.

import type { HookEngine } from '../../runtime/engine.ts'

/** Registers the sample hooks. */
export function registerSampleHooks(engine: HookEngine): void {
  const options = { onError: 'abort', critical: true } as const

  engine.register('pre:message', ({ data }) => ({ modify: { prompt: maskKeys(data.prompt) } }), {
    name: 'mask-keys',
    priority: 10,
    match: { agent: 'sample-agent' },
  })

  engine.register(
    'pre:tool',
    () => ({
      decision: 'block',
      reason: 'this file holds secrets',
      suggestion: 'read .env.example, which has the names without the values',
    }),
    { ...options, name: 'protect-secrets', priority: 10, match: { tool: 'read', path: '.env' } },
  )

  engine.register(
    'pre:tool:shell',
    ({ data }) => {
      const [program, ...rest] = wordsOf(data.args.command)
      if (program === 'rm' && rest.some((word) => /^-\w*r/.test(word))) {
        return { decision: 'block', reason: 'deletes a whole folder', suggestion: 'move it to .trash instead' }
      }
      if (program === 'git' && rest[0] === 'push' && rest.includes('--force')) {
        return { decision: 'ask', reason: 'rewrites history that others may have', suggestion: '--force-with-lease' }
      }
      return 'pass'
    },
    { ...options, name: 'destructive-commands', priority: 11 },
  )

  engine.register(
    'pre:tool:write',
    () => {
      throw new Error('style checker: configuration not found')
    },
    { name: 'style-checker', priority: 50 },
  )

  engine.register(
    'post:tool',
    async ({ data }) => ({ modify: { result: maskKeys(String(data.result)) }, metadata: { isMasked: true } }),
    { name: 'mask-results', priority: 50, match: { args: '.env.example' } },
  )

  engine.register(
    'pre:turn:end',
    ({ data }) =>
      (data.continues ?? 0) === 0 ? { control: 'continue', reason: 'the tests have not run since the edit' } : 'pass',
    { name: 'tests-first', priority: 90 },
  )
}

function maskKeys(text: string): string {
  return text.replace(/\bsk-[a-z]+-\w{4,}/g, 'sk-…')
}

function wordsOf(command: unknown): string[] {
  return String(command).trim().split(/\s+/)
}
