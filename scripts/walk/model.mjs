// A scripted model on loopback, in the wire format of Anthropic's Messages. A prompt `RUN: COMMAND` makes it ask for that
// shell command; after the result it answers with one sentence. No account, no network.

import { createServer } from 'node:http'

/** Starts the model: `{ url, results, close }`. `results` has the result of each command as the model gets it. */
export async function startModel() {
  const results = []
  const server = createServer(async (request, response) => {
    const body = await readJson(request)
    if (/count_tokens$/.test(new URL(request.url, 'http://model').pathname)) {
      sendJson(response, { input_tokens: 42 })
      return
    }
    const { command, result } = readConversation(body)
    if (result !== undefined) results.push(result)
    const tool = (body.tools ?? []).find(({ name }) => name === 'Bash')
    const isCall = command !== undefined && result === undefined && tool !== undefined
    answer(
      response,
      body,
      isCall ? buildCall(command) : { type: 'text', text: result === undefined ? 'Hello.' : 'Done.' },
    )
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  const close = () => {
    server.closeAllConnections()
    server.close()
  }
  return { url: `http://127.0.0.1:${server.address().port}`, results, close }
}

let calls = 0

function buildCall(command) {
  const input = { command, description: 'Run the command' }
  return { type: 'tool_use', id: `toolu_walk_${++calls}`, name: 'Bash', input }
}

// The newest command of the user, and the result of a call after it.
function readConversation({ messages = [] }) {
  let command
  let result
  for (const { role, content } of messages) {
    const parts = typeof content === 'string' ? [{ type: 'text', text: content }] : content
    for (const part of parts) {
      const found = role === 'user' && part.type === 'text' ? /RUN: (.+)/.exec(part.text)?.[1] : undefined
      if (found !== undefined) [command, result] = [found.trim(), undefined]
      if (part.type === 'tool_result') result = readText(part.content)
    }
  }
  return { command, result }
}

function readText(content) {
  return typeof content === 'string' ? content : (content ?? []).map(({ text = '' }) => text).join('\n')
}

function answer(response, body, block) {
  const isCall = block.type === 'tool_use'
  const stop_reason = isCall ? 'tool_use' : 'end_turn'
  const usage = { input_tokens: 10, output_tokens: 5, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 }
  const id = `msg_walk_${++calls}`
  const message = { id, type: 'message', role: 'assistant', model: body.model, content: [], stop_reason: null, usage }
  if (body.stream !== true) {
    sendJson(response, { ...message, content: [block], stop_reason })
    return
  }
  const start = isCall ? { ...block, input: {} } : { type: 'text', text: '' }
  const delta = isCall
    ? { type: 'input_json_delta', partial_json: JSON.stringify(block.input) }
    : { type: 'text_delta', text: block.text }
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  const send = (type, fields) => response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`)
  send('message_start', { message })
  send('content_block_start', { index: 0, content_block: start })
  send('content_block_delta', { index: 0, delta })
  send('content_block_stop', { index: 0 })
  send('message_delta', { delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 5 } })
  send('message_stop', {})
  response.end()
}

function sendJson(response, value) {
  response.writeHead(200, { 'content-type': 'application/json' })
  response.end(JSON.stringify(value))
}

async function readJson(request) {
  const chunks = []
  for await (const chunk of request) chunks.push(chunk)
  try {
    return JSON.parse(Buffer.concat(chunks).toString())
  } catch {
    return {}
  }
}
