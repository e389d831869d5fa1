// The present time for ages and countdowns, by the daemon's clock: one tick a second for the whole page, none while hidden.

import { signal } from '@preact/signals'

/** What the daemon's clock shows; changes every second. */
export const now = signal(Date.now())

let offsetMs = 0

/** The daemon said what time it is there. */
export function setClock(daemonNow: number): void {
  offsetMs = daemonNow - Date.now()
}

export function startClock(): void {
  const tick = (): void => {
    if (!document.hidden) now.value = Date.now() + offsetMs
  }
  window.setInterval(tick, 1_000)
  document.addEventListener('visibilitychange', tick)
}
