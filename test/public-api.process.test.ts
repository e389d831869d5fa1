// What the package exports: programs rely on these names, so adding or removing one is a change of this list.

import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const run = promisify(execFile)
const ROOT = fileURLToPath(new URL('..', import.meta.url))

// The root has at most sixty values; the rest is in separate entries.
const MAX_ROOT_VALUES = 60

const EXPORTS = {
  'arc-supervisor': [
    ...['createEngine', 'HookEngine', 'NoopHookEngine', 'HandlerTable', 'definePoint', 'createSupervisor'],
    ...['HookSystem', 'createHookBus', 'hookBus', 'HookRegistry', 'HookDenied'],
    ...['CircuitBreaker', 'runWithRetry', 'createSupervisionGate', 'defaultPipeline', 'parseRoundtable'],
    ...[
      'classifyRisk',
      'TaskDelegator',
      'MessageBus',
      'commandHandler',
      'httpHandler',
      'promptHandler',
      'registerScript',
    ],
    ...['ArcError', 'Failure', 'DECISIONS', 'DEGRADATION', 'ERRORS', 'MODES', 'POINTS', 'TOOLS'],
    ...['effectiveMode', 'toolClass'],
  ],
  'arc-supervisor/bus': ['MessageBus'],
  'arc-supervisor/compat': [
    ...['HOOK_EVENTS', 'HookDenied', 'HookRegistry', 'HookSystem', 'createHookBus', 'hookBus', 'readHookConfig'],
  ],
  'arc-supervisor/tasks': [
    ...['TASK_RETENTION_MS', 'TaskDelegator', 'TaskRefusal', 'admitBy', 'advanceTask', 'isTaskLeaseOver', 'isTaskOver'],
    ...['openTask', 'openTasks', 'renewTaskLease', 'unknownTask'],
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
      'openLastGood',
      'listProfiles',
      'loadConfig',
      'effectiveOnError',
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
    'expectAllowed',
    'expectBlocked',
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

it('the root exports at most sixty values', () => {
  expect(EXPORTS['arc-supervisor'].length).toBeLessThanOrEqual(MAX_ROOT_VALUES)
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

// Rows of JSON text, as any other database has them, and nothing but what the package exports.
const OTHER_STORE = `
import { ArcError } from 'arc-supervisor'
import { advanceTask, isTaskLeaseOver, isTaskOver, openTask, renewTaskLease, TASK_RETENTION_MS, unknownTask } from 'arc-supervisor/tasks'
import { taskStoreContract } from 'arc-supervisor/testing'

class OtherStore {
  rows = new Map()
  write(task, records) { this.rows.set(task.id, JSON.stringify({ task, records })); return JSON.parse(JSON.stringify(task)) }
  read(id) { return this.rows.has(id) ? JSON.parse(this.rows.get(id)) : undefined }
  create(id, draft, at) {
    const { task, records } = openTask(id, draft, at)
    for (const { status, updatedAt, id: old } of this.list()) {
      if (isTaskOver(status) && updatedAt <= at - TASK_RETENTION_MS) this.rows.delete(old)
    }
    if (this.rows.has(id)) throw new ArcError('ARC_OPTION_INVALID', 'It is there.')
    return this.write(task, records)
  }
  get(id) { return this.read(id)?.task }
  history(id) { return this.read(id)?.records ?? [] }
  list({ status, from, to, limit = Infinity } = {}) {
    const all = [...this.rows.keys()].sort().map((id) => this.get(id))
    const wanted = all.filter((task) => [[status, task.status], [from, task.from], [to, task.to]].every(([a, b]) => a === undefined || a === b))
    return wanted.slice(Math.max(0, wanted.length - limit))
  }
  move(id, move) {
    const row = this.read(id)
    if (row === undefined) throw unknownTask(id)
    const { task, record } = advanceTask(row.task, move)
    return this.write(task, [...row.records, record])
  }
  renew(id, holder, at) {
    const row = this.read(id)
    const renewed = row && renewTaskLease(row.task, holder, at)
    if (renewed === undefined) return false
    this.write(renewed, row.records)
    return true
  }
  expired(at) { return this.list().filter((task) => isTaskLeaseOver(task, at)) }
  close() {}
}

for (const { title, run } of taskStoreContract) {
  try { run({ make: () => new OtherStore() }) } catch (error) { console.log(title + ': ' + error.message) }
}
console.log('done')
`

it('T2 a third party can write its own task store: the exports of the package are enough for the contract', async () => {
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', OTHER_STORE], { cwd: ROOT })
  expect(stdout).toBe('done\n')
})
