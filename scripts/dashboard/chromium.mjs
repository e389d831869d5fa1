// The browser of the tests, the bench and the screenshots: one that is installed, or Debian's chromium where it may be
// installed for the asking.

import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium } from 'playwright-core'

const USUAL_PLACES = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
  '/snap/bin/chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
]

const ARGS = [
  ...[
    '--no-sandbox',
    '--disable-gpu',
    '--in-process-gpu',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
  ],
  ...['--disable-component-update', '--disable-sync', '--disable-dev-shm-usage'],
  // A page behind another page must still get frames and timers: tests with two pages read both.
  ...['--disable-renderer-backgrounding', '--disable-background-timer-throttling'],
  '--disable-backgrounding-occluded-windows',
]

/** Where the browser is; undefined where there is none and none may be installed, which is said once. */
export function findChromium() {
  const found = present()
  if (found !== undefined) return found
  const hasApt = process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')
  if (hasApt || (process.env.CI !== undefined && process.env.CI !== '')) install()
  const installed = present()
  if (installed === undefined) {
    process.stderr.write('What needs a browser is skipped: no Chrome or Chromium here. CHROME_PATH names one.\n')
  }
  return installed
}

/** Is there a browser already? */
export function hasChromium() {
  return present() !== undefined
}

function present() {
  const named = process.env.CHROME_PATH
  if (named !== undefined && named !== '') return existsSync(named) ? named : undefined
  return USUAL_PLACES.find((place) => existsSync(place))
}

// Several test files may find out at the same time that there is none: one installs it, the others wait for that.
function install() {
  const get = 'apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends chromium'
  const command = `flock 9; test -x /usr/bin/chromium || { ${get}; }`
  const args = ['-c', `( ${command} ) 9> "$0"`, join(tmpdir(), 'chromium-install.lock')]
  const { status, stderr } = spawnSync('sh', args, { encoding: 'utf8', stdio: ['ignore', 'ignore', 'pipe'] })
  if (status !== 0) process.stderr.write(`chromium could not be installed: ${stderr.slice(-500)}\n`)
}

/** Starts Chromium with a temporary profile. */
export function launchChromium(executablePath) {
  return chromium.launch({ executablePath, headless: true, args: ARGS })
}
