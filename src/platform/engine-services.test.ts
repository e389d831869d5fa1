// Time, patterns and the place for faults, as this process has them.

import { afterEach, describe, expect, it, vi } from 'vitest'
import { linearRegex, nodeServices, systemClock } from './engine-services.ts'

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

describe('the clock of the process', () => {
  it('calls back after the time given, unless undone; undoing twice is fine', () => {
    vi.useFakeTimers()
    const calls: string[] = []
    systemClock.after(10, () => calls.push('kept'))
    const undo = systemClock.after(10, () => calls.push('undone'))
    undo()
    undo()
    vi.advanceTimersByTime(9)
    expect(calls).toEqual([])
    vi.advanceTimersByTime(1)
    expect(calls).toEqual(['kept'])
  })

  it('does not take a time longer than timers can wait for none at all', () => {
    vi.useFakeTimers()
    const callback = vi.fn()
    const undo = systemClock.after(2 ** 40, callback)
    vi.advanceTimersByTime(60_000)
    expect(callback).not.toHaveBeenCalled()
    undo()
  })

  it('calls back soon, but after promise callbacks', async () => {
    const calls: string[] = []
    const done = new Promise<void>((resolve) => systemClock.soon(resolve)).then(() => calls.push('soon'))
    await Promise.resolve()
      .then(() => calls.push('promise'))
      .then(() => calls.push('promise'))
    await done
    expect(calls).toEqual(['promise', 'promise', 'soon'])
  })

  it('tells monotonic and wall time', () => {
    const [now, wall] = [systemClock.now(), systemClock.wall()]
    expect(systemClock.now()).toBeGreaterThanOrEqual(now)
    expect(Math.abs(wall - Date.now())).toBeLessThan(10_000)
  })
})

describe('a linear regular expression', () => {
  it.each<[string, string, string, boolean]>([
    ['a.c', '', 'xabcx', true],
    ['^a.c$', '', 'xabcx', false],
    ['ABC', '', 'abc', false],
    ['ABC', 'i', 'abc', true],
    ['^b$', '', 'a\nb', false],
    ['^b$', 'm', 'a\nb', true],
    ['a.b', '', 'a\nb', false],
    ['a.b', 's', 'a\nb', true],
    ['^.$', 'u', '😀', true],
    ['^A.b$', 'ims', 'x\na\nB', true],
  ])('/%s/%s on %j: %s', (source, flags, text, expected) => {
    expect(linearRegex(source, flags)(text)).toBe(expected)
  })

  it('may be used again and again', () => {
    const test = linearRegex('a', '')
    expect([test('a'), test('a'), test('b'), test('a')]).toEqual([true, true, false, true])
  })

  it.each(['g', 'y', 'x', 'ig'])('refuses the flags %s by name', (flags) => {
    expect(() => linearRegex('a', flags)).toThrow(/flag [gyx] is not supported/)
  })

  it.each(['(', 'a(?=b)', '(a)\\1', '[z-a]'])('refuses %s when it is compiled, not when it is used', (source) => {
    expect(() => linearRegex(source, '')).toThrow()
  })

  it('takes linear time where a backtracking one would take forever', () => {
    expect(linearRegex('^(a+)+$', '')(`${'a'.repeat(5_000)}!`)).toBe(false)
  })
})

describe('faults', () => {
  const fault = { kind: 'hook', point: 'pre:tool', hook: 'lint', onError: 'log', message: 'crash: Error: bug' } as const

  it.each([
    ['a failed hook, without a sink', false, fault, 'arc: hook lint failed at pre:tool: crash: Error: bug\n'],
    [
      'a failed hook that aborts',
      false,
      { ...fault, onError: 'abort' },
      'arc: hook lint failed at pre:tool: crash: Error: bug\n',
    ],
    ['a failed hook that is to be skipped', false, { ...fault, onError: 'skip' }, ''],
    ['a failed hook, with a sink that has it', true, fault, ''],
    [
      'a failed sink',
      true,
      { kind: 'sink', point: 'pre:tool', hook: 'lint', message: 'full' },
      'arc: sink (hook lint) failed at pre:tool: full\n',
    ],
    [
      'a failed maxMode',
      true,
      { kind: 'max-mode', point: 'pre:tool', message: 'bug' },
      'arc: max-mode failed at pre:tool: bug\n',
    ],
    [
      'a failed observation',
      true,
      { kind: 'observe', point: 'pre:tol', message: 'no' },
      'arc: observe failed at pre:tol: no\n',
    ],
  ] as const)('D6 on stderr: %s', (_what, hasSink, given, expected) => {
    let written = ''
    vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
      written += String(text)
      return true
    })
    nodeServices({ hasSink }).report(given)
    expect(written).toBe(expected)
  })
})
