import { describe, expect, it } from 'vitest'
import type { ActionDetail } from '../../protocol/feed-views.ts'
import { MemoryTraceStore } from '../../storage/memory/trace-store.ts'
import { appendAll, stepEntry } from '../../testing/step-entry.ts'
import type { TraceEntry } from '../../trace/record.ts'
import { readActionDetail } from './action-detail.ts'

async function detailOf(id: string, ...entries: readonly TraceEntry[]): Promise<ActionDetail> {
  const store = new MemoryTraceStore({ env: { MY_TOKEN: 'value-of-the-variable' } })
  void appendAll(store, entries)
  const found = await readActionDetail(store, id)
  if (!('action' in found)) throw new Error(`found ${found.found}`)
  return found
}

const shell = (command: string) => ({ tool: 'shell', args: { command } })

describe('one action, whole', () => {
  it('shows what each hook changed, field by field, and what all of it came to', async () => {
    const data = { tool: 'shell', args: { command: 'rm a\nrm b', cwd: '/w' } }
    const modify = { args: { command: 'trash a\nrm b', cwd: '/w', dry: true } }
    const entry = stepEntry({ data, evaluations: [{ hook: 'edits', modify, applied: true }, { hook: 'looks' }] })
    const edited = { ...entry, outcome: { ...entry.outcome, data: { tool: 'shell', ...modify } } }
    const { steps, action } = await detailOf('step-1', edited)
    const changes = [
      { key: 'args.command', before: 'rm a\nrm b', after: 'trash a\nrm b' },
      { key: 'args.dry', before: null, after: 'true' },
    ]
    expect(steps[0]?.changes).toEqual(changes)
    expect(steps[0]?.verdicts.map((verdict) => verdict.changes)).toEqual([changes, []])
    expect(action.isEdited).toBe(true)
  })

  it('Q2 offers to allow what rules stopped, and not what can never be allowed or another hook blocked', async () => {
    const stopped = (allow?: object) => ({
      ...({ decision: 'block', applied: true } as const),
      ...(allow !== undefined && { metadata: { allow } }),
    })
    const offered = async (...evaluations: object[]) =>
      (await detailOf('step-1', stepEntry({ data: shell('x'), evaluations }))).steps[0]?.canBeAllowed
    const note = { step: 'hash', rules: ['git/push-force'] }
    expect(await offered(stopped(note))).toBe(true)
    expect(await offered(stopped({ never: 'tier 5' }))).toBe(false)
    expect(await offered(stopped())).toBe(false)
    expect(await offered(stopped(note), stopped())).toBe(false)
    expect(await offered({ decision: 'pass' })).toBe(false)
  })

  it('marks the place of the evidence, but not where redaction moved it', async () => {
    const risk = (matched: string, start: number) => ({
      ...({ decision: 'block', applied: true } as const),
      metadata: {
        risk: {
          evidence: [
            { rule: 'r', tier: 4, effect: 'e', reason: 'x', matched, span: { start, end: start + matched.length } },
          ],
        },
      },
    })
    const plain = await detailOf('step-1', stepEntry({ data: shell('echo a; rm b'), evaluations: [risk('rm b', 8)] }))
    expect(plain.steps[0]?.verdicts[0]?.evidence[0]).toMatchObject({ text: 'echo a; rm b', start: 8, end: 12 })
    const command = 'export T=value-of-the-variable; rm b'
    const moved = await detailOf(
      'step-1',
      stepEntry({ data: shell(command), evaluations: [risk('rm b', command.indexOf('rm b'))] }),
    )
    const [evidence] = moved.steps[0]?.verdicts[0]?.evidence ?? []
    expect(evidence).toMatchObject({ rule: 'r', matched: 'rm b' })
    expect(evidence).not.toHaveProperty('text')
    expect(JSON.stringify(moved)).not.toContain('value-of-the-variable')
  })

  it('finds what came after it, however much others did meanwhile, and by the id of that as well', async () => {
    const others = Array.from({ length: 900 }, (_, n) => stepEntry({ id: `o${n}`, session: 'other' }))
    const after = stepEntry({
      id: 'after',
      session: 's',
      point: 'post:tool',
      metadata: { preStep: 'first', sinceMs: 7 },
    })
    const told = {
      id: 'e',
      time: 0,
      component: 'hosts',
      action: 'reply:unsupported',
      session: 's',
      metadata: { step: 'first' },
    } as const
    const all = [stepEntry({ id: 'first', session: 's' }), ...others, told, after]
    const detail = await detailOf('first', ...all)
    expect(detail.steps.map(({ step }) => step.id)).toEqual(['first', 'after'])
    expect(detail.events.map(({ action }) => action)).toEqual(['reply:unsupported'])
    expect(detail.action.ranMs).toBe(7)
    expect((await detailOf('after', ...all)).action).toEqual(detail.action)
    // If the first was removed by retention, the second is shown alone.
    expect((await detailOf('after', after)).steps.map(({ step }) => step.id)).toEqual(['after'])
  })

  it('takes whatever a hook left as evidence or edit without failing', async () => {
    const odd = [null, 5, 'text', [], { evidence: 'none' }, { evidence: [null, 3, { rule: {} }] }]
    for (const risk of odd) {
      const evaluations = [{ metadata: { risk }, modify: { args: { a: { b: [1, null] } } } }]
      await expect(detailOf('step-1', stepEntry({ evaluations }))).resolves.toBeDefined()
    }
  })
})
