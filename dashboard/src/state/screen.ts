// Whether the screen is narrow, as the style sheet counts it.

import { signal } from '@preact/signals'

const query = window.matchMedia('(max-width: 760px)')

export const isNarrow = signal(query.matches)

query.addEventListener('change', () => {
  isNarrow.value = query.matches
})
