// The two wire formats in which models are asked: what is sent, and where in the answer the text is.
// To add a format, add a row. No tools are ever offered to the model.

import { isRecord } from '../../../engine/plain-data.ts'

/** One question to a model. */
export interface ModelRequest {
  readonly model: string
  readonly system: string
  readonly messages: readonly { readonly role: 'user' | 'assistant'; readonly content: string }[]
  readonly maxTokens: number
  /** The JSON Schema that the answer must follow. */
  readonly schema: object
}

/** What a model said: a text, the beginning of one, or a refusal. */
type Said =
  | { readonly kind: 'text' | 'cut-off'; readonly text: string }
  | { readonly kind: 'refusal'; readonly why: string }

/** A wire format. */
export interface WireFormat {
  readonly baseUrl: string
  readonly path: string
  readonly keyVariable: string
  /** Without a key for servers that need none. */
  headers(key: string | undefined): Record<string, string>
  request(question: ModelRequest): object
  /** Undefined when the answer does not have the format's shape. */
  read(answer: unknown): Said | undefined
}

/** The formats by name. */
export const WIRE_FORMATS = {
  anthropic: {
    baseUrl: 'https://api.anthropic.com',
    path: '/v1/messages',
    keyVariable: 'ANTHROPIC_API_KEY',
    headers: (key) => ({ ...(key !== undefined && { 'x-api-key': key }), 'anthropic-version': '2023-06-01' }),
    request: ({ model, system, messages, maxTokens, schema }) => ({
      model,
      system,
      messages,
      max_tokens: maxTokens,
      output_config: { format: { type: 'json_schema', schema } },
    }),
    read: (answer) => {
      if (!isRecord(answer)) return undefined
      if (answer.stop_reason === 'refusal') return { kind: 'refusal', why: 'the model refused to check this step' }
      if (!Array.isArray(answer.content)) return undefined
      return { kind: answer.stop_reason === 'max_tokens' ? 'cut-off' : 'text', text: readText(answer.content) }
    },
  },
  openai: {
    baseUrl: 'https://api.openai.com/v1',
    path: '/chat/completions',
    keyVariable: 'OPENAI_API_KEY',
    headers: (key) => (key === undefined ? {} : { authorization: `Bearer ${key}` }),
    request: ({ model, system, messages, maxTokens, schema }) => ({
      model,
      messages: [{ role: 'system', content: system }, ...messages],
      max_completion_tokens: maxTokens,
      response_format: { type: 'json_schema', json_schema: { name: 'verdict', strict: true, schema } },
    }),
    read: (answer) => {
      const choice: unknown = isRecord(answer) && Array.isArray(answer.choices) ? answer.choices[0] : undefined
      if (!isRecord(choice) || !isRecord(choice.message)) return undefined
      const { refusal, content } = choice.message
      // Some servers write every field, and an empty one for none.
      if (typeof refusal === 'string' && refusal !== '') return { kind: 'refusal', why: refusal }
      if (choice.finish_reason === 'content_filter') return { kind: 'refusal', why: 'its answer was filtered' }
      return { kind: choice.finish_reason === 'length' ? 'cut-off' : 'text', text: readText(content) }
    },
  },
} as const satisfies Record<string, WireFormat>

/** The name of a wire format. */
export type WireFormatName = keyof typeof WIRE_FORMATS

// A text, or a list of blocks of which some are text: thinking and the like are not part of the answer.
function readText(content: unknown): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  const texts = content.filter((block) => isRecord(block) && block.type === 'text').map(({ text }) => text)
  return texts.filter((text) => typeof text === 'string').join('')
}
