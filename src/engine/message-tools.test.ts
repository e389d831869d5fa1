import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hasNamedRecipient, isForPeople, isMessageTool, readToolMessage } from './message-tools.ts'
import { isToolNamed, toolClass } from './tools.ts'

describe('tools that send messages', () => {
  it.each([
    ...['SendMessage', 'send_message', 'send-message', 'sendMessageToAgent', 'send_input', 'post_message'],
    ...['mcp__mail__send_message', 'mcp_team_broadcast', 'mcp__x__ask_agent', 'tellTeammate', 'reply_dm'],
  ])('B2 %s is one', (tool) => {
    expect(isMessageTool(tool)).toBe(true)
    expect(isToolNamed('message', tool)).toBe(true)
  })

  it.each([
    ...['Bash', 'AskUserQuestion', 'notify_user', 'message_user', 'list_messages', 'get_message', 'wait_agent'],
    ...['generate_commit_message', 'send_email', 'Task', 'spawn_agent', 'push', 'mcp__git__push', 'message', 'input'],
  ])('B2 %s is none', (tool) => {
    expect(isMessageTool(tool)).toBe(false)
  })

  it('B2 a tool of a server stays one of the class mcp', () => {
    expect(toolClass('mcp__x__send_message')).toBe('mcp')
    expect(toolClass('SendMessage')).toBe('message')
  })

  it('B2 reads recipient, text and reply under the usual names', () => {
    expect(readToolMessage('SendMessage', { to: 'ann', message: 'hi', summary: 's' })).toMatchObject({
      recipients: ['ann'],
      text: 'hi\ns',
      isReply: false,
    })
    expect(readToolMessage('send_input', { id: 'a1', items: [{ type: 'text', text: 'go' }] }).recipients).toEqual([
      'a1',
    ])
    expect(readToolMessage('SendMessage', { type: 'broadcast', content: 'x' }).recipients).toEqual([])
    expect(readToolMessage('SendMessage', { type: 'shutdown_response', request_id: 'r' }).isReply).toBe(true)
    expect(readToolMessage('x', { from_agent: 'me', toAgents: ['a', 'b'] })).toMatchObject({
      recipients: ['a', 'b'],
      namesAgent: true,
    })
  })

  it.each(['*', 'all', 'everyone', '@channel', 'Team'])('B2 %s names no recipient', (name) => {
    expect(hasNamedRecipient([name])).toBe(false)
    expect(hasNamedRecipient([])).toBe(false)
    expect(hasNamedRecipient(['ann', 'bob'])).toBe(true)
    expect([isForPeople(['user']), isForPeople(['user', 'ann'])]).toEqual([true, false])
  })

  it('B2 never throws, and the spelling of a name does not count', () => {
    fc.assert(
      fc.property(fc.string(), fc.anything(), (tool, args) => {
        readToolMessage(tool, args)
        isMessageTool(tool)
      }),
    )
    const words = fc.array(fc.constantFrom('send', 'message', 'agent', 'get', 'user', 'ask', 'x1'), { minLength: 1 })
    fc.assert(
      fc.property(words, (parts) => {
        const camel = parts.map((part) => part[0]?.toUpperCase() + part.slice(1)).join('')
        expect(isMessageTool(camel)).toBe(isMessageTool(parts.join('_')))
        expect(isMessageTool(parts.join('-'))).toBe(isMessageTool(parts.join('_')))
      }),
    )
  })
})
