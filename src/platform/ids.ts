// Ids that sort by time: ULIDs that only ever grow, also within a millisecond and when the clock steps back.

import { randomBytes } from 'node:crypto'

const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const RANDOM_LENGTH = 16

let lastTime = -1
let prefix = ''
let random = new Uint8Array(RANDOM_LENGTH)
let drawn = new Uint8Array(0)
let drawnAt = 0

/** A new id: 26 characters, greater than all ids this process made before. */
export function newId(): string {
  const time = Date.now()
  if (time > lastTime) {
    lastTime = time
    prefix = encodeTime(time)
    // The top digit stays low, so that counting up within a millisecond never overflows.
    random = nextRandom().map((byte, i) => (i === 0 ? byte & 15 : byte & 31))
  } else {
    increment()
  }
  let id = prefix
  for (const digit of random) id += ALPHABET.charAt(digit)
  return id
}

// Drawn for many ids at once: asking for them costs more than all else here.
function nextRandom(): Uint8Array {
  if (drawnAt >= drawn.length) {
    drawn = randomBytes(RANDOM_LENGTH * 256)
    drawnAt = 0
  }
  drawnAt += RANDOM_LENGTH
  return drawn.subarray(drawnAt - RANDOM_LENGTH, drawnAt)
}

function increment(): void {
  for (let i = RANDOM_LENGTH - 1; i >= 0; i--) {
    const digit = random[i] as number
    if (digit < 31) {
      random[i] = digit + 1
      return
    }
    random[i] = 0
  }
}

function encodeTime(time: number): string {
  let encoded = ''
  for (let rest = time, i = 0; i < 10; i++) {
    encoded = ALPHABET.charAt(rest % 32) + encoded
    rest = Math.floor(rest / 32)
  }
  return encoded
}
