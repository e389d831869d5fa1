// Every cell of every host's table: what a host cannot carry out at an event is neither recorded nor told as done. The
// subjects' models of the agents, written from measurements and documents, say what an agent does with a reply.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SUBJECTS } from '../../../test/host-subjects.ts'
import { makeHome, PROFILE, type SupervisedHome } from '../../../test/supervised-home.ts'
import type { Mode } from '../../engine/mode.ts'
import { POINTS, type PointSpec } from '../../engine/points.ts'
import { HOST_NAMES, type HostEvent, type HostName } from '../../hosts/host.ts'
import { HOSTS } from '../../hosts/list.ts'
import { Supervisor } from '../../supervisor/supervisor.ts'
import type { EvaluationRecord, StepRecord } from '../../trace/record.ts'
import { answerHookCall } from './answer.ts'
import type { SupervisorProvider } from './supervisor-provider.ts'

let at: SupervisedHome
let supervisor: Supervisor
let provider: SupervisorProvider
let calls = 0

beforeAll(() => {
  at = makeHome()
  at.write(PROFILE, { enforcement: 'enforce', approvals: { waitMs: 0, unattendedWaitMs: 0 } })
  supervisor = new Supervisor({ home: at.home, builtIns: [] })
  provider = { find: () => supervisor, readMode: async () => 'enforce' }
})
afterAll(async () => {
  await supervisor.close()
  at.remove()
})

const MODES = ['log', 'advise', 'enforce'] as const satisfies readonly Mode[]
const NEW_VALUES: Readonly<Record<string, unknown>> = {
  args: { command: 'touch b' },
  config: { task: 'other' },
}

interface Cell {
  readonly host: HostName
  readonly event: string
  readonly spec: HostEvent
  readonly mode: Mode
}

async function decide({ host, event, mode, spec }: Cell, verdict: object) {
  supervisor.engine.mode = mode
  const undo = supervisor.engine.register(spec.point as 'pre:tool', () => verdict as never, { name: 'cell' })
  const { payloadFor, interpret } = SUBJECTS[host]
  const payload = payloadFor(event)
    .replaceAll(/"(s-1|call-1|conv-1|task-1)"/g, `"$1-${++calls}"`)
    .replace('touch a', `touch a${calls}`)
  try {
    const reply = await answerHookCall({ host, event, payload, cwd: at.project }, provider)
    const found = supervisor.trace.get('last')
    if (found.found !== 'step') throw new Error('not on record')
    const evaluation = found.evaluations.find(({ hook }) => hook === 'cell') as EvaluationRecord
    const effect = interpret(event, { ...reply, unsupported: [] })
    return { text: reply.stdout + reply.stderr, effect, step: found.record as StepRecord, evaluation }
  } finally {
    undo()
  }
}

const CELLS = HOST_NAMES.flatMap((host) =>
  Object.entries(HOSTS[host].events).map(([event, spec]) => ({ host, event, spec })),
)

function title({ host, event, mode }: Cell, what: string): string {
  return `${host} ${event} ${what} in ${mode}`
}

describe.each(HOST_NAMES)('E5 %s', (host) => {
  const cells = CELLS.filter((cell) => cell.host === host).flatMap((cell) => MODES.map((mode) => ({ ...cell, mode })))

  it.each(['block', 'ask'] as const)('records and reports a %s only where it carries it out', async (decision) => {
    for (const cell of cells) {
      const { effect, evaluation, step, text } = await decide(cell, { decision, reason: 'it destroys work' })
      const what = title(cell, decision)
      const isStopped = effect.stopped || effect.prompted === true || (decision === 'ask' && isPrompting(cell))
      expect(evaluation.decision, what).toBe(decision)
      if (cell.mode !== 'enforce') expect([effect.stopped, evaluation.applied], what).toEqual([false, false])
      else expect(evaluation.applied, what).toBe(isStopped)
      expect(step.outcome.blocked, what).toBe(evaluation.applied)
      expect(step.decision, what).toBe(evaluation.applied ? decision : 'flag')
      if (!evaluation.applied) expect(text, what).not.toMatch(/Blocked by ARC|needs your approval/)
    }
  })

  it('says why a block is not applied, and tells the user that the agent cannot stop it', async () => {
    for (const cell of cells) {
      const point: PointSpec = POINTS[cell.spec.point]
      if (!point.canAbort || cell.spec.block !== 'none') continue
      const { effect, evaluation } = await decide(cell, { decision: 'block', reason: 'it destroys work' })
      const why = `${host} cannot stop this event`
      expect(evaluation.dropped, title(cell, 'block')).toEqual([{ field: 'block', why }])
      if (!cell.spec.notice || cell.mode === 'log') continue
      expect(effect.notice, title(cell, 'block')).toContain(`Flagged: ${why}`)
      expect(effect.notice, title(cell, 'block')).toContain('it destroys work')
    }
  })

  it('records an edit as applied only if it uses the edit, or stops the action instead', async () => {
    for (const cell of cells) {
      for (const field of (POINTS[cell.spec.point] as PointSpec).modify) {
        const value = NEW_VALUES[field] ?? `new ${field}`
        const { effect, evaluation, step, text } = await decide(cell, { modify: { [field]: value } })
        const what = title(cell, field)
        const marks = JSON.stringify(value).match(/new \w+|touch b|other/g) ?? []
        const isUsed = !effect.stopped && cell.mode === 'enforce' && cell.spec.edits.includes(field as never)
        expect(evaluation.applied, what).toBe(cell.mode === 'enforce' && (isUsed || effect.stopped))
        // An edit that enforce would turn into a block is a flag in the lower modes, as any block.
        const wouldStop = evaluation.decision === 'block'
        expect(step.decision, what).toBe(effect.stopped ? 'block' : wouldStop ? 'flag' : 'pass')
        if (wouldStop) expect(cell.spec.edits, what).not.toContain(field)
        if (isUsed) for (const mark of marks) expect(text, what).toContain(mark)
        if (!evaluation.applied && cell.mode === 'enforce') {
          expect(evaluation.dropped, what).toEqual([{ field, why: `${host} cannot change this here` }])
        }
      }
    }
  })
})

function isPrompting({ spec }: Cell): boolean {
  return spec.ask === 'prompting'
}
