// An agent on the Vercel AI SDK: its tools are wrapped once, so every call passes ARC before it runs.
// The model gets a block as a result and can use the allowed alternative, as it does here.
// The model is a mock of the SDK. Replace it with `openai('…')`, `anthropic('…')` or any other model.
import { generateText, stepCountIs, tool } from 'ai'
import { MockLanguageModelV3 } from 'ai/test'
import { defaultPipeline } from 'arc-supervisor'
import * as z from 'zod'

const pipeline = defaultPipeline({ enforcement: 'enforce' })

/** The same tools, supervised. */
function supervised(tools, context) {
  return Object.fromEntries(
    Object.entries(tools).map(([name, own]) => {
      const execute = async (args, options) => {
        const before = await pipeline.dispatch('pre:tool', { tool: name, args, callId: options.toolCallId }, context)
        if (before.blocked) return { refused: before.reason, instead: before.suggestion }
        const result = await own.execute(before.data.args, options)
        const after = await pipeline.dispatch('post:tool', { tool: name, args: before.data.args, result }, context)
        return after.data.result
      }
      return [name, { ...own, execute }]
    }),
  )
}

const bash = tool({
  description: 'Runs a command.',
  inputSchema: z.object({ command: z.string() }),
  execute: async ({ command }) => `ran ${command}`,
})

const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } }
const calls = (id, command) => ({
  content: [{ type: 'tool-call', toolCallId: id, toolName: 'bash', input: JSON.stringify({ command }) }],
  finishReason: { unified: 'tool-calls' },
  usage,
  warnings: [],
})
const model = new MockLanguageModelV3({
  doGenerate: [
    calls('call-1', 'git push --force'),
    calls('call-2', 'git push --force-with-lease'),
    { content: [{ type: 'text', text: 'Pushed.' }], finishReason: { unified: 'stop' }, usage, warnings: [] },
  ],
})

const { text, steps } = await generateText({
  model,
  prompt: 'Push my branch.',
  tools: supervised({ bash }, { session: 'example', agent: 'vercel-ai' }),
  stopWhen: stepCountIs(5),
})
for (const { toolResults } of steps) {
  for (const { input, output } of toolResults) console.log(`${input.command} → ${output.refused ?? output}`)
}
console.log(text)
