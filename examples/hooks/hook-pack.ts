// A pack of hooks in TypeScript: a function that registers hooks and returns a function that removes them, so it can be shared
// as a package. Points are typed: an edit of a field that a point does not allow does not compile.
// Run it with `node examples/hooks/hook-pack.ts` (Node 22.18 or newer), or with any TypeScript runner.
import { createEngine, type HookEngine } from 'arc-supervisor'

export interface TeamRules {
  /** Files that only people change. */
  readonly frozen: readonly string[]
  /** Longest prompt that is sent. */
  readonly maxPrompt: number
}

/** The rules of a team. */
export function registerTeamPack(engine: HookEngine, { frozen, maxPrompt }: TeamRules): () => void {
  const undo = [
    engine.register(
      'pre:tool:write',
      () => ({ decision: 'block', reason: 'people change this file', suggestion: 'propose the change in a comment' }),
      { name: 'team/frozen', priority: 10, onError: 'abort', match: { path: frozen } },
    ),
    engine.register(
      'pre:message',
      ({ data }) => (data.prompt.length > maxPrompt ? { modify: { prompt: data.prompt.slice(0, maxPrompt) } } : 'pass'),
      { name: 'team/short-prompts', priority: 50 },
    ),
    engine.register('post:tool:shell', ({ data }) => (/\bWARN\b/.test(String(data.result)) ? 'flag' : 'pass'), {
      name: 'team/warnings',
      priority: 50,
    }),
  ]
  return () => {
    for (const unregister of undo) unregister()
  }
}

const engine = createEngine({ mode: 'enforce' })
const unregister = registerTeamPack(engine, { frozen: ['LICENSE', 'infra/**'], maxPrompt: 12 })

const write = (path: string) => ({ tool: 'write_file', args: { path, content: '' } })
const frozen = await engine.dispatch('pre:tool', write('infra/main.tf'))
console.log(`infra/main.tf: ${frozen.decision}, ${frozen.reason}`)
console.log(`src/main.ts: ${(await engine.dispatch('pre:tool', write('src/main.ts'))).decision}`)
console.log((await engine.dispatch('pre:message', { prompt: 'Explain all of it.' })).data.prompt)
const built = { tool: 'shell', args: { command: 'make' }, result: 'WARN unused variable' }
console.log(`make: ${(await engine.dispatch('post:tool', built)).decision}`)
unregister()
console.log(`without the pack: ${(await engine.dispatch('pre:tool', write('infra/main.tf'))).decision}`)
