// Pages of the dashboard in a real browser, signed in, with an eye on everything that must never happen on them.

import type { Browser, BrowserContext, Page } from 'playwright-core'
import type { ArcDaemon } from './arc-daemon.ts'

/** A page that is watched. */
export interface WatchedPage {
  readonly page: Page
  readonly context: BrowserContext
  /** Loads another path, as a new page would: a new page costs a process of the browser. */
  visit(wish: PageWish): Promise<Page>
  /** What was seen since the last visit that must not be: errors, broken policies, text that ran. */
  problems(): Promise<string[]>
}

/** How a page is opened. */
export interface PageWish {
  readonly path?: string
  readonly width?: number
  readonly height?: number
  /** Errors of the network that belong to the test. */
  readonly mayLoseNetwork?: boolean
}

// Runs before everything else of a page: whatever hostile text would call, and what the browser refuses.
function trap(): void {
  const seen: string[] = []
  const own = window as unknown as Record<string, unknown>
  own.__seen = seen
  own.__pwned = (where: string) => seen.push(`ran: ${where}`)
  for (const name of ['alert', 'confirm', 'prompt', 'open']) {
    own[name] = (...args: unknown[]) => seen.push(`called ${name}(${String(args[0])})`)
  }
  document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI, sourceFile }) => {
    seen.push(`policy: ${violatedDirective} ${blockedURI} ${sourceFile}`)
  })
}

/** Signs in by the link and goes to a page. */
export async function openPage(browser: Browser, daemon: ArcDaemon, wish: PageWish = {}): Promise<WatchedPage> {
  const context = await browser.newContext({ viewport: sizeOf(wish), reducedMotion: 'reduce' })
  // The limit of the test ends what hangs.
  context.setDefaultTimeout(0)
  await context.addInitScript(trap)
  const page = await context.newPage()
  let found: string[] = []
  let { mayLoseNetwork = false } = wish
  watch(page, daemon, (problem, isNetwork) => {
    if (!(mayLoseNetwork && isNetwork)) found.push(problem)
  })
  await page.goto(await daemon.loginUrl())
  if (wish.path !== undefined) await page.goto(daemon.url + wish.path)
  await page.waitForSelector('[data-state="live"]')
  const seen = (): Promise<string[]> => page.evaluate(() => (window as unknown as { __seen: string[] }).__seen)
  return {
    ...{ page, context },
    async visit(next) {
      found = []
      mayLoseNetwork = next.mayLoseNetwork ?? false
      await page.setViewportSize(sizeOf(next))
      await page.goto(daemon.url + (next.path ?? '/'))
      await page.waitForSelector('[data-state="live"]')
      return page
    },
    problems: async () => [...found, ...(await seen())],
  }
}

function sizeOf({ width = 1_280, height = 800 }: PageWish): { width: number; height: number } {
  return { width, height }
}

function watch(page: Page, daemon: ArcDaemon, report: (problem: string, isNetwork: boolean) => void): void {
  page.on('pageerror', (error) => report(`error: ${error.message}`, false))
  page.on('console', (message) => {
    if (message.type() !== 'error') return
    // A daemon that was started anew knows no session: 401 until the browser signs in again.
    const isNetwork = /ERR_CONNECTION|WebSocket connection|ERR_EMPTY_RESPONSE|ERR_SOCKET|status of 401/.test(
      message.text(),
    )
    report(`console: ${message.text()}`, isNetwork)
  })
  page.on('dialog', (dialog) => {
    report(`dialog: ${dialog.message()}`, false)
    dialog.dismiss().catch(() => undefined)
  })
  page.on('request', (request) => {
    const isOurs = request.url().startsWith(daemon.url) || request.url().startsWith('data:')
    if (!isOurs) report(`request to ${request.url()}`, false)
  })
}

/** The ids of all rows of the feed, from the newest, by scrolling through it as a person would. */
export async function allRows(page: Page): Promise<string[]> {
  // A page that another one covers is drawn seldom, or not at all.
  await page.bringToFront()
  return page.evaluate(async () => {
    const [box, space, drawn] = ['.feed-scroll', '.feed-space', '.feed-rows'].map((name) =>
      document.querySelector(name),
    )
    const ids: string[] = []
    if (!box || !space || !drawn) return ids
    // Are the rows drawn for the place that is scrolled to? On a busy machine that takes any number of frames.
    const isDrawn = (): boolean => {
      const [view, all, rows] = [box, space, drawn].map((one) => one.getBoundingClientRect())
      if (!view || !all || !rows) return false
      return rows.top <= Math.max(view.top, all.top) + 1 && rows.bottom >= Math.min(view.bottom, all.bottom) - 1
    }
    const known = new Set<string>()
    const frame = (): Promise<void> =>
      new Promise((resolve) => {
        const late = setTimeout(resolve, 200)
        requestAnimationFrame(() => {
          clearTimeout(late)
          resolve()
        })
      })
    for (let top = 0; ; top += box.clientHeight - 40) {
      box.scrollTop = top
      do await frame()
      while (!isDrawn())
      const shown = [...box.querySelectorAll('[data-row]')].map((row) => row.getAttribute('data-row') ?? '')
      // Twice in one view is twice.
      if (new Set(shown).size !== shown.length) ids.push(...shown.filter((id, at) => shown.indexOf(id) !== at))
      for (const id of shown) {
        if (known.has(id)) continue
        known.add(id)
        ids.push(id)
      }
      if (top + box.clientHeight >= box.scrollHeight) break
    }
    box.scrollTop = 0
    return ids
  })
}
