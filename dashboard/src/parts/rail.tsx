// Navigation: a rail on the left, a bar at the bottom on narrow screens.

import { overview } from '../state/live.ts'
import { buildAddress, PAGES, type PageId, route } from '../state/route.ts'
import { Icon, Logo } from './icons.tsx'

// Short labels: eight side by side in 390 pixels.
const SHORT_TITLES: Partial<Record<PageId, string>> = {
  overview: 'Home',
  pipeline: 'Pipeline',
  feed: 'Feed',
  approvals: 'Approve',
  roundtables: 'Tables',
  config: 'Config',
}

export function Rail() {
  const waiting = overview.value?.approvals.length ?? 0
  return (
    <nav class="rail" aria-label="Pages">
      <div class="brand">
        <Logo />
        ARC
        <span class="clip">{overview.value === undefined ? '' : `v${overview.value.version}`}</span>
      </div>
      {PAGES.map(({ id, title }) => (
        <a key={id} href={buildAddress(id)} aria-current={route.value.page === id ? 'page' : undefined} title={title}>
          <Icon name={id} />
          <span class="wide-only">{title}</span>
          <span class="narrow-only">{SHORT_TITLES[id] ?? title}</span>
          {id === 'approvals' && waiting > 0 && (
            <span class="count">
              {waiting}
              <span class="sr"> waiting</span>
            </span>
          )}
        </a>
      ))}
    </nav>
  )
}
