import { describe, expect, it } from 'vitest'
import { findMainText, toReadable } from './step-text.ts'

describe('the main text of a step', () => {
  it.each([
    ['{"tool":"Bash","args":{"command":"ls"}}', 'ls'],
    ['{"tool":"Read","args":{"path":"a.ts"}}', 'a.ts'],
    ['{"prompt":"Fix it"}', 'Fix it'],
    ['{"agent":"ops","config":{"prompt":"Deploy"}}', 'Deploy'],
    ['{"args":"odd"}', undefined],
    ['{"args":{"command":7}}', undefined],
    ['[1]', undefined],
    ['{"clipped', undefined],
  ])('of %s is %s', (data, text) => expect(findMainText(data)).toBe(text))
})

describe('a JSON text', () => {
  it('is read as a person would', () => {
    expect(toReadable('"a\\nb"')).toBe('a\nb')
    expect(toReadable('{"a":1}')).toBe('{\n  "a": 1\n}')
    expect(toReadable('cut off…')).toBe('cut off…')
  })
})
