// Dark or light: what the system prefers, unless something was chosen here. The choice is applied before the first paint by
// public/theme.js.

import { signal } from '@preact/signals'

type Theme = 'dark' | 'light'

const KEY = 'arc-theme'
const system = window.matchMedia('(prefers-color-scheme: light)')

const inForce = (): Theme => {
  const chosen = document.documentElement.dataset.theme
  if (chosen === 'dark' || chosen === 'light') return chosen
  return system.matches ? 'light' : 'dark'
}

/** The theme in force. */
export const theme = signal<Theme>(inForce())

system.addEventListener('change', () => {
  theme.value = inForce()
})

/** The other one, from now on. */
export function toggleTheme(): void {
  const next = theme.value === 'dark' ? 'light' : 'dark'
  document.documentElement.dataset.theme = next
  theme.value = next
  try {
    localStorage.setItem(KEY, next)
  } catch {
    // Storage is forbidden here: it holds until the page is closed.
  }
}
