// The engine next to other libraries and a hand-written loop, in one run, compared as ratios.
// Cases: 1, 8 and 32 hooks, synchronous and asynchronous, a matcher on each, tracing off and on.
// One process for all, as in a long-lived supervisor: the compiler has seen many hooks before it meets a case.

import { createHooks } from 'hookable'
import compose from 'koa-compose'
import { do_not_optimize, measure } from 'mitata'
import tapable from 'tapable'
import { createEngine } from '../dist/index.js'

const CALL = { tool: 'shell', args: { command: 'git status --short' } }
const CONTEXT = { session: 'session-1', turn: 'turn-1', workspace: '/srv/project', host: 'claude' }
const COUNTS = [1, 8, 32]

// The work of a hook, the same for every library. `empty` measures the engine alone; `guard` reads the command, as real hooks do.
// Hooks come from different authors, so each gets its own function. The compiler would inline a shared function into the loop.
const GUARD = "step.data.args.command.includes('rm -rf') ? 'block' : undefined"
const WORK = {
  empty: { sync: ownFunctions('() => undefined'), async: ownFunctions('async () => undefined') },
  guard: { sync: ownFunctions(`(step) => ${GUARD}`), async: ownFunctions(`async (step) => ${GUARD}`) },
}
const matches = (step) => step.data.tool === 'shell'

/** Each contestant: (handlers, count, isAsync) → a function that sends one step through `count` hooks. */
const contestants = {
  arc: (handlers, count) => arcWith(handlers, count, {}),
  'arc traced': (handlers, count) => arcWith(handlers, count, { sink: (evaluation) => do_not_optimize(evaluation) }),
  loop: (handlers, count) => {
    const hooks = repeat(count, (i) => ({ matches, run: handlers[i] }))
    return () => awaitEach(hooks, { point: 'pre:tool', ...CONTEXT, data: CALL, metadata: {} })
  },
  tapable: (handlers, count, isAsync) => {
    const hook = !isAsync ? new tapable.SyncBailHook(['step']) : new tapable.AsyncSeriesBailHook(['step'])
    for (let i = 0; i < count; i++) {
      const run = (step) => (matches(step) ? handlers[i](step) : undefined)
      if (!isAsync) hook.tap(`hook-${i}`, run)
      else hook.tapPromise(`hook-${i}`, async (step) => run(step))
    }
    const step = () => ({ point: 'pre:tool', ...CONTEXT, data: CALL, metadata: {} })
    return !isAsync ? () => hook.call(step()) : () => hook.promise(step())
  },
  hookable: (handlers, count) => {
    const hooks = createHooks()
    for (let i = 0; i < count; i++) {
      hooks.hook('pre:tool', (step) => (matches(step) ? handlers[i](step) : undefined))
    }
    return () => hooks.callHook('pre:tool', { point: 'pre:tool', ...CONTEXT, data: CALL, metadata: {} })
  },
  'koa-compose': (handlers, count, isAsync) => {
    const middleware = repeat(count, (i) => (step, next) => {
      if (!matches(step)) return next()
      const answer = handlers[i](step)
      return isAsync ? answer.then(next) : next()
    })
    const run = compose(middleware)
    return () => run({ point: 'pre:tool', ...CONTEXT, data: CALL, metadata: {} })
  },
}

/** The limits with 8 hooks, for each kind of work: the most that `of` may take, as a multiple of `against`. */
const LIMITED_COUNT = 8
const LIMITS = {
  sync: [
    { of: 'arc', against: 'loop', atMost: 0.8 },
    { of: 'arc traced', against: 'arc', atMost: 3 },
  ],
  async: [
    { of: 'arc', against: 'loop', atMost: 1.6 },
    { of: 'arc traced', against: 'arc', atMost: 3 },
  ],
}

/** Measures everything and returns rows (ns per dispatch) and limits. */
export async function benchEngine() {
  const rows = []
  const limits = []
  for (const work of Object.keys(WORK)) {
    for (const kind of ['sync', 'async']) {
      for (const count of COUNTS) {
        const name = `${count} ${kind}, ${work}`
        const times = await measureAll(makeAll(WORK[work][kind], count, kind === 'async'))
        rows.push({ case: name, times })
        if (count === LIMITED_COUNT) limits.push(...LIMITS[kind].map((limit) => checkLimit(name, limit, times)))
      }
    }
  }
  const noHook = await benchNoHook()
  return { rows: [...rows, noHook.row], limits: [...limits, noHook.limit] }
}

async function benchNoHook() {
  const engine = createEngine()
  const times = await measureAll({
    arc: () => engine.dispatch('pre:tool', CALL, CONTEXT),
    loop: contestants.loop(WORK.empty.sync, 1, false),
  })
  const name = 'no hook (loop: one)'
  return { row: { case: name, times }, limit: checkLimit(name, { of: 'arc', against: 'loop', atMost: 0.15 }, times) }
}

function makeAll(handlers, count, isAsync) {
  return Object.fromEntries(Object.entries(contestants).map(([name, make]) => [name, make(handlers, count, isAsync)]))
}

function arcWith(handlers, count, options) {
  const engine = createEngine({ mode: 'enforce', ...options })
  for (let i = 0; i < count; i++)
    engine.register('pre:tool', handlers[i], { name: `hook-${i}`, match: { tool: 'shell' } })
  return () => engine.dispatch('pre:tool', CALL, CONTEXT)
}

async function awaitEach(hooks, step) {
  for (const hook of hooks) {
    if (!hook.matches(step)) continue
    const verdict = await hook.run(step)
    if (verdict === 'block') return { decision: 'block', data: step.data }
  }
  return { decision: 'pass', data: step.data }
}

// No forced garbage collection in between: V8 then discards the code compiled for classes without live instances, and the
// next measurement would measure the compiler.
const MEASUREMENT = { min_cpu_time: 0, gc: false, batch_threshold: 0 }

// Each contestant is measured many times in turns, shortly, and its best median counts: the machine is shared, and noise
// only adds time. One sample is a batch of dispatches, so that reading the clock does not count.
async function measureAll(runs, rounds = 40) {
  const best = {}
  for (let round = 0; round < rounds; round++) {
    for (const [name, run] of Object.entries(runs)) {
      const stats = await measure(batchOf(run), MEASUREMENT)
      best[name] = Math.min(best[name] ?? Infinity, stats.p50 / BATCH)
    }
  }
  return best
}

const BATCH = 256

// As a caller does: awaits only promises.
function batchOf(run) {
  if (typeof run()?.then !== 'function') {
    return () => {
      for (let i = 0; i < BATCH; i++) do_not_optimize(run())
    }
  }
  return async () => {
    for (let i = 0; i < BATCH; i++) do_not_optimize(await run())
  }
}

function checkLimit(name, limit, times) {
  const ratio = times[limit.of] / times[limit.against]
  return { case: name, ...limit, ratio, ok: ratio <= limit.atMost }
}

function repeat(count, make) {
  return Array.from({ length: count }, (_, i) => make(i))
}

function ownFunctions(source) {
  return repeat(Math.max(...COUNTS), () => new Function(`return ${source}`)())
}
