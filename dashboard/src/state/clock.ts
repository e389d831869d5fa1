// The current time by the daemon's clock, for ages and countdowns: one tick a second, none while the page is hidden.

import { signal } from '@preact/signals'

/** The time of the daemon's clock; changes every second. */
export const now = signal(Date.now())

let offsetMs = 0

/** Sets the clock to the daemon's time. */
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
