// Builds what the tests run as a user would (the CLI, the examples), if it is missing or out of date.

import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

export default function setup(): void {
  execFileSync(process.execPath, [fileURLToPath(new URL('../scripts/setup.mjs', import.meta.url))], {
    stdio: 'inherit',
  })
}
