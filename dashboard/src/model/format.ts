// Formats numbers, times and durations. Pure: the current time is a parameter.

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** `980`, `12.3k`, `4.5M`. */
export function formatCount(count: number): string {
  if (!Number.isFinite(count)) return '–'
  const units = [
    { size: 1e9, sign: 'G' },
    { size: 1e6, sign: 'M' },
    { size: 1e3, sign: 'k' },
  ]
  if (Math.abs(count) < 10_000) return String(Math.round(count))
  const { size, sign } = units.find((unit) => Math.abs(count) >= unit.size) ?? { size: 1, sign: '' }
  const value = count / size
  return `${Math.abs(value) >= 100 ? Math.round(value) : value.toFixed(1)}${sign}`
}

/** `0.21 ms`, `12 ms`, `1.4 s`, `2 m 5 s`. */
export function formatDuration(ms: number | null | undefined): string {
  if (ms === null || ms === undefined || !Number.isFinite(ms)) return '–'
  if (ms < 0.995) return `${ms.toFixed(2)} ms`
  if (ms < 9.95) return `${ms.toFixed(1)} ms`
  if (ms < 999.5) return `${Math.round(ms)} ms`
  if (ms < 9_950) return `${(ms / SECOND).toFixed(1)} s`
  return formatPeriod(ms)
}

/** Two units at most: `42 s`, `2 m 5 s`, `3 h 12 m`, `4 d 1 h`. */
export function formatPeriod(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / SECOND))
  if (seconds < 60) return `${seconds} s`
  if (seconds < 3_600) return both(Math.floor(seconds / 60), 'm', seconds % 60, 's')
  if (seconds < 86_400) return both(Math.floor(seconds / 3_600), 'h', Math.floor((seconds % 3_600) / 60), 'm')
  return both(Math.floor(seconds / 86_400), 'd', Math.floor((seconds % 86_400) / 3_600), 'h')
}

function both(large: number, largeUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${large} ${largeUnit}` : `${large} ${largeUnit} ${small} ${smallUnit}`
}

/** `just now`, `12 s ago`, `3 m ago`, `2 h ago`, `5 d ago`. */
export function formatAgo(time: number, now: number): string {
  const ms = now - time
  if (!Number.isFinite(ms)) return '–'
  if (ms < 2 * SECOND) return 'just now'
  if (ms < MINUTE) return `${Math.floor(ms / SECOND)} s ago`
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)} m ago`
  return ms < DAY ? `${Math.floor(ms / HOUR)} h ago` : `${Math.floor(ms / DAY)} d ago`
}

/** `14:03:07.125`, in the local time zone. */
export function formatClock(time: number, { hasMs = true }: { readonly hasMs?: boolean } = {}): string {
  const date = new Date(time)
  if (Number.isNaN(date.getTime())) return '–'
  const parts = [date.getHours(), date.getMinutes(), date.getSeconds()].map((part) => String(part).padStart(2, '0'))
  return hasMs ? `${parts.join(':')}.${String(date.getMilliseconds()).padStart(3, '0')}` : parts.join(':')
}

/** `97 %`; `100 %` and `0 %` only if exact. */
export function formatShare(part: number, whole: number): string {
  if (!(whole > 0)) return '–'
  const percent = (part / whole) * 100
  if (percent > 99 && part < whole) return `${Math.min(99.9, percent).toFixed(1)} %`
  if (percent < 1 && part > 0) return `${Math.max(0.1, percent).toFixed(1)} %`
  return `${Math.round(percent)} %`
}

/** `3.2 / s`, `14 / min`. */
export function formatRate(perMinute: number): string {
  if (!Number.isFinite(perMinute) || perMinute <= 0) return '0 / min'
  if (perMinute >= 120) return `${formatCount(Math.round(perMinute / 60))} / s`
  return `${perMinute >= 10 ? Math.round(perMinute) : perMinute.toFixed(1)} / min`
}

/** `1 hook`, `2 hooks`. */
export function plural(count: number, noun: string): string {
  return `${formatCount(count)} ${noun}${count === 1 ? '' : 's'}`
}
