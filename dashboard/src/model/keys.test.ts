import { describe, expect, it } from 'vitest'
import { KeyReader } from './keys.ts'

const press = (key: string, given = {}) => ({ key, hasModifier: false, isTyping: false, isOnControl: false, ...given })

describe('keys', () => {
  it.each([
    ['?', { do: 'help' }],
    ['/', { do: 'search' }],
    ['j', { do: 'next' }],
    ['k', { do: 'previous' }],
    ['Enter', { do: 'open' }],
    ['Escape', { do: 'close' }],
    [' ', { do: 'pause' }],
    ['x', undefined],
    ['constructor', undefined],
  ])('%s means %j', (key, command) => {
    expect(new KeyReader().read(press(key), 0)).toEqual(command)
  })

  it('go to a page after g, if it comes soon', () => {
    const reader = new KeyReader()
    expect(reader.read(press('g'), 0)).toBeUndefined()
    expect(reader.read(press('f'), 500)).toEqual({ do: 'go', key: 'f' })
    expect(reader.read(press('f'), 600)).toBeUndefined()
    reader.read(press('g'), 1_000)
    expect(reader.read(press('j'), 9_000)).toEqual({ do: 'next' })
  })

  it('typed into a field are text, except Escape', () => {
    const reader = new KeyReader()
    expect(reader.read(press('j', { isTyping: true }), 0)).toBeUndefined()
    expect(reader.read(press(' ', { isTyping: true }), 0)).toBeUndefined()
    expect(reader.read(press('Escape', { isTyping: true }), 0)).toEqual({ do: 'close' })
  })

  it('press the button they are on', () => {
    const reader = new KeyReader()
    expect(reader.read(press('Enter', { isOnControl: true }), 0)).toBeUndefined()
    expect(reader.read(press(' ', { isOnControl: true }), 0)).toBeUndefined()
    expect(reader.read(press('j', { isOnControl: true }), 0)).toEqual({ do: 'next' })
  })

  it('with a modifier are the browser’s', () => {
    expect(new KeyReader().read(press('k', { hasModifier: true }), 0)).toBeUndefined()
  })
})
