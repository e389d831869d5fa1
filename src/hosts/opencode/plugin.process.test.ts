// The plugin as OpenCode loads it, asking a real process.

import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, it } from 'vitest'
import { makeTempFolder } from '../../../test/temp-folder.ts'
import { pluginText } from './plugin.ts'

type Hooks = Record<string, (input: unknown, output?: unknown) => Promise<void>>

// An `arc` that answers with this shell script.
async function load(script: string, failClosed = false): Promise<{ hooks: Hooks; toasts: string[] }> {
  const dir = makeTempFolder('arc-plugin-')
  const command = join(dir, 'arc')
  writeFileSync(command, `#!/bin/sh\n${script}\n`)
  chmodSync(command, 0o755)
  const file = join(dir, 'arc.mjs')
  writeFileSync(file, pluginText({ command, failClosed }))
  const { Arc } = (await import(pathToFileURL(file).href)) as { Arc: (context: unknown) => Promise<Hooks> }
  const toasts: string[] = []
  const showToast = async ({ body }: { body: { message: string } }) => void toasts.push(body.message)
  return { hooks: await Arc({ client: { tui: { showToast } }, directory: dir }), toasts }
}

const CALL = { tool: 'bash', sessionID: 's', callID: 'c' }

function callTool(hooks: Hooks, args: Record<string, unknown>): Promise<void> | undefined {
  return hooks['tool.execute.before']?.(CALL, { args })
}

describe("OpenCode's plugin", () => {
  it('throws the denial, so that the model reads it', async () => {
    const { hooks } = await load(`cat >/dev/null; echo '{"deny":"not this"}'; exit 2`)
    await expect(callTool(hooks, { command: 'rm' })).rejects.toThrow('not this')
  })

  it('puts changed arguments in the place of the old ones', async () => {
    const { hooks } = await load(`cat >/dev/null; echo '{"args":{"command":"ls"}}'`)
    const args = { command: 'rm', force: true }
    await callTool(hooks, args)
    expect(args).toEqual({ command: 'ls' })
  })

  it('sends the event and the call', async () => {
    const { hooks } = await load(
      `if [ "$3" = tool.execute.before ] && grep -q '"callID":"c"'; then echo '{"deny":"seen"}'; fi`,
    )
    await expect(callTool(hooks, {})).rejects.toThrow('seen')
  })

  it.each([
    ['exit 1', /exit code 1/],
    ['echo nonsense', /not JSON/],
    ['kill -9 $$', /SIGKILL/],
  ])('tells the user when arc breaks (%s), and stops only when told to fail closed', async (script, why) => {
    const { hooks, toasts } = await load(script)
    await callTool(hooks, { command: 'ls' })
    expect(toasts.join()).toMatch(why)
    const closed = await load(script, true)
    await expect(callTool(closed.hooks, { command: 'ls' })).rejects.toThrow(why)
  })

  it('replaces a result and adds context to it; a message likewise', async () => {
    const { hooks } = await load(`cat >/dev/null; echo '{"result":"clean","prompt":"asked","context":"note"}'`)
    const output = { output: 'dirty' }
    await hooks['tool.execute.after']?.(CALL, output)
    expect(output.output).toBe('clean\n\nnote')
    const message = { parts: [{ type: 'text', text: 'ask' }, { type: 'file' }, { type: 'text', text: 'more' }] }
    await hooks['chat.message']?.({ sessionID: 's' }, message)
    expect(message.parts.map((part) => part.text)).toEqual(['asked\n\nnote', undefined, ''])
  })

  it('P2 changes the text of an answer, and sends the last text with the end of the turn', async () => {
    const { hooks, toasts } = await load(
      `if grep -q '"answer":"better"'; then echo '{"notice":"ended with it"}'; else echo '{"output":"better"}'; fi`,
    )
    const output = { text: 'done' }
    await hooks['experimental.text.complete']?.({ sessionID: 's' }, output)
    expect(output.text).toBe('better')
    const idle = { event: { type: 'session.idle', properties: { sessionID: 's' } } }
    await hooks.event?.(idle)
    await hooks.event?.(idle)
    expect(toasts).toEqual(['ended with it'])
  })

  it('passes on the few events of the bus that matter, and cannot be broken by them', async () => {
    const { hooks, toasts } = await load(`cat >/dev/null; echo '{"notice":"saw '$3'"}'; exit 2`)
    await hooks.event?.({ event: { type: 'session.idle', properties: {} } })
    await hooks.event?.({ event: { type: 'message.updated', properties: {} } })
    expect(toasts).toEqual(['saw session.idle'])
  })
})
