// A failing hook does not crash the system. Each hook chooses what its failure counts as.
import { HookSystem } from 'arc-supervisor'

const hooks = new HookSystem()
const handler = async () => {
  throw new Error('the checker is broken')
}

hooks.register('pre:message', async () => {
  throw new Error('hook bug');
  // Error is logged, other hooks still run
});

hooks.register('pre:message', () => console.log('the other hook still runs'))

hooks.register('pre:tool', handler, {
  onError: 'skip'    // skip | abort | log
});

const message = await hooks.dispatch('pre:message', { prompt: 'hello' })
console.log('log:', message.decision, message.blocked)

const skipped = await hooks.dispatch('pre:tool', { tool: 'shell', args: {} })
console.log('skip:', skipped.decision, skipped.blocked)

hooks.register('pre:tool', handler, { onError: 'abort', name: 'must-work' })
const aborted = await hooks.dispatch('pre:tool', { tool: 'shell', args: {} })
console.log('abort:', aborted.decision, aborted.blocked, aborted.hook)
