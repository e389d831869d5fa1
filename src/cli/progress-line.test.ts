// The progress of long commands: a bar or the elapsed seconds on a terminal, plain lines elsewhere, nothing with --json.

import { Writable } from 'node:stream'
import { stripVTControlCharacters } from 'node:util'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type CommandContext, context, runWithContext } from './context.ts'
import { ProgressLine, whileWaiting } from './progress-line.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] }))
afterEach(() => void vi.useRealTimers())

interface Screen {
  readonly written: string[]
  run<T>(work: () => T): T
}

function makeScreen(isTTY: boolean, columns = 80): Screen {
  const written: string[] = []
  const stderr = new Writable({
    write: (chunk, _encoding, done) => {
      written.push(String(chunk))
      done()
    },
  })
  const given: CommandContext = {
    ...{ stdin: context().stdin, stdout: context().stdout, cwd: '/', program: 'arc', env: {} },
    stderr: Object.assign(stderr, { isTTY, columns }),
  }
  return { written, run: (work) => runWithContext(given, work) }
}

// The lines one after the other, an empty one where the line is removed at the end.
function shown({ written }: Screen): readonly string[] {
  const texts = written.map((text) => stripVTControlCharacters(text).replaceAll(/\r *\r/g, ''))
  return texts.filter((text, at) => text !== '' || at === texts.length - 1)
}

describe('Q7 a count', () => {
  it('Q7 is a bar on a terminal, drawn ten times a second at most and removed at the end', () => {
    const screen = makeScreen(true)
    screen.run(() => {
      const progress = new ProgressLine()
      progress.count('verified', 250, 1_000)
      progress.count('verified', 251, 1_000)
      vi.advanceTimersByTime(100)
      progress.count('verified', 1_000, 1_000)
      progress.end()
      progress.end()
    })
    expect(shown(screen)).toEqual([
      `verified  ${'█'.repeat(6)}${'░'.repeat(18)}  25 %  250 of 1,000 records`,
      `verified  ${'█'.repeat(24)}  100 %  1,000 of 1,000 records`,
      '',
    ])
  })

  it.each([10, 24, 40])('Q7 is not wider than a terminal of %d columns', (columns) => {
    const screen = makeScreen(true, columns)
    screen.run(() => new ProgressLine().count('verified', 123_456_789, 987_654_321))
    expect(shown(screen)[0]?.length).toBeLessThan(columns)
  })

  it('Q7 is a plain line every ten seconds without a terminal, and nothing with --json', () => {
    const [plain, json] = [makeScreen(false), makeScreen(true)]
    for (const screen of [plain, json]) {
      screen.run(() => {
        const progress = new ProgressLine({ isJson: screen === json })
        for (let second = 0; second < 25; second++) {
          progress.count('removed', second * 1_000)
          vi.advanceTimersByTime(1_000)
        }
        progress.end()
      })
    }
    expect(plain.written).toEqual(['removed 10,000 records\n', 'removed 20,000 records\n'])
    expect(json.written).toEqual([])
  })
})

describe('Q7 a wait', () => {
  it('Q7 counts the seconds after the first one, and leaves the work alone', async () => {
    const screen = makeScreen(true)
    let finish: (value: number) => void = () => undefined
    const work = new Promise<number>((resolve) => {
      finish = resolve
    })
    const waited = screen.run(() => whileWaiting('waiting for the daemon', work))
    vi.advanceTimersByTime(999)
    expect(screen.written).toEqual([])
    vi.advanceTimersByTime(61_001)
    finish(7)
    expect(await waited).toBe(7)
    expect([shown(screen)[0], shown(screen).at(-2), shown(screen).at(-1)]).toEqual([
      'waiting for the daemon … 1s',
      'waiting for the daemon … 1m 2s',
      '',
    ])
    await expect(screen.run(() => whileWaiting('x', Promise.reject(new Error('no'))))).rejects.toThrow('no')
  })

  it('Q7 prints its text once without a terminal, then every ten seconds; escapes what a terminal would obey', () => {
    const screen = makeScreen(false)
    screen.run(() => {
      const progress = new ProgressLine()
      progress.wait('ada\u001b[2J speaks')
      vi.advanceTimersByTime(21_000)
      progress.end()
      vi.advanceTimersByTime(21_000)
    })
    expect(screen.written).toEqual([
      'ada\\u{1b}[2J speaks …\n',
      'ada\\u{1b}[2J speaks … 10s\n',
      'ada\\u{1b}[2J speaks … 20s\n',
    ])
  })
})
