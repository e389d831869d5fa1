// The extension that `arc install pi` writes: it runs in Pi's process, so it is one file without imports of ours, and does
// as little as possible.

import { askingScript } from '../install/asking-script.ts'
import type { InstallOptions } from '../install/install-file.ts'
import { PI_EVENTS } from './events.ts'
import { piFacts } from './facts.ts'

// Those with a handler below.
const HANDLED = ['input', 'tool_call', 'tool_result', 'message_end', 'session_before_compact']

/** The text of the extension. */
export function extensionText(options: InstallOptions): string {
  const installed = Object.keys(PI_EVENTS).filter((name) => PI_EVENTS[name]?.isInstalled)
  const told = installed.filter((name) => !HANDLED.includes(name))
  return `${askingScript(piFacts.name, options)}
import { spawnSync } from 'node:child_process'

const TOLD_EVENTS = ${JSON.stringify(told)}

${BODY}`
}

// What does not depend on the installation.
const BODY = `// Pi's event without what is long: whole conversations and pictures.
function describe(event, ctx) {
  const { messages, preparation, branchEntries, compactionEntry, images, signal, ...rest } = event
  const last = messages?.findLast((message) => message.role === 'assistant')
  return {
    ...rest,
    ...(rest.content && { content: withoutPictures(rest.content) }),
    ...(last && { message: last }),
    cwd: ctx.cwd,
    sessionId: ctx.sessionManager.getSessionId(),
    sessionFile: ctx.sessionManager.getSessionFile(),
    model: ctx.model?.id,
    hasUI: ctx.hasUI,
  }
}

// A headless Pi waits for no handler at the end of a turn: it would print, and end, before the reply.
function consultAtEnd(event, payload) {
  if (payload.hasUI) return consult(event, payload, false)
  const input = JSON.stringify(payload)
  const { status, signal, error, stdout, stderr } = spawnSync(ARC, ['hook', 'pi', event], { input, encoding: 'utf8', timeout: 60_000 })
  if (status === null) return read({ failure: error?.message ?? 'ended by ' + signal }, false)
  return read({ code: status, stdout, stderr }, false)
}

function withoutPictures(parts) {
  return parts.map((part) => (part.type === 'image' ? { type: 'image' } : part))
}

// Shows notices to the user. Created before ARC is asked: in a headless run the context may have ended when the reply comes.
function teller(ctx) {
  const ui = ctx.hasUI ? ctx.ui : undefined
  return ({ notice }) => {
    if (notice === undefined) return
    if (ui === undefined) console.error(notice)
    else ui.notify(notice, 'warning')
  }
}

// The new text in the place of the first one; other texts go, pictures stay.
function replaceText(parts, text) {
  const at = parts.findIndex((part) => part.type === 'text')
  const changed = { ...parts[at], type: 'text', text }
  return at < 0 ? [changed, ...parts] : parts.flatMap((part, i) => (i === at ? [changed] : part.type === 'text' ? [] : [part]))
}

export default function (pi) {
  for (const name of TOLD_EVENTS) {
    pi.on(name, async (event, ctx) => {
      const tell = teller(ctx)
      tell(await consultAtEnd(name, describe(event, ctx)))
    })
  }
  pi.on('input', async (event, ctx) => {
    const tell = teller(ctx)
    const said = await consult('input', describe(event, ctx), true)
    if (said.deny !== undefined) {
      tell({ notice: said.deny })
      return { action: 'handled' }
    }
    tell(said)
    if (said.prompt === undefined && said.context === undefined) return undefined
    const text = [said.prompt ?? event.text, said.context].filter((part) => part !== undefined).join('\\n\\n')
    return { action: 'transform', text, images: event.images }
  })
  pi.on('tool_call', async (event, ctx) => {
    const tell = teller(ctx)
    const said = await consult('tool_call', describe(event, ctx), true)
    if (said.deny !== undefined) return { block: true, reason: said.deny }
    if (said.ask !== undefined && !(await ctx.ui.confirm('ARC', said.ask))) {
      return { block: true, reason: 'The user did not agree.\\n' + said.ask }
    }
    if (said.args !== undefined) {
      for (const key of Object.keys(event.input)) delete event.input[key]
      Object.assign(event.input, said.args)
    }
    tell(said)
    return undefined
  })
  pi.on('tool_result', async (event, ctx) => {
    const tell = teller(ctx)
    const said = await consult('tool_result', describe(event, ctx), false)
    tell(said)
    if (said.result === undefined && said.context === undefined) return undefined
    const content = said.result === undefined ? event.content : replaceText(event.content, String(said.result))
    return { content: said.context === undefined ? content : [...content, { type: 'text', text: said.context }] }
  })
  pi.on('message_end', async (event, ctx) => {
    const { role, content } = event.message
    if (role !== 'assistant' || !content.some((part) => part.type === 'text' && part.text !== '')) return undefined
    const tell = teller(ctx)
    const said = await consultAtEnd('message_end', describe(event, ctx))
    tell(said)
    return said.output === undefined ? undefined : { message: { ...event.message, content: replaceText(content, said.output) } }
  })
  pi.on('session_before_compact', async (event, ctx) => {
    const tell = teller(ctx)
    const said = await consult('session_before_compact', describe(event, ctx), true)
    tell({ notice: said.deny ?? said.notice })
    return said.deny === undefined ? undefined : { cancel: true }
  })
}
`
