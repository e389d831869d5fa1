import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { makeTempFolder } from '../../test/temp-folder.ts'
import { type Gap, GapNotes } from './gap-notes.ts'
import { GapTracker } from './gap-tracker.ts'

// Above the largest pid of Linux, so that no process has it.
const ENDED_PID = 2 ** 22 + 1
const SLOT_BYTES = 512
const SLOTS = 32

describe('the notes of a home', () => {
  let home: string
  beforeEach(() => {
    home = makeTempFolder('arc-gaps-')
  })

  it('Z1 a process leaves the note of one that ended alone while there is an empty slot', () => {
    const notes = new GapNotes(home)
    for (let slot = 0; slot < SLOTS; slot += 2) writeNote(home, slot, 1)
    new GapTracker(notes).add([1_000], new Error('disk full'))
    expect(sumCounts(notes)).toBe(SLOTS / 2 + 1)
    expect(notes.list()).toHaveLength(SLOTS / 2 + 1)
  })

  it('Z1 a gap includes the note whose slot it took, until it is recorded', () => {
    const notes = new GapNotes(home)
    for (let slot = 0; slot < SLOTS; slot++) writeNote(home, slot, 3)
    const tracker = new GapTracker(notes)
    tracker.add([2_000], new Error('disk full'))
    tracker.add([3_000, 4_000], new Error('disk full'))
    expect(sumCounts(notes)).toBe(SLOTS * 3 + 3)
    expect(tracker.toEntry(2)?.metadata).toMatchObject({
      ...{ count: 6, late: 2, lost: 4 },
      ...{ first: new Date(500).toISOString(), last: new Date(4_000).toISOString() },
    })
    tracker.detach()
    expect(sumCounts(notes)).toBeGreaterThan((SLOTS - 1) * 3)
    tracker.close(2)
    expect(sumCounts(notes)).toBe((SLOTS - 1) * 3)
  })
})

function sumCounts(notes: GapNotes): number {
  return notes.list().reduce((sum, { count }) => sum + count, 0)
}

/** Writes the note of a process that ended. */
function writeNote(home: string, slot: number, count: number): void {
  const note: Gap & { pid: number } = {
    ...{ id: `gap-${slot}`, pid: ENDED_PID, count, first: 500, last: 600, why: 'locked' },
  }
  const file = join(home, 'unrecorded')
  const bytes = readFileSync(file)
  bytes.write(JSON.stringify(note).padEnd(SLOT_BYTES), slot * SLOT_BYTES)
  writeFileSync(file, bytes)
}
