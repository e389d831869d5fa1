// A scripted model on loopback, for real agents without an account or a network. The caller's plan decides on every turn: a
// text, or a call of one of the tools that the agent offers. Speaks the formats of protocols.mjs.

import { appendFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { PROTOCOLS } from './protocols.mjs'
import { chooseTool, fillArguments } from './tool-call.mjs'

/**
 * Starts the model: `{ url, requests, close }`.
 * `plan({ parts, tools })` gets the conversation in order, as `{ kind: 'text' | 'result', text }`, and the names of the tools.
 * It returns `{ say }` or `{ tool: 'shell' | 'write' | 'spawn', … }`. A tool that the agent does not offer is not called.
 */
export async function startModel({ plan, cwd = '/', logFile }) {
  const requests = []
  const server = createServer(async (request, response) => {
    const entry = { path: request.url, receivedAt: performance.now(), turn: null, parts: [], tools: [] }
    requests.push(entry)
    response.on('finish', () => {
      entry.answeredAt = performance.now()
      if (logFile !== undefined) appendFileSync(logFile, `${JSON.stringify(entry)}\n`)
    })
    answer({ response, url: new URL(request.url, 'http://model'), body: await readJson(request), entry, plan, cwd })
    entry.number = requests.length
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  const close = () => {
    server.closeAllConnections()
    server.close()
  }
  return { url: `http://127.0.0.1:${server.address().port}`, requests, close }
}

function answer({ response, url, body, entry, plan, cwd }) {
  const send = {
    json: (value, status) => sendJson(response, value, status),
    stream: (events) => sendEvents(response, events),
  }
  if (/count_?tokens$/i.test(url.pathname)) return send.json({ input_tokens: 42, totalTokens: 42 })
  if (/\/models$/.test(url.pathname)) return send.json(MODELS)
  const protocol = PROTOCOLS.find(({ path }) => path.test(url.pathname))
  if (protocol === undefined) return send.json({ error: { message: 'no such route', type: 'not_found' } }, 404)
  const { tools, parts } = protocol.read(body)
  entry.parts = parts
  entry.tools = tools.map(({ name }) => name)
  // Agents also ask for titles and summaries, without tools: those get the plan's text or a word.
  const turn = plan({ parts, tools: entry.tools })
  const tool = turn.tool === undefined ? undefined : chooseTool(tools, turn.tool)
  entry.turn = tool === undefined ? { say: turn.say ?? 'done' } : { ...turn, name: tool.name }
  const call = tool === undefined ? undefined : { tool, args: fillArguments(tool, turn, cwd) }
  return protocol.write({ url, body, send, id: ++answered, call, text: entry.turn.say })
}

let answered = 0

const MODELS = {
  object: 'list',
  data: [{ id: 'mock-model', object: 'model', created: 0, owned_by: 'mock' }],
  models: [],
}

function sendJson(response, value, status = 200) {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify(value))
}

// Each event is `[name, data]`; formats without names have an empty one.
function sendEvents(response, events) {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' })
  for (const [name, data] of events) {
    const line = typeof data === 'string' ? data : JSON.stringify(data)
    response.write(`${name === '' ? '' : `event: ${name}\n`}data: ${line}\n\n`)
  }
  response.end()
}

async function readJson(request) {
  const chunks = []
  for await (const chunk of request) chunks.push(chunk)
  try {
    return JSON.parse(Buffer.concat(chunks).toString())
  } catch {
    // A request without a body, or a probe.
    return {}
  }
}
