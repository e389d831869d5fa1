// Announcements for screen readers: blocks and approvals, one at a time.

import { signal } from '@preact/signals'

/** The current announcement. */
export const announcement = signal('')

const PAUSE_MS = 3_000

let waiting: string[] = []
let isBusy = false

/** Announces a text; several at once are counted. */
export function announce(text: string): void {
  waiting.push(text)
  if (isBusy) return
  isBusy = true
  window.setTimeout(speak, 150)
}

function speak(): void {
  const [first = ''] = waiting
  announcement.value = waiting.length > 1 ? `${first} And ${waiting.length - 1} more.` : first
  waiting = []
  window.setTimeout(() => {
    isBusy = waiting.length > 0
    if (isBusy) speak()
  }, PAUSE_MS)
}
