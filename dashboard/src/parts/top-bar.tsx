// The bar above every page: title, profile, mode, and the state of the connection.

import { formatPeriod } from '../model/format.ts'
import { now } from '../state/clock.ts'
import { isHelpOpen } from '../state/keyboard.ts'
import { connection, overview } from '../state/live.ts'
import { PAGES, route } from '../state/route.ts'
import { theme, toggleTheme } from '../state/theme.ts'
import { Icon } from './icons.tsx'
import { ModeBadge } from './mode.tsx'

export function TopBar() {
  const { page } = route.value
  const data = overview.value
  return (
    <header class="bar">
      <h1>{PAGES.find(({ id }) => id === page)?.title}</h1>
      <div class="end">
        {data !== undefined && (
          <span class="row hint">
            <span class="faint">profile</span>
            <span class="mono">{data.profile}</span>
            <ModeBadge mode={data.enforcement} />
          </span>
        )}
        <ConnectionBadge />
        <button
          type="button"
          class="button quiet icon"
          aria-label={theme.value === 'dark' ? 'Light theme' : 'Dark theme'}
          title={theme.value === 'dark' ? 'Light theme' : 'Dark theme'}
          onClick={toggleTheme}
        >
          <Icon name={theme.value === 'dark' ? 'sun' : 'moon'} />
        </button>
        <button
          type="button"
          class="button quiet icon hint"
          aria-label="Keyboard shortcuts"
          title="Keyboard shortcuts (?)"
          onClick={() => {
            isHelpOpen.value = true
          }}
        >
          <Icon name="keyboard" />
        </button>
      </div>
    </header>
  )
}

function ConnectionBadge() {
  const { state } = connection.value
  return (
    <span class="connection" data-state={state} role="status">
      <span class="dot" />
      {state === 'reconnecting' ? <Reconnecting retryAt={connection.value.retryAt} /> : state}
    </span>
  )
}

// By the browser's clock, since `retryAt` is its time.
function Reconnecting({ retryAt }: { readonly retryAt: number }) {
  void now.value
  const waitMs = retryAt - Date.now()
  return (
    <>
      reconnecting
      {waitMs > 1_500 && <span aria-hidden="true"> in {formatPeriod(waitMs)}</span>}
    </>
  )
}
