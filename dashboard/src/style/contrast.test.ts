// The colours of the style sheet, measured by WCAG 2.

import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

const AA = 4.5
const GROUNDS = ['bg', 'panel', 'raised', 'hover', 'selected']
const TONES = ['pass', 'flag', 'ask', 'block', 'error', 'skip']
const TEXTS = ['text', 'soft', 'faint', 'accent', ...TONES]

const themes = readThemes(readFileSync(new URL('./tokens.css', import.meta.url), 'utf8'))

describe('the colours', () => {
  it('are there for dark, for light by the system, and for light by choice, both the same', () => {
    expect(themes).toHaveLength(3)
    expect(themes[2]).toEqual(themes[1])
  })

  it.each([
    ['dark', 0],
    ['light', 1],
  ])('of the %s theme can be read on every ground', (_, index) => {
    const theme = { ...themes[0], ...themes[index] } as Record<string, string>
    const on = (text: string, ground: string): number => contrast(theme[text] ?? '', ground)
    const onGrounds = GROUNDS.flatMap((ground) =>
      TEXTS.map((text) => ({ text, ground, ratio: on(text, theme[ground] ?? '') })),
    )
    const onWashes = ['bg', 'panel', 'raised', 'selected'].flatMap((ground) =>
      TONES.map((text) => {
        const wash = blend(theme[`${text}-wash`] ?? '', theme[ground] ?? '')
        return { text, ground: `wash on ${ground}`, ratio: on(text, wash) }
      }),
    )
    const onButton = { text: 'on-accent', ground: 'accent-fill', ratio: on('on-accent', theme['accent-fill'] ?? '') }
    expect([...onGrounds, ...onWashes, onButton].filter(({ ratio }) => !(ratio >= AA))).toEqual([])
  })
})

function readThemes(css: string): readonly Record<string, string>[] {
  return [...css.matchAll(/\{([^{}]*)\}/g)]
    .map(([, body = '']) =>
      Object.fromEntries([...body.matchAll(/--([\w-]+):\s*(#[0-9a-f]+)/g)].map(([, a, b]) => [a, b])),
    )
    .filter((theme) => theme.bg !== undefined)
}

function channels(colour: string): readonly number[] {
  return [1, 3, 5].map((start) => Number.parseInt(colour.slice(start, start + 2), 16))
}

function blend(colour: string, ground: string): string {
  const alpha = Number.parseInt(colour.slice(7, 9), 16) / 255
  const below = channels(ground)
  const mixed = channels(colour).map((value, index) => Math.round(value * alpha + (below[index] ?? 0) * (1 - alpha)))
  return `#${mixed.map((value) => value.toString(16).padStart(2, '0')).join('')}`
}

function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = channels(colour).map((value) => {
    const share = value / 255
    return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

function contrast(a: string, b: string): number {
  const [light = 0, dark = 0] = [luminance(a), luminance(b)].toSorted((x, y) => y - x)
  return (light + 0.05) / (dark + 0.05)
}
