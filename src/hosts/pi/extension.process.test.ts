// The extension as Pi loads it, asking a real process.

import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, it } from 'vitest'
import { makeTempFolder } from '../../../test/temp-folder.ts'
import { extensionText } from './extension.ts'

type Handler = (event: object, context: object) => Promise<unknown>

interface Loaded {
  emit(name: string, event: object, hasUI?: boolean): Promise<unknown>
  readonly told: string[]
  readonly asked: string[]
}

// An `arc` that answers with this shell script, and a user who answers questions with `agrees`.
async function load(script: string, { failClosed = false, agrees = false } = {}): Promise<Loaded> {
  const dir = makeTempFolder('arc-extension-')
  const command = join(dir, 'arc')
  writeFileSync(command, `#!/bin/sh\n${script}\n`)
  chmodSync(command, 0o755)
  const file = join(dir, 'arc.mjs')
  writeFileSync(file, extensionText({ command, failClosed }))
  const { default: register } = (await import(pathToFileURL(file).href)) as { default: (pi: object) => void }
  const handlers = new Map<string, Handler>()
  register({ on: (name: string, handler: Handler) => handlers.set(name, handler) })
  const [told, asked]: [string[], string[]] = [[], []]
  const confirm = async (_title: string, text: string) => {
    asked.push(text)
    return agrees
  }
  const ui = { notify: (text: string) => void told.push(text), confirm }
  const sessionManager = { getSessionId: () => 's-1', getSessionFile: () => undefined }
  return {
    told,
    asked,
    emit: async (name, event, hasUI = true) =>
      handlers.get(name)?.({ type: name, ...event }, { ui, hasUI, cwd: dir, sessionManager }),
  }
}

const call = (input: object): object => ({ toolName: 'bash', toolCallId: 'c', input })
const saying = (json: object): string => `cat >/dev/null; echo '${JSON.stringify(json)}'`
const text = (value: string): object => ({ type: 'text', text: value })

describe("Pi's extension", () => {
  it('blocks a denied call with the reason, and takes a denied prompt for handled', async () => {
    const { emit, told } = await load(`${saying({ deny: 'not this' })}; exit 2`)
    expect(await emit('tool_call', call({ command: 'rm' }))).toEqual({ block: true, reason: 'not this' })
    expect(await emit('input', { text: 'go', source: 'interactive' })).toEqual({ action: 'handled' })
    expect(await emit('session_before_compact', {})).toEqual({ cancel: true })
    expect(told).toEqual(['not this', 'not this'])
  })

  it('puts changed arguments in the place of the old ones', async () => {
    const { emit } = await load(saying({ args: { command: 'ls' } }))
    const input = { command: 'rm', timeout: 5 }
    expect(await emit('tool_call', call(input))).toBeUndefined()
    expect(input).toEqual({ command: 'ls' })
  })

  it.each([true, false])('asks the user, and does as they say (%s)', async (agrees) => {
    const { emit, asked } = await load(saying({ ask: 'sure?' }), { agrees })
    const reply = await emit('tool_call', call({ command: 'deploy' }))
    expect(asked).toEqual(['sure?'])
    if (agrees) expect(reply).toBeUndefined()
    else expect(reply).toEqual({ block: true, reason: 'The user did not agree.\nsure?' })
  })

  it.each([
    ['exit 1', /exit code 1/],
    ['echo nonsense', /not JSON/],
    ['kill -9 $$', /SIGKILL/],
  ])('tells the user when arc breaks (%s), and stops only when told to fail closed', async (script, why) => {
    const { emit, told } = await load(script)
    expect(await emit('tool_call', call({ command: 'ls' }))).toBeUndefined()
    expect(told.join()).toMatch(why)
    const closed = await load(script, { failClosed: true })
    const reply = await closed.emit('tool_call', call({ command: 'ls' }))
    expect(reply).toEqual({ block: true, reason: expect.stringMatching(why) })
  })

  it.each([true, false])('replaces results, prompts and answers, and adds context (screen: %s)', async (hasUI) => {
    const said = { result: 'clean', prompt: 'asked', output: 'said', context: 'note' }
    const { emit } = await load(saying(said))
    const picture = { type: 'image', data: 'AAAA' }
    const result = { ...call({}), content: [text('dirty'), picture, text('more')], isError: false }
    expect(await emit('tool_result', result, hasUI)).toEqual({ content: [text('clean'), picture, text('note')] })
    const prompt = { text: 'ask', images: [picture] }
    expect(await emit('input', prompt, hasUI)).toEqual({
      ...{ action: 'transform' },
      text: 'asked\n\nnote',
      images: [picture],
    })
    const message = { role: 'assistant', content: [text('wrong')] }
    expect(await emit('message_end', { message }, hasUI)).toEqual({ message: { ...message, content: [text('said')] } })
  })

  it('sends no pictures and no conversations, and answers of the agent only', async () => {
    const { emit, told } = await load(`printf '{"notice":"%s"}' "$3 $(tr -d '"' | cut -c1-400)"`)
    await emit('tool_result', { ...call({}), content: [{ type: 'image', data: 'AAAA' }], isError: false })
    await emit('agent_end', {
      messages: [
        { role: 'user', content: 'long' },
        { role: 'assistant', content: [] },
      ],
    })
    await emit('message_end', { message: { role: 'user', content: [text('mine')] } })
    expect(told).toEqual([
      expect.stringContaining('content:[{type:image}]'),
      expect.stringMatching(/^agent_end (?!.*long).*message:\{role:assistant/),
    ])
  })
})
