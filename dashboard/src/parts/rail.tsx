// The way between pages: a rail on the left, a bar at the bottom where the screen is narrow.

import { pulse } from '../state/live.ts'
import { addressOf, PAGES, type PageId, route } from '../state/route.ts'
import { Icon, Logo } from './icons.tsx'

// Eight of them side by side in 390 pixels.
const SHORT_TITLES: Partial<Record<PageId, string>> = {
  overview: 'Home',
  pipeline: 'Pipeline',
  feed: 'Feed',
  approvals: 'Approve',
  roundtables: 'Tables',
  config: 'Config',
}

export function Rail() {
  const waiting = pulse.value?.approvals.length ?? 0
  return (
    <nav class="rail" aria-label="Pages">
      <div class="brand">
        <Logo />
        ARC
        <span class="clip">{pulse.value === undefined ? '' : `v${pulse.value.version}`}</span>
      </div>
      {PAGES.map(({ id, title }) => (
        <a key={id} href={addressOf(id)} aria-current={route.value.page === id ? 'page' : undefined} title={title}>
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
