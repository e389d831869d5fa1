// Hooks that change the action's data.
import { HookSystem } from 'arc-supervisor'

const hooks = new HookSystem()
const projectName = 'arc'
const redactSecrets = (text) => text.replace(/sk-\w+/g, '[redacted]')

// Add system context to all prompts
hooks.register('pre:message', async (context) => {
  return {
    modify: {
      prompt: `[Project: ${projectName}]\n${context.prompt}`
    }
  };
});

// Redact secrets from output
hooks.register('post:message', async (context) => {
  return {
    modify: {
      output: redactSecrets(context.output)
    }
  };
});

const sent = await hooks.dispatch('pre:message', { prompt: 'Explain the engine.' })
console.log(sent.data.prompt)

const received = await hooks.dispatch('post:message', { output: 'The key is sk-12345.' })
console.log(received.data.output)
