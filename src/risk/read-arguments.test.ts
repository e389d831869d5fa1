// Every tool is read: what its arguments mean decides, not what it is called.

import { describe, expect, it } from 'vitest'
import { DANGEROUS_CALLS, ORDINARY_CALLS, type ToolCall } from '../../test/tool-calls.ts'
import type { Assessment } from './assessment.ts'
import { classifyRisk } from './classify.ts'
import { decide } from './decide.ts'

const PLACE = { cwd: '/srv/project', workspace: '/srv/project' }
const rate = ({ tool, args }: ToolCall): Assessment => classifyRisk({ tool, args, ...PLACE })
const titled = (calls: readonly ToolCall[]) =>
  calls.map((call) => [call.tool, JSON.stringify(call.args).slice(0, 90), call] as const)

it('G8 classifies the command of an unknown tool', () => {
  const args = { command: 'rm -rf ~' }
  for (const tool of [' Bash ', 'execute_bash', 'mcp__shell__execute']) expect(rate({ tool, args }).tier).toBe(5)
})

describe('ordinary calls', () => {
  it.each(titled(ORDINARY_CALLS))('G8 %s %s goes through', (_tool, _args, call) => {
    const risk = rate(call)
    expect([decide(risk), risk.evidence]).toEqual([expect.stringMatching(/^(?:pass|flag)$/), risk.evidence])
  })
})

describe('dangerous calls', () => {
  it.each(titled(DANGEROUS_CALLS))('G8 %s %s is held or blocked', (_tool, _args, call) => {
    expect(decide(rate(call))).toMatch(/^(?:ask|block)$/)
  })
})
