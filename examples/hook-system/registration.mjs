// Registering hooks: plain, with a priority, with a name.
import { HookSystem } from 'arc-supervisor'

const handler = async () => console.log('the handler runs')

const hooks = new HookSystem();

// Basic hook
hooks.register('pre:message', async (context) => {
  console.log('About to send:', context.prompt);
});

// With priority (lower = earlier, default 100)
hooks.register('pre:message', handler, { priority: 10 });

// Named hook (for enable/disable)
hooks.register('pre:tool', handler, { name: 'safety-check' });

// The action itself: the hooks of its point run first, in order of priority.
await hooks.dispatch('pre:message', { prompt: 'hello' })
await hooks.dispatch('pre:tool', { tool: 'shell', args: { command: 'ls' } })
