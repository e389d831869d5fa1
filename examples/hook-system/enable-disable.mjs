// Toggling hooks by name without unregistering them.
import { HookSystem } from 'arc-supervisor'

const hooks = new HookSystem()
hooks.register('pre:tool', () => ({ abort: true, reason: 'not today' }), { name: 'safety-check' })
const attempt = async () => (await hooks.dispatch('pre:tool', { tool: 'shell', args: {} })).blocked

console.log('before:', await attempt())

hooks.disable('safety-check');
console.log('disabled:', hooks.isEnabled('safety-check'), await attempt())

hooks.enable('safety-check');
console.log('enabled:', hooks.isEnabled('safety-check'), await attempt())

hooks.isEnabled('safety-check'); // boolean
