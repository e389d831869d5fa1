// How the CLI looks: colours and icons by decision, aligned columns, relative times. No command's logic.

import colors from 'picocolors'
import type { Decision } from '../core/verdict.ts'

/** Icon and colour of each decision; the icon carries the meaning for those who do not see the colour. */
export const LOOK: Readonly<Record<Decision, { readonly icon: string; readonly paint: (text: string) => string }>> = {
  pass: { icon: '✓', paint: colors.green },
  flag: { icon: '!', paint: colors.yellow },
  ask: { icon: '?', paint: colors.magenta },
  block: { icon: '✗', paint: colors.red },
}

/** Prints a line on stdout. */
export function print(line: string): void {
  process.stdout.write(`${line}\n`)
}

/** One line of at most so many characters. */
export function oneLine(text: string, length = 90): string {
  const flat = text.replace(/\s+/g, ' ').trim()
  return flat.length > length ? `${flat.slice(0, length - 1)}…` : flat
}

/** How long ago, in the largest unit that fits: `12s`, `5m`, `3h`, `2d`. */
export function ago(time: string, now = Date.now()): string {
  const seconds = Math.max(0, Math.floor((now - Date.parse(time)) / 1000))
  if (seconds < 60) return `${seconds}s`
  if (seconds < 3_600) return `${Math.floor(seconds / 60)}m`
  return seconds < 86_400 ? `${Math.floor(seconds / 3_600)}h` : `${Math.floor(seconds / 86_400)}d`
}

/** Reads `30m`, `2h`, `7d` or a date as wall-clock milliseconds; undefined when it is neither. */
export function readSince(text: string, now = Date.now()): number | undefined {
  const span = /^(\d+)([smhd])$/.exec(text)
  if (span !== null) return now - Number(span[1]) * UNITS[span[2] as keyof typeof UNITS]
  const date = Date.parse(text)
  return Number.isNaN(date) ? undefined : date
}

const UNITS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }
