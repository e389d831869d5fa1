// The TypeScript snippets of the systems that ARC unifies, with only the import line changed: checked by tsc, and run.

import { describe, expect, it } from 'vitest'
import {
  CircuitBreaker,
  createEngine,
  createHookBus,
  createSupervisionGate,
  createSupervisor,
  defaultPipeline,
  type Hook as ExportedHook,
  type GateRule,
  type HookContext,
  type HookMetadata,
  HookSystem,
  hookBus,
  MessageBus,
  runWithRetry,
  TaskDelegator,
} from '../src/index.ts'
import { makeTempFolder } from './temp-folder.ts'

interface Hook {
  name: string
  priority: number
  mode: 'off' | 'log' | 'warn' | 'enforce'
  check(ctx: HookContext): Promise<HookResult>
  inject?(ctx: HookContext): Promise<HookMetadata>
}

type HookResult = 'pass' | 'flag' | 'block'

class NoDeploys implements Hook {
  name = 'no-deploys'
  priority = 30
  mode = 'enforce' as const

  async check(ctx: HookContext): Promise<HookResult> {
    return ctx.message.includes('deploy') ? 'block' : 'pass'
  }

  async inject(ctx: HookContext): Promise<HookMetadata> {
    return { checked: ctx.message.length }
  }
}

const MESSAGE = { prompt: 'deploy now' }

describe('the hook pipeline', () => {
  it('registers a hook written against its own interface, and the exported Hook', async () => {
    const bus = createHookBus({ mode: 'enforce' })
    const hook: Hook = new NoDeploys()
    const exported: ExportedHook = { ...hook, name: 'exported', check: async () => 'pass' }
    bus.register(hook)
    bus.register(exported)
    expect(await bus.dispatch('pre:message', MESSAGE)).toMatchObject({ decision: 'block', hook: 'no-deploys' })
  })

  it('registers a custom hook', async () => {
    const hookBus = createHookBus()
    hookBus.register({
      name: 'my-custom-hook',
      priority: 30,
      mode: 'warn',
      async check(ctx) {
        if (ctx.toolName === 'dangerous-tool') return 'flag'
        return 'pass'
      },
    })
    const outcome = await hookBus.dispatch('pre:tool', { tool: 'dangerous-tool', args: {} })
    expect(outcome.decision).toBe('flag')
  })

  it('registers a custom hook on the shared bus, which is part of the pipeline of a supervisor', async () => {
    const unregister = hookBus.register({
      name: 'my-custom-hook',
      priority: 30,
      mode: 'warn',
      async check(ctx) {
        if (ctx.toolName === 'dangerous-tool') return 'flag'
        return 'pass'
      },
    })
    const supervisor = await createSupervisor({ home: makeTempFolder('arc-bus-') })
    const outcome = await supervisor.dispatch('pre:tool', { tool: 'dangerous-tool', args: {} })
    expect(outcome).toMatchObject({ decision: 'flag', hook: 'my-custom-hook' })
    await supervisor.close()
    unregister()
  })

  it('makes a supervision gate that an engine and a bus take', async () => {
    const gate = createSupervisionGate({
      rules: [
        { pattern: /rm -rf/, action: 'BLOCK' },
        { pattern: /git push --force/, action: 'BLOCK' },
        { pattern: /npm publish/, action: 'BLOCK' },
      ],
    })
    const rules: GateRule[] = [{ pattern: 'npm publish', action: 'block', reason: 'releases are made by CI' }]
    const engine = createEngine({ mode: 'enforce' })
    engine.register(gate)
    const bus = createHookBus({ mode: 'enforce' })
    bus.register(createSupervisionGate({ rules }))
    const call = { tool: 'shell', args: { command: 'npm publish' } }
    expect(await engine.dispatch('pre:tool', call)).toMatchObject({ blocked: true })
    expect(await bus.dispatch('pre:tool', call)).toMatchObject({ blocked: true, reason: 'releases are made by CI' })
  })

  it('retries, and trips a circuit breaker', async () => {
    const lines: string[] = []
    const log = (line: string) => lines.push(line)
    const alertEngine = { emit: (name: string) => lines.push(name) }
    const result = await runWithRetry({
      pipeline: defaultPipeline,
      maxAttempts: 3,
      onRetry: (attempt, reason) => {
        log(`Retry ${attempt}: ${reason}`)
      },
    })
    const breaker = new CircuitBreaker({
      failureThreshold: 3,
      cooldownMs: 60_000,
      onTrip: () => alertEngine.emit('circuit-breaker-tripped'),
    })
    for (let i = 0; i < 3; i++) breaker.recordFailure()
    expect(result.attempts).toBe(1)
    expect(lines).toEqual(['circuit-breaker-tripped'])
  })

  it('delegates a task', async () => {
    const messageBus = new MessageBus()
    const delegator = new TaskDelegator(undefined, messageBus)
    const outputs: unknown[] = []
    const { task } = await delegator.delegate({
      from: 'claude-work',
      to: 'codex-review',
      description: 'Review auth refactor PR',
      priority: 'high',
      onComplete: (task) => void outputs.push(task.output),
      listenerTimeoutMs: 300_000,
    })
    await delegator.accept(task.id, 'codex-review')
    await delegator.requestInput(task.id, 'codex-review', 'Which files should I focus on?')
    await delegator.provideInput(task.id, 'claude-work', 'Focus on src/auth/ directory')
    await delegator.complete(task.id, 'codex-review', 'LGTM — no issues found')
    delegator.dispose()
    messageBus.close()
    expect(outputs).toEqual(['LGTM — no issues found'])
  })
})

describe('the hook system', () => {
  it('aborts, modifies and isolates errors', async () => {
    const hooks = new HookSystem()
    const projectName = 'arc'
    // @ts-expect-error noImplicitReturns, a rule of this project
    hooks.register('pre:message', async (context) => {
      if (context.prompt.length > 100000) {
        return { abort: true, reason: 'Prompt too large' }
      }
    })
    hooks.register('pre:message', async (context) => {
      return {
        modify: {
          prompt: `[Project: ${projectName}]\n${context.prompt}`,
        },
      }
    })
    hooks.register(
      'pre:message',
      async () => {
        throw new Error('hook bug')
      },
      { name: 'safety-check', onError: 'skip' },
    )
    hooks.disable('safety-check')
    hooks.enable('safety-check')
    expect(hooks.isEnabled('safety-check')).toBe(true)
    const { data } = await hooks.dispatch('pre:message', { prompt: 'hello' })
    expect(data.prompt).toBe('[Project: arc]\nhello')
    expect(await hooks.dispatch('pre:message', { prompt: 'x'.repeat(100_001) })).toMatchObject({ blocked: true })
  })
})
