// Pages of the dashboard in a real browser, signed in, with an eye on everything that must never happen on them.

import type { Browser, BrowserContext, Page } from 'playwright-core'
import type { ArcDaemon } from './arc-daemon.ts'

/** A page that is watched. */
export interface WatchedPage {
  readonly page: Page
  readonly context: BrowserContext
  /** What was seen that must not be: errors, broken policies, text that ran. */
  problems(): Promise<string[]>
}

/** How a page is opened. */
export interface PageWish {
  readonly path?: string
  readonly width?: number
  readonly height?: number
  readonly scheme?: 'light' | 'dark'
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
  const { path = '/', width = 1_280, height = 800, scheme = 'light', mayLoseNetwork = false } = wish
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme: scheme,
    reducedMotion: 'reduce',
  })
  // The limit of the test ends what hangs.
  context.setDefaultTimeout(0)
  await context.addInitScript(trap)
  const page = await context.newPage()
  const problems: string[] = []
  page.on('pageerror', (error) => problems.push(`error: ${error.message}`))
  page.on('console', (message) => {
    if (message.type() !== 'error') return
    // A daemon that was started anew knows no session: 401 until the browser signs in again.
    const isNetwork = /ERR_CONNECTION|WebSocket connection|ERR_EMPTY_RESPONSE|ERR_SOCKET|status of 401/.test(
      message.text(),
    )
    if (!(mayLoseNetwork && isNetwork)) problems.push(`console: ${message.text()}`)
  })
  page.on('dialog', (dialog) => {
    problems.push(`dialog: ${dialog.message()}`)
    dialog.dismiss().catch(() => undefined)
  })
  page.on('request', (request) => {
    const isOurs = request.url().startsWith(daemon.url) || request.url().startsWith('data:')
    if (!isOurs) problems.push(`request to ${request.url()}`)
  })
  await page.goto(await daemon.loginUrl())
  if (path !== '/') await page.goto(daemon.url + path)
  await page.waitForSelector('[data-state="live"]')
  const seen = (): Promise<string[]> => page.evaluate(() => (window as unknown as { __seen: string[] }).__seen)
  return { page, context, problems: async () => [...problems, ...(await seen())] }
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
