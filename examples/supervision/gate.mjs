// A gate of rules in front of every tool call.
import { createEngine, createSupervisionGate } from 'arc-supervisor'

const gate = createSupervisionGate({
  rules: [
    { pattern: /rm -rf/, action: 'BLOCK' },
    { pattern: /git push --force/, action: 'BLOCK' },
    { pattern: /npm publish/, action: 'BLOCK' },
  ],
});

const engine = createEngine({ mode: 'enforce' })
engine.register(gate)

for (const command of ['rm -rf build', 'npm publish', 'npm test']) {
  const { blocked, reason = 'nothing to object' } = await engine.dispatch('pre:tool', { tool: 'shell', args: { command } })
  console.log(`${command}: ${blocked ? 'blocked' : 'goes ahead'}, ${reason}`)
}
