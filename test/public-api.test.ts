// What the package exports: programs rely on these names, so adding or removing one is a change of this list.

import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const run = promisify(execFile)
const ROOT = fileURLToPath(new URL('..', import.meta.url))

const EXPORTS = {
  'arc-supervisor': [
    ...['ArcError', 'DECISIONS', 'DEGRADATION', 'ERRORS', 'Failure', 'HOOK_EVENTS', 'HandlerTable', 'HookDenied'],
    ...['HookEngine', 'HookRegistry', 'HookSystem', 'MODES', 'NoopHookEngine', 'POINTS', 'TOOLS', 'commandHandler'],
    ...[
      'classifyRisk',
      'createEngine',
      'createHookBus',
      'createSupervisor',
      'definePoint',
      'effectiveMode',
      'hookBus',
      'httpHandler',
      'promptHandler',
    ],
    ...['parseRoundtable', 'readHookConfig', 'toolClass'],
    ...['MessageBus', 'TaskDelegator', 'admitBy', 'openTasks'],
    ...['CircuitBreaker', 'createSupervisionGate', 'defaultPipeline', 'runWithRetry'],
  ],
  'arc-supervisor/config': [
    ...[
      'BUILT_IN_HOOKS',
      'COMMANDS',
      'DEFAULTS',
      'compileArma',
      'describeHooks',
      'fill',
      'fingerprint',
      'formatProblem',
    ],
    ...[
      'hookSettings',
      'isFatal',
      'keepLastGood',
      'listProfiles',
      'loadConfig',
      'onErrorOf',
      'toJsonSchema',
      'watchConfig',
    ],
  ],
  'arc-supervisor/risk': ['OWASP', 'RULE_PACKS', 'TIERS', 'classifyRisk', 'decide', 'defineRulePack', 'explain'],
  'arc-supervisor/testing': [
    'AUDIT_CHECKLISTS',
    'AUDIT_CHECKS',
    'BUILT_INS',
    'FakeClock',
    'busContract',
    'handlerContract',
    'handlerContractFor',
    'hostContract',
    'hostilePayloads',
    'stateStoreContract',
    'taskStoreContract',
    'traceStoreContract',
  ],
  'arc-supervisor/trace': ['MemoryTraceStore', 'SqliteTraceStore', 'TracedEngine', 'verifyExport'],
}

it.each(Object.entries(EXPORTS))('%s exports exactly what it promises', async (name, expected) => {
  const script = `import(${JSON.stringify(name)}).then((all) => console.log(JSON.stringify(Object.keys(all).sort())))`
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', script], { cwd: ROOT })
  expect(JSON.parse(stdout)).toEqual([...expected].sort())
})

it('the entries share their classes: a Failure of one is known to the other', async () => {
  const script = `
    import { createEngine, Failure } from 'arc-supervisor'
    import { handlerContract } from 'arc-supervisor/testing'
    const engine = createEngine({ mode: 'enforce', sink: ({ cause }) => console.log(cause) })
    engine.register('pre:tool', () => new Failure('start', 'x'))
    engine.dispatch('pre:tool', { tool: 'x', args: {} })
    console.log(handlerContract.length > 5)`
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', script], { cwd: ROOT })
  expect(stdout).toBe('failure:start\ntrue\n')
})
