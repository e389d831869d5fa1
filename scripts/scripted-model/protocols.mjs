// The wire formats of models that agents speak: Anthropic Messages, OpenAI Responses and Chat Completions, Gemini. Each reads
// a request to tools and the conversation in order, and writes one answer: a text, or one call.

import { patchText } from './tool-call.mjs'

/** Every string inside a value: results nest differently in each format. */
function textsIn(value) {
  if (typeof value === 'string') return [value]
  if (value === null || typeof value !== 'object') return []
  return Object.entries(value).flatMap(([key, inner]) => (key === 'type' ? [] : textsIn(inner)))
}

const joined = (value) => textsIn(value).join('\n')
const text = (value) => ({ kind: 'text', text: joined(value) })
const result = (value) => ({ kind: 'result', text: joined(value) })

const anthropic = {
  path: /\/messages$/,
  read: (body) => ({
    tools: (body.tools ?? []).map(({ name, input_schema: schema }) => ({ name, schema })),
    parts: (body.messages ?? [])
      .filter(({ role }) => role === 'user')
      .flatMap(({ content }) => anthropicParts(content)),
  }),
  write({ body, send, id, call, text: said }) {
    const block =
      call === undefined
        ? { type: 'text', text: said }
        : { type: 'tool_use', id: `toolu_mock_${id}`, name: call.tool.name, input: call.args }
    const stop_reason = call === undefined ? 'end_turn' : 'tool_use'
    const usage = { input_tokens: 10, output_tokens: 5, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 }
    const head = { id: `msg_mock_${id}`, type: 'message', role: 'assistant', model: body.model ?? 'mock-model' }
    const message = { ...head, content: [], stop_reason: null, stop_sequence: null, usage }
    if (body.stream !== true) return send.json({ ...message, content: [block], stop_reason })
    const event = (type, fields) => [type, { type, ...fields }]
    const isText = call === undefined
    return send.stream([
      event('message_start', { message }),
      event('content_block_start', {
        index: 0,
        content_block: isText ? { type: 'text', text: '' } : { ...block, input: {} },
      }),
      event('content_block_delta', { index: 0, delta: anthropicDelta(call, said) }),
      event('content_block_stop', { index: 0 }),
      event('message_delta', { delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 5 } }),
      event('message_stop', {}),
    ])
  },
}

function anthropicParts(content) {
  const parts = typeof content === 'string' ? [{ type: 'text', text: content }] : (content ?? [])
  return parts.map((part) => (part.type === 'tool_result' ? result(part.content) : text(part.text ?? '')))
}

function anthropicDelta(call, said) {
  if (call === undefined) return { type: 'text_delta', text: said }
  return { type: 'input_json_delta', partial_json: JSON.stringify(call.args) }
}

const responses = {
  path: /\/responses$/,
  read: (body) => ({
    tools: (body.tools ?? []).flatMap(responsesTools),
    parts: (Array.isArray(body.input) ? body.input : []).flatMap(responsesPart),
  }),
  write({ body, send, id, call, text: said }) {
    const item = call === undefined ? responsesText(id, said) : responsesCall(id, call)
    const usage = { input_tokens: 10, input_tokens_details: { cached_tokens: 0 }, output_tokens: 5 }
    const total = { ...usage, output_tokens_details: { reasoning_tokens: 0 }, total_tokens: 15 }
    const head = { id: `resp_mock_${id}`, object: 'response', created_at: 1, model: body.model ?? 'mock-model' }
    const started = { ...head, status: 'in_progress', output: [], parallel_tool_calls: false, tools: [], metadata: {} }
    const completed = { ...started, status: 'completed', output: [item], usage: total }
    if (body.stream !== true) return send.json(completed)
    let sequence_number = 0
    const event = (type, fields) => [type, { type, sequence_number: sequence_number++, ...fields }]
    const at = { item_id: item.id, output_index: 0 }
    return send.stream([
      event('response.created', { response: started }),
      event('response.output_item.added', {
        output_index: 0,
        item: { ...item, status: 'in_progress', ...emptied(item) },
      }),
      ...(item.arguments === undefined
        ? []
        : [event('response.function_call_arguments.done', { ...at, arguments: item.arguments })]),
      ...(item.content === undefined
        ? []
        : [event('response.output_text.delta', { ...at, content_index: 0, delta: said })]),
      event('response.output_item.done', { output_index: 0, item }),
      event('response.completed', { response: completed }),
    ])
  },
}

// Tools may be grouped in a namespace.
function responsesTools(tool) {
  if (Array.isArray(tool.tools))
    return tool.tools.map((one) => ({ ...one, name: one.name, schema: one.parameters, space: tool.name }))
  return [{ name: tool.name ?? tool.type, type: tool.type, schema: tool.parameters }]
}

