// Is the screen narrow? The same limit as in the style sheet.

import { signal } from '@preact/signals'

const query = window.matchMedia('(max-width: 760px)')

export const isNarrow = signal(query.matches)

query.addEventListener('change', () => {
  isNarrow.value = query.matches
})
