// Dark or light theme: the system's preference, or the user's choice, which public/theme.js applies before the first paint.

import { signal } from '@preact/signals'

type Theme = 'dark' | 'light'

const KEY = 'arc-theme'
const system = window.matchMedia('(prefers-color-scheme: light)')

const inForce = (): Theme => {
  const chosen = document.documentElement.dataset.theme
  if (chosen === 'dark' || chosen === 'light') return chosen
  return system.matches ? 'light' : 'dark'
}

/** The current theme. */
export const theme = signal<Theme>(inForce())

system.addEventListener('change', () => {
  theme.value = inForce()
})

/** Switches the theme. */
export function toggleTheme(): void {
  const next = theme.value === 'dark' ? 'light' : 'dark'
  document.documentElement.dataset.theme = next
  theme.value = next
  try {
    localStorage.setItem(KEY, next)
  } catch {
    // Without storage the choice lasts until the page is closed.
  }
}
