// Builds the CLI and the library that process tests run, if the build is missing or out of date.

import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

export default function setup(): void {
  const script = fileURLToPath(new URL('../scripts/setup.mjs', import.meta.url))
  execFileSync(process.execPath, [script], { stdio: 'inherit' })
}
