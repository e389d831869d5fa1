// What a step makes is gone within microseconds, so that most garbage collections find none of it alive. After a few of
// them V8 forgets the shapes of its classes and throws away all code that was compiled for them, and the engine starts
// cold. One instance of each that is never let go of keeps both.

import { Dispatch, type DispatchServices } from '../engine/dispatch.ts'
import { frozenFields } from '../engine/plain-data.ts'
import { Recorder } from '../engine/recorder.ts'
import { HookRun, Wait } from '../engine/run.ts'
import { buildPlan } from '../engine/table.ts'

const kept: object[] = []

/** Keeps the shapes of everything that a dispatch makes, for as long as the process lives. */
export function keepShapes(): void {
  if (kept.length === 0) kept.push(...makeOneOfEach())
}

function makeOneOfEach(): readonly object[] {
  const plan = buildPlan('', { when: '', canAbort: false, modify: [], aliases: [] }, [])
  const dispatch = new Dispatch(plan, 'off', {}, {}, {} as DispatchServices)
  const nothing = () => 0
  return [
    dispatch,
    Object.preventExtensions(dispatch.cleanView()),
    new HookRun('', 0, 'off'),
    new Wait(dispatch),
    new Recorder(nothing, nothing, dispatch, 0),
    frozenFields({ tool: '', args: { command: '' } }),
  ]
}