function responsesPart(item) {
  if (/_output$/.test(item.type ?? '')) return [result(item.output)]
  return item.role === 'user'
    ? [text((Array.isArray(item.content) ? item.content : [item.content]).map((part) => part?.text ?? part))]
    : []
}

function emptied(item) {
  return { ...(item.arguments !== undefined && { arguments: '' }), ...(item.content !== undefined && { content: [] }) }
}

function responsesCall(id, { tool, args }) {
  const call_id = `call_mock_${id}`
  const command = textsIn(args.command ?? args.commands ?? args.cmd ?? '').at(-1)
  if (tool.type === 'local_shell') {
    const action = { type: 'exec', command: ['bash', '-lc', command], env: {} }
    return { type: 'local_shell_call', id: `ls_${id}`, call_id, status: 'completed', action }
  }
  if (tool.type === 'custom') {
    const input = args.path === undefined ? (args.input ?? command) : patchText(args)
    return { type: 'custom_tool_call', id: `ct_${id}`, call_id, name: tool.name, input }
  }
  const base = { type: 'function_call', id: `fc_${id}`, call_id, name: tool.name, status: 'completed' }
  return { ...base, ...(tool.space !== undefined && { namespace: tool.space }), arguments: JSON.stringify(args) }
}

function responsesText(id, said) {
  const content = [{ type: 'output_text', text: said, annotations: [] }]
  return { type: 'message', id: `m_${id}`, role: 'assistant', status: 'completed', content }
}

const chat = {
  path: /\/chat\/completions$/,
  read: (body) => ({
    tools: (body.tools ?? [])
      .map((tool) => tool.function ?? tool)
      .map(({ name, parameters }) => ({ name, schema: parameters })),
    parts: (body.messages ?? []).flatMap(({ role, content }) =>
      role === 'tool' ? [result(content)] : role === 'user' ? [text(chatTexts(content))] : [],
    ),
  }),
  write({ body, send, id, call, text: said }) {
    const base = { id: `chatcmpl-mock-${id}`, created: 1, model: body.model ?? 'mock-model' }
    const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 }
    const message = {
      role: 'assistant',
      content: said ?? null,
      ...(call !== undefined && { tool_calls: [chatCall(id, call)] }),
    }
    const finish_reason = call === undefined ? 'stop' : 'tool_calls'
    if (body.stream !== true) {
      return send.json({ ...base, object: 'chat.completion', choices: [{ index: 0, finish_reason, message }], usage })
    }
    const delta = call === undefined ? message : { ...message, tool_calls: [{ index: 0, ...chatCall(id, call) }] }
    const chunk = (fields) => ['', { ...base, object: 'chat.completion.chunk', ...fields }]
    return send.stream([
      chunk({ choices: [{ index: 0, delta, finish_reason: null }] }),
      chunk({ choices: [{ index: 0, delta: {}, finish_reason }] }),
      chunk({ choices: [], usage }),
      ['', '[DONE]'],
    ])
  },
}

function chatTexts(content) {
  return Array.isArray(content) ? content.map((part) => part.text ?? '') : (content ?? '')
}

function chatCall(id, { tool, args }) {
  return { id: `call_mock_${id}`, type: 'function', function: { name: tool.name, arguments: JSON.stringify(args) } }
}

const gemini = {
  path: /:(?:streamG|g)enerateContent$/,
  read: (body) => ({
    tools: (body.tools ?? [])
      .flatMap(({ functionDeclarations }) => functionDeclarations ?? [])
      .map(({ name, parametersJsonSchema, parameters }) => ({ name, schema: parametersJsonSchema ?? parameters })),
    parts: (body.contents ?? [])
      .filter(({ role }) => role !== 'model')
      .flatMap(({ parts }) => (parts ?? []).map(geminiPart)),
  }),
  write({ url, body, send, id, call, text: said }) {
    const answer = body.generationConfig?.responseMimeType === 'application/json' ? SIDE_ANSWER : said
    const part =
      call === undefined
        ? { text: answer }
        : { functionCall: { id: `call_mock_${id}`, name: call.tool.name, args: call.args } }
    const candidates = [{ index: 0, content: { role: 'model', parts: [part] }, finishReason: 'STOP' }]
    const usageMetadata = { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 }
    const reply = { candidates, usageMetadata, modelVersion: 'mock' }
    if (url.searchParams.get('alt') === 'sse') return send.stream([['', reply]])
    return send.json(/:stream/.test(url.pathname) ? [reply] : reply)
  },
}

function geminiPart(part) {
  return part.functionResponse === undefined ? text(part.text ?? '') : result(part.functionResponse.response)
}

// Gemini CLI asks its router and its check of the next speaker for JSON.
const SIDE_ANSWER = JSON.stringify({
  ...{ reasoning: 'mock', model_choice: 'flash', complexity_reasoning: 'mock', complexity_score: 1 },
  next_speaker: 'user',
})

export const PROTOCOLS = [anthropic, responses, chat, gemini]
