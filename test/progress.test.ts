import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { showProgress } from '../scripts/progress.mjs'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

it('on a terminal one line ticks every second and is cleared at the end', () => {
  const written = collect(true)
  const progress = showProgress(() => 'building', written.stream)
  vi.advanceTimersByTime(2_000)
  const clear = '\r\x1b[K'
  expect(written.texts).toEqual(['building…', clear, 'building… 1 s', clear, 'building… 2 s'])
  expect(progress.stop()).toBe(2_000)
  vi.advanceTimersByTime(5_000)
  expect(written.texts.slice(5)).toEqual([clear])
})

it('elsewhere a line is added every ten seconds', () => {
  const written = collect(false)
  const progress = showProgress(() => 'building', written.stream)
  vi.advanceTimersByTime(20_000)
  progress.stop()
  expect(written.texts).toEqual(['building…\n', 'building… 10 s\n', 'building… 20 s\n'])
})

it('the label is read again for each line', () => {
  const written = collect(false)
  const running = ['types', 'dead code']
  const progress = showProgress(() => running.join(', '), written.stream)
  running.shift()
  vi.advanceTimersByTime(10_000)
  progress.stop()
  expect(written.texts).toEqual(['types, dead code…\n', 'dead code… 10 s\n'])
})

function collect(isTTY: boolean) {
  const texts: string[] = []
  return { texts, stream: { isTTY, write: (text: string) => texts.push(text) } }
}
