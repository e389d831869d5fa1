// Above every page: its title, the profile and its mode, and whether what is shown is live.

import { formatSpan } from '../model/format.ts'
import { now } from '../state/clock.ts'
import { isHelpOpen } from '../state/keyboard.ts'
import { connection, pulse } from '../state/live.ts'
import { PAGES, route } from '../state/route.ts'
import { theme, toggleTheme } from '../state/theme.ts'
import { Icon } from './icons.tsx'
import { Mode } from './mode.tsx'

export function TopBar() {
  const { page } = route.value
  const figures = pulse.value
  return (
    <header class="bar">
      <h1>{PAGES.find(({ id }) => id === page)?.title}</h1>
      <div class="end">
        {figures !== undefined && (
          <span class="row hint">
            <span class="faint">profile</span>
            <span class="mono">{figures.profile}</span>
            <Mode mode={figures.enforcement} />
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

// Counted by this browser's clock: it is this browser that waits.
function Reconnecting({ retryAt }: { readonly retryAt: number }) {
  void now.value
  const waitMs = retryAt - Date.now()
  return (
    <>
      reconnecting
      {waitMs > 1_500 && <span aria-hidden="true"> in {formatSpan(waitMs)}</span>}
    </>
  )
}
