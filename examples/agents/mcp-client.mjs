// An MCP client with supervised calls: each call passes ARC before it is sent to the server.
// With the argument `server` this file is a small MCP server over stdio, otherwise the client of that server.
import { fileURLToPath } from 'node:url'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { createEngine } from 'arc-supervisor'
import * as z from 'zod'

if (process.argv[2] === 'server') await serve()
else await beClient()

async function serve() {
  const server = new McpServer({ name: 'notes', version: '1.0.0' })
  const text = (value) => ({ content: [{ type: 'text', text: value }] })
  server.registerTool('read', { inputSchema: { name: z.string() } }, ({ name }) => text(`${name}: call 555-0100`))
  server.registerTool('delete', { inputSchema: { name: z.string() } }, ({ name }) => text(`${name} is gone`))
  await server.connect(new StdioServerTransport())
}

async function beClient() {
  const engine = createEngine({ mode: 'enforce' })
  // Agents name MCP tools mcp__server__tool.
  engine.register(
    'pre:tool',
    ({ data }) => ({ decision: 'block', reason: `${data.args.name} cannot be brought back`, suggestion: 'archive it' }),
    { name: 'no-deletes', match: { tool: 'mcp__notes__delete' }, onError: 'abort' },
  )
  engine.register('post:tool', ({ data }) => ({ modify: { result: data.result.replace(/\d{3}-\d{4}/g, '…') } }), {
    name: 'mask-numbers',
    match: { tool: 'mcp__*' },
  })

  const client = new Client({ name: 'example', version: '1.0.0' })
  const server = { command: process.execPath, args: [fileURLToPath(import.meta.url), 'server'] }
  await client.connect(new StdioClientTransport(server))
  for (const tool of ['read', 'delete']) console.log(await call(tool, { name: 'todo' }))
  await client.close()

  async function call(name, args) {
    const tool = `mcp__notes__${name}`
    const before = await engine.dispatch('pre:tool', { tool, args })
    if (before.blocked) return `${name}: not sent, ${before.reason}; instead ${before.suggestion}`
    const { content } = await client.callTool({ name, arguments: before.data.args })
    const after = await engine.dispatch('post:tool', { tool, args, result: content[0].text })
    return `${name}: ${after.data.result}`
  }
}
