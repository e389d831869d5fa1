// What agents and their tools say is text. Whatever it looks like, nothing of it runs, on any page.

import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PAGES } from '../../dashboard/src/state/route.ts'
import { findChromium, launchChromium } from '../../scripts/dashboard/chromium.mjs'
import { SqliteTaskStore } from '../../src/storage/sqlite/task-store.ts'
import { ArcDaemon } from './arc-daemon.ts'
import { openPage, type WatchedPage } from './pages.ts'

const chromium = findChromium()
const PATIENCE = { timeout: 120_000 } as const

const HOSTILE = [
  '<script>__pwned("script")</script>',
  '<img src=x onerror=\'__pwned("img")\'>',
  '"><svg onload=__pwned("svg")>',
  "' onmouseover='__pwned(\"attribute\")' x='",
  'javascript:__pwned("link")',
  '[click](javascript:__pwned("markdown"))',
  '</textarea><iframe srcdoc="<script>parent.__pwned(1)</script>">',
  '<style>*{display:none}</style><base href="http://evil.example/">',
  '<meta http-equiv=refresh content="0;url=http://evil.example/">',
  '{{constructor.constructor("__pwned(1)")()}} #{__pwned(2)}',
]
// Shown reversed, it would read as another command.
const REVERSED = 'echo \u202Esj.rm\u202C done \u2066hidden\u2069 \u200Bzero\u0000nul \u001B[31mred'
const HIDDEN = /[\p{Bidi_Control}\p{Cf}]|(?!\n)\p{Cc}/u
const LONG = 'x'.repeat(1_000_000)

describe.skipIf(chromium === undefined)('hostile text', PATIENCE, () => {
  let browser: Browser
  let daemon: ArcDaemon
  let watched: WatchedPage

  beforeAll(async () => {
    browser = await launchChromium(chromium ?? '')
    const verdict = JSON.stringify({ decision: 'flag', reason: HOSTILE.join(' '), suggestion: HOSTILE[1] })
    daemon = await new ArcDaemon({
      enforcement: 'enforce',
      hooks: { 'risk-detection': { options: { onTier4: 'ask' } } },
      commands: [
        {
          name: 'says-html',
          event: 'pre_tool_use',
          matcher: 'bash',
          command: `cat <<'X'\n${verdict}\nX`,
          timeout_secs: 30,
        },
      ],
    }).start()
    await sendAll()
    watched = await openPage(browser, daemon)
  })

  afterAll(async () => {
    await browser?.close()
    await daemon?.end()
  })

  // In every place that an agent can write to.
  async function sendAll(): Promise<void> {
    for (const text of HOSTILE) {
      await daemon.before(text, { session_id: text, tool_name: 'Bash' })
      await daemon.hook('UserPromptSubmit', { prompt: text, session_id: text })
      const step = { data: { tool: text, args: { [text]: text } }, session: text, agent: text, source: text }
      await daemon.dispatch({ point: 'pre:tool', ...step, host: text, turn: text, workspace: text })
    }
    const prompt = `roundtable: ${HOSTILE[1]} agents: claude, codex rounds: 1`
    await daemon.dispatch({ point: 'pre:message', data: { prompt }, session: HOSTILE[2], source: 'human' })
    await daemon.before(REVERSED)
    await daemon.before(`echo ${LONG}`, { session_id: LONG })
    const held = {
      point: 'pre:tool',
      data: { tool: 'shell', args: { command: `git push --force ${HOSTILE[1]} ${REVERSED}` } },
    }
    await daemon.dispatch({ ...held, session: HOSTILE[0] })
    const tasks = new SqliteTaskStore(`${daemon.at.home}/arc.db`)
    for (const [at, description] of HOSTILE.entries()) {
      const draft = { from: 'lead', to: 'worker', description, priority: 'high' as const, metadata: { description } }
      tasks.create(`task-${at}`, draft, Date.now())
    }
    tasks.close()
  }

  it.each(PAGES)('is text on the page $id and nothing else', async ({ id, path }) => {
    const page = await watched.visit({ path })
    await page.waitForSelector(`[data-page="${id}"]`)
    // Whatever reacts to being pointed at or clicked gets its chance.
    for (const element of (await page.$$('[data-row], [data-session], [data-hook]')).slice(0, 12)) {
      await element.hover({ timeout: 2_000 }).catch(() => undefined)
    }
    const links = await page.$$eval('a[href]', (all) => all.map((link) => (link as HTMLAnchorElement).protocol))
    expect(links.filter((protocol) => protocol !== 'http:')).toEqual([])
    const foreign =
      'iframe, object, embed, base, meta[http-equiv=refresh], script:not([src]), [onerror], [onload], [onmouseover]'
    expect(await page.locator(foreign).count()).toBe(0)
    expect(await watched.problems()).toEqual([])
  })

  it('is text in an opened action, where all of it is shown', async () => {
    const page = await watched.visit({ path: '/feed' })
    await page.waitForSelector('[data-row]')
    for (let at = 0; at < 8; at++) {
      await page.locator('[data-row]').nth(at).click()
      await page.waitForSelector('[data-open] pre')
      await page.$$eval('[data-open] summary', (all) => {
        for (const one of all) (one as HTMLElement).click()
      })
      await page.keyboard.press('Escape')
    }
    expect(await watched.problems()).toEqual([])
  })

  it('never hides or turns around what would run', async () => {
    const page = await watched.visit({ path: '/approvals' })
    const held = page.locator('[data-approval] pre').filter({ hasText: 'git push' })
    const shown = (await held.textContent()) ?? ''
    expect(shown.toLowerCase()).toContain('202e')
    expect(shown).not.toMatch(HIDDEN)
    const { actions } = await daemon.get<{ actions: readonly { preview: string }[] }>('/v1/actions?text=sj.rm')
    expect(actions[0]?.preview).not.toMatch(HIDDEN)
    expect(await watched.problems()).toEqual([])
  })

  it('of a megabyte is cut wherever it is mentioned, and the approval says that it is a preview', async () => {
    expect((await daemon.ask('GET', '/v1/snapshot')).length).toBeLessThan(1_000_000)
    const page = await watched.visit({ path: '/approvals' })
    const held = page.locator('[data-approval]').filter({ hasText: 'echo xxx' })
    const preview = held.locator('[data-preview]')
    await expect.poll(() => preview.isVisible(), { timeout: 60_000 }).toBe(true)
    expect(await preview.textContent()).toMatch(/This is a preview.*1\.0M bytes.*SHA-256 [0-9a-f]{64}/s)
    expect((await held.locator('pre').textContent())?.length).toBeLessThan(LONG.length / 10)
    await expect.poll(() => held.getByRole('button', { name: /approve/i }).isEnabled(), { timeout: 60_000 }).toBe(true)
    expect(await watched.problems()).toEqual([])
  })
})
