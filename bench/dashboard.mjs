// The delay from a decision to the row on an open page, and the effect of a thousand decisions a second for ten seconds on two
// open pages. Needs Chrome or Chromium; without one there is no result.

import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { findChromium, launchChromium } from '../scripts/dashboard/chromium.mjs'
import { startArc } from '../scripts/dashboard/daemon.mjs'

const WRITER = fileURLToPath(new URL('../test/browser/flood-writer.mjs', import.meta.url))
const CALLS = 40
const APART_MS = 100
const PER_SECOND = 1_000
const SECONDS = 10
const LIMIT_MS = 200
const MAX_HEAP_MB = 64

/** Measures everything and returns rows (ns) and limits. */
export async function benchDashboard() {
  const chromium = findChromium()
  if (chromium === undefined) return { rows: [], limits: [] }
  const daemon = await startArc({ enforcement: 'enforce' })
  const browser = await launchChromium(chromium)
  try {
    const first = await openPage(browser, daemon, '/feed')
    const second = await openPage(browser, daemon, '/pipeline')
    const live = await benchLive(first.page, daemon)
    const flood = await benchFlood([first, second], daemon)
    return {
      rows: [
        { case: 'first paint', times: { 'to the first page': first.paintMs * 1e6 } },
        { case: 'decision to row', times: { median: live.median * 1e6, p95: live.p95 * 1e6 } },
        { case: 'flood', times: { 'longest task': flood.longest * 1e6, 'last row after': flood.lateMs * 1e6 } },
      ],
      limits: [
        limit('decision to row', 'p95', `${LIMIT_MS} ms`, live.p95 / LIMIT_MS),
        limit('flood', 'longest task', `${LIMIT_MS} ms`, flood.longest / LIMIT_MS),
        limit('flood', 'rows', 'those written', flood.shown / flood.written, flood.shown === flood.written),
        limit('flood', 'heap', `${MAX_HEAP_MB} MB more`, flood.heapMb / MAX_HEAP_MB),
      ],
    }
  } finally {
    await browser.close()
    await daemon.stop()
  }
}

function limit(name, of, against, ratio, ok = ratio <= 1) {
  return { case: name, of, against, atMost: 1, ratio, ok }
}

async function openPage(browser, daemon, path) {
  const context = await browser.newContext({ viewport: { width: 1_280, height: 800 } })
  const page = await context.newPage()
  await page.goto(daemon.newLoginUrl())
  const startedAt = performance.now()
  await page.goto(daemon.url + path)
  await page.waitForSelector('[data-page]')
  const paintMs = performance.now() - startedAt
  await page.waitForSelector('[data-state="live"]')
  await page.evaluate(watch)
  const session = await context.newCDPSession(page)
  return { page, session, paintMs }
}

// In the page: when each row was first drawn, and every task that took long.
function watch() {
  globalThis.__drawn = {}
  globalThis.__tasks = []
  const note = () => {
    const now = Date.now()
    for (const row of document.querySelectorAll('[data-row]')) globalThis.__drawn[row.textContent] ??= now
    requestAnimationFrame(note)
  }
  note()
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) globalThis.__tasks.push(duration)
  }).observe({ type: 'longtask' })
}

async function benchLive(page, daemon) {
  const decidedAt = new Map()
  for (let number = 0; number < CALLS; number++) {
    const call = { session_id: 'bench', cwd: '/tmp', hook_event_name: 'PreToolUse', tool_use_id: `b${number}` }
    const body = { ...call, tool_name: 'Bash', tool_input: { command: `echo bench-${number}-` } }
    await daemon.post('/v1/hook/claude/PreToolUse', body)
    decidedAt.set(`echo bench-${number}-`, Date.now())
    await new Promise((resolve) => setTimeout(resolve, APART_MS))
  }
  await page.waitForSelector(`[data-row]:has-text("echo bench-${CALLS - 1}-")`)
  const drawn = Object.entries(await page.evaluate(() => globalThis.__drawn))
  const delays = [...decidedAt].map(([command, at]) => {
    const [, seenAt] = drawn.find(([text]) => text.includes(command)) ?? [undefined, Number.POSITIVE_INFINITY]
    return Math.max(0, seenAt - at)
  })
  delays.sort((a, b) => a - b)
  return { median: delays[Math.floor(CALLS / 2)], p95: delays[Math.floor(CALLS * 0.95)] }
}

async function benchFlood(pages, daemon) {
  const before = await Promise.all(pages.map(heapOf))
  for (const { page } of pages) await page.evaluate(() => globalThis.__tasks.splice(0))
  const written = await flood(daemon)
  const endedAt = performance.now()
  for (const { page } of pages) await page.waitForSelector(`[data-row="flood-${written - 1}"]`, { timeout: 120_000 })
  const lateMs = performance.now() - endedAt
  const tasks = await Promise.all(pages.map(({ page }) => page.evaluate(() => globalThis.__tasks)))
  // As high as all of its rows: those of the calls before are among them.
  const shown = await pages[0].page.evaluate(() => {
    const [row, space] = [document.querySelector('.feed-scroll [data-row]'), document.querySelector('.feed-space')]
    return Math.round(space.getBoundingClientRect().height / row.getBoundingClientRect().height)
  })
  const after = await Promise.all(pages.map(heapOf))
  const heapMb = Math.max(...after.map((bytes, at) => bytes - before[at])) / 1_048_576
  return { written, shown: shown - CALLS, lateMs, heapMb, longest: Math.max(0, ...tasks.flat()) }
}

async function heapOf({ session }) {
  await session.send('HeapProfiler.collectGarbage')
  const { usedSize } = await session.send('Runtime.getHeapUsage')
  return usedSize
}

function flood({ home }) {
  return new Promise((resolve, reject) => {
    const args = [WRITER, `${home}/arc.db`, String(PER_SECOND), String(SECONDS)]
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
    let out = ''
    child.stdout.setEncoding('utf8').on('data', (part) => {
      out += part
    })
    child.on('error', reject)
    child.on('close', () => resolve(Number(out)))
  })
}
