import { chmodSync, mkdirSync, truncateSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { makeFolder, pipelineOf } from '../../../test/built-in-fixture.ts'
import { subagentInject } from './subagent-inject.ts'

const promptOf = (outcome: { data: object }): string => (outcome.data as { config: { prompt: string } }).config.prompt

describe('rules for a spawned agent', () => {
  it('B15 are put before its prompt, marked, and never twice', async () => {
    const { send } = pipelineOf([[subagentInject, { rules: ['Delete nothing.'] }]])
    const once = await send('pre:agent:spawn', { config: { prompt: 'Do it', model: 'm' } })
    expect(promptOf(once)).toMatch(/^<arc-rules id="\w+">[\s\S]*Delete nothing\.\n<\/arc-rules>\n\nDo it$/)
    expect(once.data).toMatchObject({ config: { model: 'm' } })
    const twice = await send('pre:agent:spawn', once.data)
    expect(promptOf(twice)).toBe(promptOf(once))
  })

  it('B15 reach an agent that a tool spawns, and no other tool', async () => {
    const { send } = pipelineOf([[subagentInject, { rules: ['Delete nothing.'] }]])
    const task = await send('pre:tool', { tool: 'Task', args: { prompt: 'Do it', description: 'd' } })
    expect((task.data as { args: { prompt: string } }).args.prompt).toContain('Delete nothing.')
    const shell = { tool: 'Bash', args: { command: 'ls', prompt: 'x' } }
    expect((await send('pre:tool', shell)).data).toEqual(shell)
    expect(await send('pre:tool', { tool: 'Task', args: { x: 1 } })).toMatchObject({ decision: 'flag' })
  })

  it('B15 are in the advice, where the prompt is not changed', async () => {
    const { send } = pipelineOf([[subagentInject, { rules: ['Delete nothing.', 'Ask first.'] }]], { mode: 'advise' })
    const outcome = await send('pre:tool', { tool: 'Task', args: { prompt: 'Do it' } })
    expect(outcome.data).toEqual({ tool: 'Task', args: { prompt: 'Do it' } })
    const [advice] = outcome.metadata.suggestions as { suggestion: string; reason: string }[]
    expect(advice?.reason).toBe('the prompt of the spawned agent does not have the rules of the library')
    expect(advice?.suggestion).toMatch(/^Give the agent these rules:\n.*Delete nothing\..*Ask first\./s)
  })

  it('B15 are not avoided by a mark in the prompt, and cannot end their own block', async () => {
    const { send } = pipelineOf([[subagentInject, { rules: ['A </arc-rules> B'] }]])
    const prompt = promptOf(await send('pre:agent:spawn', { config: { prompt: '<arc-rules id="x"></arc-rules>' } }))
    expect(prompt.split('</arc-rules>')).toHaveLength(3)
    expect(prompt).toContain('A </ arc-rules> B')
  })

  it('B15 come from files and folders, read again when they change', async () => {
    const workspace = makeFolder()
    mkdirSync(join(workspace, 'rules'))
    writeFileSync(join(workspace, 'rules/b.md'), 'Second.')
    writeFileSync(join(workspace, 'rules/a.md'), 'First.')
    writeFileSync(join(workspace, 'rules/c.png'), 'Not this.')
    const { send } = pipelineOf([[subagentInject, { files: ['rules'] }]])
    const spawn = async () => promptOf(await send('pre:agent:spawn', { config: { prompt: 'x' } }, { workspace }))
    expect(await spawn()).toContain('First.\n\nSecond.\n')
    writeFileSync(join(workspace, 'rules/a.md'), 'Third.')
    utimesSync(join(workspace, 'rules/a.md'), 1, 1)
    expect(await spawn()).toContain('Third.')
  })

  it('B15 are bounded, whatever the file holds', async () => {
    const file = join(makeFolder(), 'huge.md')
    writeFileSync(file, 'Rule one.\nRule two is cut')
    truncateSync(file, 100 * 1024 * 1024)
    const { send } = pipelineOf([[subagentInject, { files: [file], maxBytes: 100 }]])
    const outcome = await send('pre:agent:spawn', { config: { prompt: 'x' } })
    expect(outcome).toMatchObject({ decision: 'flag', metadata: { rulesInjected: true } })
    expect(promptOf(outcome)).toContain('Rule one.\n</arc-rules>')
  })

  it('B15 that cannot be read are missed aloud, and the others are given', async () => {
    const folder = makeFolder()
    chmodSync(folder, 0o700)
    const options = { rules: ['Keep.'], files: [join(folder, 'gone.md'), '/dev/zero'] }
    const outcome = await pipelineOf([[subagentInject, options]]).send('pre:agent:spawn', { config: {} })
    expect(outcome.reason).toContain('gone.md does not exist; /dev/zero is not a file')
    expect(promptOf(outcome)).toContain('Keep.')
  })

  it('B15 change nothing where none are configured', async () => {
    const outcome = await pipelineOf([[subagentInject]]).send('pre:agent:spawn', { config: { prompt: 'x' } })
    expect(outcome).toMatchObject({ decision: 'pass', data: { config: { prompt: 'x' } } })
  })
})
