// The frame around every page, and the choice of the page.

import type { ComponentType } from 'preact'
import { useEffect } from 'preact/hooks'
import { isSignedOut } from './net/api.ts'
import { ApprovalsPage } from './pages/approvals.tsx'
import { ConfigPage } from './pages/config.tsx'
import { FeedPage } from './pages/feed.tsx'
import { OverviewPage } from './pages/overview.tsx'
import { PipelinePage } from './pages/pipeline.tsx'
import { RoundtablesPage } from './pages/roundtables.tsx'
import { SessionsPage } from './pages/sessions.tsx'
import { TasksPage } from './pages/tasks.tsx'
import { Help } from './parts/help.tsx'
import { Icon } from './parts/icons.tsx'
import { Rail } from './parts/rail.tsx'
import { SignIn } from './parts/sign-in.tsx'
import { TopBar } from './parts/top-bar.tsx'
import { announcement } from './state/announce.ts'
import { isOutdated, loadFailure, overview } from './state/live.ts'
import { buildAddress, PAGES, type PageId, route } from './state/route.ts'

const VIEWS: Readonly<Record<PageId, ComponentType>> = {
  overview: OverviewPage,
  pipeline: PipelinePage,
  feed: FeedPage,
  sessions: SessionsPage,
  approvals: ApprovalsPage,
  roundtables: RoundtablesPage,
  tasks: TasksPage,
  config: ConfigPage,
}

export function App() {
  const { page } = route.value
  useTitle(page)
  if (isSignedOut.value) return <SignIn />
  const View = VIEWS[page]
  return (
    <div class="shell">
      <Rail />
      <main class="main">
        <TopBar />
        <Notices />
        <View />
      </main>
      <Help />
      <p class="sr" aria-live="polite" data-announcement="">
        {announcement.value}
      </p>
    </div>
  )
}

// Notices that are shown on every page.
function Notices() {
  const breaker = overview.value?.breaker
  return (
    <>
      {loadFailure.value !== undefined && (
        <p class="notice is-flag" role="alert">
          {loadFailure.value} Retrying. To start the daemon: <code>arc serve</code>
        </p>
      )}
      {isOutdated.value && (
        <p class="notice is-ask">
          ARC was updated.
          <button type="button" class="button" onClick={() => location.reload()}>
            Reload
          </button>
        </p>
      )}
      {breaker !== undefined && breaker.state !== 'closed' && (
        <p class="notice is-block" role="alert" data-notice="breaker">
          <Icon name="bolt" size={14} />
          The breaker is {breaker.state}: hooks that are not critical only log for now.
          <a href={buildAddress('pipeline')}>Hook Pipeline</a>
        </p>
      )}
    </>
  )
}

// The title of the tab has the number of pending approvals.
function useTitle(page: PageId): void {
  const waiting = overview.value?.approvals.length ?? 0
  useEffect(() => {
    const title = PAGES.find(({ id }) => id === page)?.title ?? ''
    document.title = `${waiting > 0 ? `(${waiting}) ` : ''}${title} · ARC`
  }, [page, waiting])
}
