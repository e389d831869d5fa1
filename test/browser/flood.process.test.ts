// A thousand decisions a second, written by another process, with two pages open. What is asserted is that nothing is lost or
// doubled; the bench measures the speed.

import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findChromium, launchChromium } from '../../scripts/dashboard/chromium.mjs'
import { ArcDaemon } from './arc-daemon.ts'
import { allRows, openPage } from './pages.ts'

const chromium = findChromium()
const PATIENCE = { timeout: 300_000 } as const
const PER_SECOND = 1_000
const SECONDS = 2

describe.skipIf(chromium === undefined)('a flood of decisions', PATIENCE, () => {
  let browser: Browser
  let daemon: ArcDaemon

  beforeAll(async () => {
    browser = await launchChromium(chromium ?? '')
    daemon = await new ArcDaemon().start()
  })

  afterAll(async () => {
    await browser?.close()
    await daemon?.end()
  })

  it('comes to both open pages without one of them lost or shown twice', async () => {
    const feed = await openPage(browser, daemon, { path: '/feed' })
    const pipeline = await openPage(browser, daemon, { path: '/pipeline' })
    await feed.page.evaluate(watchTasks)
    await pipeline.page.evaluate(watchTasks)
    const written = await flood()
    expect(written).toBe(PER_SECOND * SECONDS)
    for (const { page } of [feed, pipeline]) await waitForAction(page, `flood-${written - 1}`)
    await pipeline.page.goto(`${daemon.url}/feed`)
    await waitForAction(pipeline.page, `flood-${written - 1}`)
    const problems = await pipeline.problems()
    await pipeline.context.close()
    const rows = (await allRows(feed.page)).filter((id) => id.startsWith('flood-'))
    expect(new Set(rows).size).toBe(rows.length)
    expect(rows).toEqual(Array.from({ length: written }, (_, at) => `flood-${written - 1 - at}`))
    const tasks = await feed.page.evaluate(() => (window as unknown as { __tasks: number[] }).__tasks)
    process.stderr.write(`flood: ${tasks.length} long tasks, the longest ${Math.round(Math.max(0, ...tasks))} ms\n`)
    expect([...(await feed.problems()), ...problems]).toEqual([])
    await feed.context.close()
  })

  function flood(): Promise<number> {
    const writer = fileURLToPath(new URL('flood-writer.mjs', import.meta.url))
    const args = [writer, `${daemon.at.home}/arc.db`, String(PER_SECOND), String(SECONDS)]
    return new Promise((resolve, reject) => {
      const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
      let out = ''
      child.stdout.setEncoding('utf8').on('data', (part: string) => {
        out += part
      })
      child.on('error', reject)
      child.on('close', () => resolve(Number(out)))
    })
  }
})

function watchTasks(): void {
  const tasks: number[] = []
  const own = window as unknown as Record<string, unknown>
  own.__tasks = tasks
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) tasks.push(duration)
  }).observe({ type: 'longtask', buffered: true })
}

// Wherever the page shows it: in the feed, or in the short list of the pipeline.
async function waitForAction(page: Page, id: string): Promise<void> {
  await page.waitForFunction((wanted) => document.querySelector(`[data-row="${wanted}"]`) !== null, id)
}
