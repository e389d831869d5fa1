// A reporter for whole runs: the test files that took longest, so that one that becomes slow is seen.

import { relative } from 'node:path'
import type { Reporter, TestModule } from 'vitest/node'

const COUNT = 10

export default class SlowestFiles implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const files = modules.map((module) => ({
      file: relative(process.cwd(), module.moduleId),
      seconds: module.diagnostic().duration / 1_000,
    }))
    const slowest = files.toSorted((a, b) => b.seconds - a.seconds).slice(0, COUNT)
    const lines = slowest.map(({ file, seconds }) => `${seconds.toFixed(1).padStart(7)} s  ${file}`)
    process.stdout.write(`The slowest files:\n${lines.join('\n')}\n`)
  }
}
