// Hooks that abort the action.
import { HookSystem } from 'arc-supervisor'

const hooks = new HookSystem()

hooks.register('pre:tool', async (context) => {
  if (context.tool === 'shell' && context.args.includes('rm')) {
    return { abort: true, reason: 'Destructive command blocked by hook' };
  }
});

hooks.register('pre:message', async (context) => {
  if (context.prompt.length > 100000) {
    return { abort: true, reason: 'Prompt too large' };
  }
});

// A main loop runs the action only if no hook blocked it.
const shell = await hooks.dispatch('pre:tool', { tool: 'shell', args: ['rm', '-rf', 'build'] })
console.log('shell rm:', shell.blocked, shell.reason)

const list = await hooks.dispatch('pre:tool', { tool: 'shell', args: ['ls'] })
console.log('shell ls:', list.blocked)

const long = await hooks.dispatch('pre:message', { prompt: 'x'.repeat(100_001) })
console.log('long prompt:', long.blocked, long.reason)
