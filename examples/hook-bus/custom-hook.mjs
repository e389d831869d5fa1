// A custom hook on the shared bus of a program.
import { hookBus } from 'arc-supervisor'

hookBus.register({
  name: 'my-custom-hook',
  priority: 30,
  mode: 'warn',
  async check(ctx) {
    if (ctx.toolName === 'dangerous-tool') return 'flag';
    return 'pass';
  },
});

// Custom hooks run in the same pipeline as all other hooks and leave the same records.
const flagged = await hookBus.dispatch('pre:tool', { tool: 'dangerous-tool', args: {} }, { session: 's1' })
console.log('dangerous-tool:', flagged.decision, flagged.hook)

const passed = await hookBus.dispatch('pre:tool', { tool: 'read', args: {} }, { session: 's1' })
console.log('read:', passed.decision)
