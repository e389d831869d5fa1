// `npm run screenshots [-- FOLDER]`: every page of the dashboard in both themes, from a real daemon with sample traffic, as
// docs/images/PAGE-THEME.png.

import { execFileSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { findChromium, launchChromium } from './dashboard/chromium.mjs'
import { startArc } from './dashboard/daemon.mjs'
import { PROFILE, playTraffic } from './dashboard/traffic.mjs'

const FOLDER = process.argv[2] ?? fileURLToPath(new URL('../docs/images', import.meta.url))
const PAGES = ['overview', 'pipeline', 'feed', 'sessions', 'session', 'approvals', 'roundtables', 'tasks', 'config']
const THEMES = ['light', 'dark']
const WIDE = { width: 1_280, height: 800 }
const NARROW = { width: 390, height: 844 }

const chromium = findChromium()
if (chromium === undefined) process.exit(1)
mkdirSync(FOLDER, { recursive: true })
const daemon = await startArc(PROFILE)
const browser = await launchChromium(chromium)
try {
  const { waiting } = await playTraffic(daemon, (args) =>
    execFileSync(process.execPath, [daemon.arc, ...args], { env: daemon.env }),
  )
  for (const theme of THEMES) {
    await shoot(theme, WIDE, PAGES, '')
    await shoot(theme, NARROW, ['overview', 'feed'], '-narrow')
  }
  // Held steps end with the daemon.
  waiting.catch(() => undefined)
} finally {
  await browser.close()
  await daemon.stop()
}

async function shoot(colorScheme, viewport, pages, suffix) {
  const context = await browser.newContext({ viewport, colorScheme, reducedMotion: 'reduce' })
  const page = await context.newPage()
  await page.goto(daemon.newLoginUrl())
  for (const name of pages) {
    await page.goto(daemon.url + addressOf(name))
    await page.waitForSelector(`[data-page="${name === 'session' ? 'sessions' : name}"]`)
    await page.waitForSelector('[data-state="live"]')
    if (name === 'feed' && suffix === '') await openOne(page)
    await page.waitForTimeout(600)
    const file = join(FOLDER, `${name}${suffix}-${colorScheme}.png`)
    await page.screenshot({ path: file })
    process.stdout.write(`${file}\n`)
  }
  await context.close()
}

function addressOf(name) {
  if (name === 'session') return '/sessions/fix-the-build'
  return name === 'overview' ? '/' : `/${name}`
}

async function openOne(page) {
  await page.click('[data-row][data-decision="block"]')
  await page.waitForSelector('[data-open] pre')
}
