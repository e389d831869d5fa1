// Programs that some tests use and that a new machine lacks: shells, a terminal multiplexer, a browser. Tests without their
// program are skipped by name, so a machine of CI gets them: one apt-get, while the checks run. Elsewhere nothing is installed.

import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { runProgram } from './progress.mjs'

const PACKAGES = ['zsh', 'fish', 'busybox', 'tmux', 'jq']
const APT = '/usr/bin/apt-get'

/** Installs what is missing; gives a line about it, or undefined where nothing is to be done. */
export async function installTestTools() {
  const missing = isAllowed() ? await findMissing() : []
  if (missing.length === 0) return undefined
  const limits = ['-o', 'Acquire::Retries=1', '-o', 'Acquire::http::Timeout=20', '-o', 'DPkg::Lock::Timeout=120']
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  await runProgram(APT, [...limits, '-q', 'update'], { env })
  const install = [...limits, '-q', 'install', '-y', '--no-install-recommends', ...missing]
  const { code, output } = await runProgram(APT, install, { env })
  const names = missing.join(', ')
  return code === 0 ? `installed for the tests: ${names}` : `could not be installed: ${names}: ${output.slice(-300)}`
}

function isAllowed() {
  return (process.env.CI ?? '') !== '' && process.getuid?.() === 0 && existsSync(APT)
}

async function findMissing() {
  const missing = PACKAGES.filter((name) => spawnSync('sh', ['-c', `command -v ${name}`]).status !== 0)
  const { hasChromium } = await import('./dashboard/chromium.mjs')
  return hasChromium() ? missing : [...missing, 'chromium']
}
