import { describe, expect, it } from 'vitest'
import { mainTextOf, readableOf } from './step-text.ts'

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
  ])('of %s is %s', (data, text) => expect(mainTextOf(data)).toBe(text))
})

describe('a JSON text', () => {
  it('is read as a person would', () => {
    expect(readableOf('"a\\nb"')).toBe('a\nb')
    expect(readableOf('{"a":1}')).toBe('{\n  "a": 1\n}')
    expect(readableOf('cut off…')).toBe('cut off…')
  })
})
