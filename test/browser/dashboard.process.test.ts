// The dashboard as people use it: a real browser, a real daemon, real hook calls.

import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { PAGES } from '../../dashboard/src/state/route.ts'
import { findChromium, launchChromium } from '../../scripts/dashboard/chromium.mjs'
import type { Action } from '../../src/protocol/views.ts'
import { SqliteTaskStore } from '../../src/storage/sqlite/task-store.ts'
import { ArcDaemon } from './arc-daemon.ts'
import { allRows, openPage, type PageWish, type WatchedPage } from './pages.ts'

const chromium = findChromium()
const PATIENCE = { timeout: 120_000 } as const
// Held for a person, and blocked.
const HELD = 'git push --force origin main'
const BLOCKED = 'terraform destroy -auto-approve'

describe.skipIf(chromium === undefined)('the dashboard', PATIENCE, () => {
  let browser: Browser
  let daemon: ArcDaemon
  let watched: WatchedPage | undefined

  beforeAll(async () => {
    browser = await launchChromium(chromium ?? '')
    daemon = await new ArcDaemon({
      enforcement: 'enforce',
      hooks: { 'risk-detection': { options: { onTier4: 'ask' } } },
      commands: [{ name: 'careful', event: 'pre_tool_use', matcher: 'bash', command: 'exit 0', timeout_secs: 30 }],
    }).start()
    await daemon.hook('SessionStart', { source: 'startup' })
    await daemon.hook('UserPromptSubmit', { prompt: 'Please tidy up the build.' })
    await daemon.run('ls -la src', 'total 0')
    await daemon.before(BLOCKED)
    await daemon.hook('PostToolUse', { tool_name: 'Read', tool_input: { file_path: '/a' }, tool_use_id: 'never-asked' })
  })

  afterAll(async () => {
    await browser?.close()
    await daemon?.end()
  })

  // Whatever a test does: nothing of it may run, break the policy or leave the machine.
  afterEach(async () => {
    expect(await watched?.problems()).toEqual([])
  })

  async function open(wish: PageWish = {}): Promise<Page> {
    if (watched !== undefined) return watched.visit(wish)
    watched = await openPage(browser, daemon, wish)
    return watched.page
  }

  const rowWith = (text: string): string => `[data-row]:has-text(${JSON.stringify(text)})`

  it('is opened by the login link, which leaves a cookie that scripts and other sites cannot use', async () => {
    const page = await open()
    const cookies = await page.context().cookies()
    expect(cookies).toHaveLength(1)
    expect(cookies[0]).toMatchObject({ httpOnly: true, sameSite: 'Strict', domain: '127.0.0.1', path: '/' })
    expect(cookies[0]?.value).not.toContain(daemon.token)
    expect(await page.evaluate(() => document.cookie)).toBe('')
    expect(page.url()).toBe(`${daemon.url}/`)
    expect(await page.evaluate(() => document.documentElement.outerHTML)).not.toContain(daemon.token)
  })

  it('tells a browser without the cookie how to sign in, and shows it nothing', async () => {
    const context = await browser.newContext()
    const page = await context.newPage()
    const answer = await page.goto(`${daemon.url}/feed`)
    expect(answer?.status()).toBe(401)
    expect(await page.textContent('body')).toContain('arc status')
    expect((await page.request.get(`${daemon.url}/v1/snapshot`)).status()).toBe(401)
    await context.close()
  })

  it('shows on the overview the hooks, the mode, the decisions, the session and what needs attention', async () => {
    const page = await open()
    const root = await page.waitForSelector('[data-page="overview"]')
    const text = (await root.textContent()) ?? ''
    const hooks = (await daemon.get<readonly unknown[]>('/v1/hooks')).length
    expect(text).toContain(String(hooks))
    expect(text).toContain('enforce')
    expect(text).toContain('session-1')
    expect(text).toMatch(/without supervision/)
  })

  it('shows on the pipeline every hook in order with its figures, the mode and the breaker', async () => {
    const page = await open({ path: '/pipeline' })
    await page.waitForSelector('[data-page="pipeline"] [data-hook]')
    const shown = await page.$$eval('[data-hook]', (lanes) => lanes.map((lane) => lane.getAttribute('data-hook')))
    const hooks = await daemon.get<readonly { name: string; priority: number }[]>('/v1/hooks')
    expect(shown).toEqual(hooks.map(({ name }) => name))
    expect(shown).toContain('careful')
    const text = (await page.textContent('[data-page="pipeline"]')) ?? ''
    expect(text).toContain('enforce')
    expect(text).toMatch(/closed/i)
  })

  it('joins a call before and after to one row, and opens it to the verdicts with the evidence', async () => {
    const page = await open({ path: '/feed' })
    await page.waitForSelector(rowWith('ls -la src'))
    expect(await page.locator(rowWith('ls -la src')).count()).toBe(1)
    await page.click(rowWith('terraform destroy'))
    const panel = page.locator('[data-open]')
    // The row knows the reason at once; the hooks and their evidence are fetched.
    await panel.locator('mark').first().waitFor()
    const text = (await panel.textContent()) ?? ''
    expect(text).toContain('infrastructure/terraform-destroy')
    expect(text).toContain('risk-detection')
    expect(text).toMatch(/arc why \S+/)
    expect(await panel.locator('mark').first().textContent()).toBe('destroy')
  })

  it('shows what happens while it is open, without being asked', async () => {
    const page = await open({ path: '/feed' })
    await daemon.run('echo live-update', 'live-update')
    await page.waitForSelector(rowWith('echo live-update'))
    expect(await page.locator(rowWith('echo live-update')).count()).toBe(1)
  })

  it('keeps its filters in the address, and shows a linked page as its sender saw it', async () => {
    const page = await open({ path: '/feed?decision=block' })
    await page.waitForSelector(rowWith('terraform destroy'))
    expect(await page.locator(rowWith('ls -la src')).count()).toBe(0)
    await page.goto(`${daemon.url}/feed`)
    await page.waitForSelector(rowWith('ls -la src'))
    await page.fill('input[type="search"]', 'terraform')
    await expect.poll(() => page.locator(rowWith('ls -la src')).count()).toBe(0)
    expect(new URL(page.url()).searchParams.get('text')).toBe('terraform')
    await page.reload()
    await page.waitForSelector(rowWith('terraform destroy'))
    expect(await page.locator(rowWith('ls -la src')).count()).toBe(0)
  })

  it('can be used with the keyboard alone', async () => {
    const page = await open()
    await page.keyboard.press('g')
    await page.keyboard.press('f')
    await page.waitForSelector('[data-page="feed"] [data-row]')
    await page.keyboard.press('j')
    await page.waitForSelector('[data-row][aria-selected="true"]')
    await page.keyboard.press('Enter')
    await page.waitForSelector('[data-open]')
    await page.keyboard.press('Escape')
    await page.waitForSelector('[data-open]', { state: 'detached' })
    await page.keyboard.press('/')
    expect(await page.evaluate(() => document.activeElement?.getAttribute('type'))).toBe('search')
  })

  it.each(PAGES)('fits $id on a screen of 390 pixels', async ({ id, path }) => {
    const page = await open({ path, width: 390, height: 844 })
    await page.waitForSelector(`[data-page="${id}"]`)
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390)
  })

  it('shows a session as a whole, with what it did in order', async () => {
    const page = await open({ path: '/sessions' })
    await page.waitForSelector('[data-page="sessions"]')
    await page.getByText('session-1').first().click()
    await page.waitForURL(/\/sessions\/session-1/)
    await page.getByText('ls -la src').first().waitFor()
    await page.getByText('terraform destroy').first().waitFor()
  })

  it('shows what agents do together: their tasks and their discussions', async () => {
    const tasks = new SqliteTaskStore(`${daemon.at.home}/arc.db`)
    tasks.create('task-1', { from: 'lead', to: 'worker', description: 'Write the migration' }, Date.now())
    tasks.close()
    const prompt = 'roundtable: Which queue do we take? agents: claude, codex rounds: 1'
    await daemon.dispatch({ point: 'pre:message', data: { prompt }, session: 'table', source: 'human' })
    const page = await open({ path: '/tasks' })
    await page.locator('[data-page="tasks"]').getByText('Write the migration').first().waitFor()
    await page.goto(`${daemon.url}/roundtables`)
    await page.locator('[data-page="roundtables"]').getByText('Which queue do we take?').first().waitFor()
    await page.locator('[data-awaited="claude"]').getByText('--as claude').waitFor()
  })

  it('shows the configuration that is in force and where each setting comes from', async () => {
    const page = await open({ path: '/config' })
    await page.waitForSelector('[data-page="config"]')
    await page.getByText('enforcement').first().waitFor()
    await page
      .getByText(/default\.json:\d+/)
      .first()
      .waitFor()
  })

  it('puts a held command before a person exactly as it would run, and wakes who waits with the answer', async () => {
    const page = await open({ path: '/approvals' })
    const step = { point: 'pre:tool', data: { tool: 'shell', args: { command: HELD } }, session: 'waits' }
    const waiting = daemon.dispatch({ ...step, askMs: 60_000 })
    const card = page.locator('[data-page="approvals"] [data-approval]').filter({ hasText: HELD })
    await card.waitFor()
    expect(await card.locator('pre').first().textContent()).toBe(HELD)
    await card.getByRole('button', { name: /approve/i }).click()
    expect(await waiting).toMatchObject({ decision: 'pass', blocked: false })
    await card.waitFor({ state: 'detached' })
    const refused = daemon.dispatch({ ...step, session: 'again', askMs: 60_000 })
    await card.getByRole('button', { name: /deny/i }).click()
    expect(await refused).toMatchObject({ decision: 'block', blocked: true })
  })

  it('says that it is reconnecting when the daemon dies, and loses nothing and shows nothing twice after it', async () => {
    const page = await open({ path: '/feed', mayLoseNetwork: true })
    for (let number = 0; number < 5; number++) await daemon.before(`echo before-${number}`)
    await page.waitForSelector(rowWith('echo before-4'))
    await daemon.kill()
    await page.waitForSelector('[data-state="reconnecting"]')
    await daemon.start()
    // Its session ended with the daemon: a new link signs the browser in again.
    const again = await page.context().newPage()
    await again.goto(await daemon.loginUrl())
    await again.close()
    for (let number = 0; number < 5; number++) await daemon.before(`echo after-${number}`)
    await page.waitForSelector('[data-state="live"]')
    await page.waitForSelector(rowWith('echo after-4'))
    const { actions } = await daemon.get<{ actions: readonly Action[] }>('/v1/actions?limit=500')
    expect(await allRows(page)).toEqual(actions.map(({ id }) => id))
  })
})
