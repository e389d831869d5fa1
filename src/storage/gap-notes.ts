// Notes of entries that could not be recorded, outside of the database: a file of fixed slots in the home that is
// overwritten in place, so that a full disk does not matter, and that outlives the process. The next process that can write
// records the notes of processes that ended. A note that cannot be written changes nothing else.

import { closeSync, openSync, readFileSync, readSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { isRecord } from '../engine/plain-data.ts'
import { isProcessAlive } from '../platform/process-alive.ts'

/** Entries that were not recorded when they should have been. */
export interface Gap {
  /** The id of the event that records the gap. */
  readonly id: string
  /** The number of entries. */
  readonly count: number
  /** When the first and the last of them happened, in wall-clock ms. */
  readonly first: number
  readonly last: number
  readonly why: string
}

interface Note extends Gap {
  readonly pid: number
}

const FILE = 'unrecorded'
const SLOTS = 32
const SLOT_BYTES = 512
const MAX_WHY = 200

/** The notes of one home. */
export class GapNotes {
  readonly #file: string
  #slot: number | undefined

  constructor(home: string) {
    this.#file = join(home, FILE)
    this.#prepare()
  }

  /** Writes the note of this process. Returns the gap, together with that of a process that ended if its slot is taken. */
  write(gap: Gap): Gap {
    let written = gap
    this.#open((file) => {
      if (this.#slot === undefined) {
        this.#slot = findSlot(file)
        const before = readSlot(file, this.#slot)
        if (before !== undefined && before.pid !== process.pid) written = merge(before, gap)
      }
      writeSlot(file, this.#slot, { ...written, pid: process.pid })
    })
    return written
  }

  /** Removes the note of this process: the gap is recorded. */
  clear(): void {
    if (this.#slot === undefined) return
    const slot = this.#slot
    this.#slot = undefined
    this.#open((file) => writeSync(file, Buffer.alloc(SLOT_BYTES, ' '), 0, SLOT_BYTES, slot * SLOT_BYTES))
  }

  /** All notes: of processes that ended, and of processes that cannot record now. */
  list(): (Gap & { readonly isOver: boolean })[] {
    try {
      const text = readFileSync(this.#file)
      const slots = Array.from({ length: SLOTS }, (_, at) =>
        parse(text.subarray(at * SLOT_BYTES, (at + 1) * SLOT_BYTES)),
      )
      return slots.flatMap((note) => (note === undefined ? [] : [{ ...note, isOver: !isProcessAlive(note.pid) }]))
    } catch {
      // There is no home yet.
      return []
    }
  }

  /** Removes the note with this id, if its process ended. */
  remove(id: string): void {
    this.#open((file) => {
      for (let slot = 0; slot < SLOTS; slot++) {
        const note = readSlot(file, slot)
        if (note?.id !== id || isProcessAlive(note.pid)) continue
        writeSync(file, Buffer.alloc(SLOT_BYTES, ' '), 0, SLOT_BYTES, slot * SLOT_BYTES)
      }
    })
  }

  // While there is space: a note must not need more later.
  #prepare(): void {
    try {
      const file = openSync(this.#file, 'wx', 0o600)
      writeSync(file, Buffer.alloc(SLOTS * SLOT_BYTES, ' '))
      closeSync(file)
    } catch {
      // It is there, or the home cannot be written.
    }
  }

  #open(work: (file: number) => void): void {
    let file: number | undefined
    try {
      file = openSync(this.#file, 'r+')
      work(file)
    } catch {
      // The home cannot be written: the reply to the host and stderr report the gap.
    } finally {
      if (file !== undefined) closeSync(file)
    }
  }
}

// By the pid, so that processes at the same time use different slots: an empty one, else that of a process that ended.
function findSlot(file: number): number {
  const first = process.pid % SLOTS
  const slots = Array.from({ length: SLOTS }, (_, step) => (first + step) % SLOTS)
  const notes = new Map(slots.map((slot) => [slot, readSlot(file, slot)]))
  const isUsable = (slot: number): boolean => notes.get(slot) === undefined || notes.get(slot)?.pid === process.pid
  const isOver = (slot: number): boolean => !isProcessAlive(notes.get(slot)?.pid ?? 0)
  return slots.find(isUsable) ?? slots.find(isOver) ?? first
}

function merge(before: Gap, now: Gap): Gap {
  const first = Math.min(before.first, now.first)
  return { ...now, count: before.count + now.count, first, last: Math.max(before.last, now.last) }
}

function readSlot(file: number, slot: number): Note | undefined {
  const text = Buffer.alloc(SLOT_BYTES)
  const length = readSync(file, text, 0, SLOT_BYTES, slot * SLOT_BYTES)
  return parse(text.subarray(0, length))
}

function writeSlot(file: number, slot: number, { id, pid, count, first, last, why }: Note): void {
  const text = JSON.stringify({ id, pid, count, first, last, why: why.slice(0, MAX_WHY) })
  const bytes = Buffer.alloc(SLOT_BYTES, ' ')
  bytes.write(text)
  writeSync(file, bytes, 0, SLOT_BYTES, slot * SLOT_BYTES)
}

function parse(bytes: Buffer): Note | undefined {
  try {
    const value: unknown = JSON.parse(bytes.toString())
    return isNote(value) ? value : undefined
  } catch {
    // An empty slot, or one that was written half.
    return undefined
  }
}

function isNote(value: unknown): value is Note {
  if (!isRecord(value)) return false
  const { id, pid, count, first, last, why } = value
  const isText = typeof id === 'string' && typeof why === 'string'
  return isText && [pid, count, first, last].every((each) => Number.isSafeInteger(each))
}
