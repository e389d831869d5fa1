// Ids that sort by time.

import fc from 'fast-check'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { newId } from './ids.ts'

const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const timeOf = (id: string) => [...id.slice(0, 10)].reduce((time, digit) => time * 32 + ALPHABET.indexOf(digit), 0)

afterEach(() => {
  vi.restoreAllMocks()
})

describe('an id', () => {
  it('is a ULID: 26 digits, the first ten of them the time', () => {
    const time = Date.now() + 1_000_000
    vi.spyOn(Date, 'now').mockReturnValue(time)
    const id = newId()
    expect(id).toMatch(new RegExp(`^[${ALPHABET}]{26}$`))
    expect(timeOf(id)).toBe(time)
  })

  it('is greater than every id before it, whatever the clock does', () => {
    const steps = fc.array(
      fc.oneof(fc.constant(0), fc.integer({ min: -5, max: 5 }), fc.integer({ min: -1e9, max: 1e9 })),
      {
        maxLength: 200,
      },
    )
    const clock = vi.spyOn(Date, 'now')
    let time = Date.UTC(2030, 0, 1)
    let last = newId()
    fc.assert(
      fc.property(steps, (list) => {
        for (const step of list) {
          time = Math.max(0, time + step)
          clock.mockReturnValue(time)
          const id = newId()
          expect(id > last).toBe(true)
          expect(id).toHaveLength(26)
          last = id
        }
      }),
    )
  })

  it('counts up within a millisecond, carrying over as often as it takes', () => {
    vi.spyOn(Date, 'now').mockReturnValue(Date.UTC(2200, 0, 1))
    const ids = Array.from({ length: 50_000 }, newId)
    expect(new Set(ids).size).toBe(ids.length)
    expect(ids.toSorted()).toEqual(ids)
  })

  it('cannot be predicted from the previous id, once the time has moved', () => {
    const clock = vi.spyOn(Date, 'now')
    const tails = Array.from({ length: 50 }, (_, i) => {
      clock.mockReturnValue(Date.UTC(2300, 0, 1) + i)
      return newId().slice(10)
    })
    expect(new Set(tails.map((tail) => tail.slice(0, 8))).size).toBe(50)
  })
})
