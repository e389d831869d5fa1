// A plain loop: model → tool calls → results, with every call supervised by the built-in hooks and recorded.
// The model is a list of answers. Replace it with a call of your model; the rest stays the same.
import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createSupervisor } from 'arc-supervisor'

const model = [
  { tool: 'shell', args: { command: 'echo "never rm -rf / in a script"' } },
  { tool: 'shell', args: { command: 'git reset --hard HEAD~3' } },
  { tool: 'shell', args: { command: 'git --version | cut -c 1-3' } },
  'Done: nothing was lost.',
]
const tools = { shell: async ({ command }) => (await promisify(execFile)('sh', ['-c', command])).stdout.trim() }

// A temporary home, so that the example leaves nothing in yours. Without `home`, ARC uses ~/.arc and its profile.
const home = await mkdtemp(join(tmpdir(), 'arc-example-'))
const supervisor = await createSupervisor({ home, mode: 'enforce', askMs: 0, notify: () => {} })
const context = { session: 'example', agent: 'plain-loop', workspace: home }

for (const said of model) {
  if (typeof said === 'string') {
    console.log(said)
    continue
  }
  console.log(`${said.tool} ${said.args.command}: ${await use(said)}`)
}

async function use({ tool, args }) {
  const id = randomUUID()
  const before = await supervisor.dispatch('pre:tool', { tool, args }, { ...context, id })
  // The model gets the reason and the alternative instead of a result.
  if (before.blocked) return `${before.decision}, ${before.reason} Instead: ${before.suggestion}`
  const result = await tools[tool](before.data.args).catch((error) => `failed: ${error.message.split('\n')[0]}`)
  // With preStep the dashboard shows both steps as one row.
  const joined = { ...context, metadata: { preStep: id } }
  const after = await supervisor.dispatch('post:tool', { tool, args: before.data.args, result }, joined)
  return after.data.result || 'nothing'
}

console.log(`${supervisor.trace.counters().steps} steps recorded, chain ${supervisor.trace.verify().ok ? 'intact' : 'broken'}`)
await supervisor.close()
await rm(home, { recursive: true })
