// The order of the test files: the longest first, so that no worker is left alone with one at the end.

import { relative } from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Files that take ten seconds and more, the longest first. The rest follows in the order of the last run. */
const LONGEST: readonly string[] = [
  'test/adversary/adversary.process.test.ts',
  'test/chaos.process.test.ts',
  'test/unrecorded.process.test.ts',
  'src/cli/hook/on-demand.process.test.ts',
  'src/daemon/http/connections.process.test.ts',
  'src/daemon/process/run-files.process.test.ts',
  'src/daemon/process/build.process.test.ts',
  'src/daemon/long-stand.process.test.ts',
  'src/storage/retention-run.test.ts',
  'src/daemon/hook-call/supervisor-pool.process.test.ts',
  'src/cli/commands/serve.process.test.ts',
  'test/docs-run.process.test.ts',
  'test/managed.process.test.ts',
  'src/cli/hook/hook.process.test.ts',
  'src/cli/person.process.test.ts',
  'test/browser/flood.process.test.ts',
  'test/browser/dashboard.process.test.ts',
  'test/browser/hostile.process.test.ts',
  'test/package.process.test.ts',
  'test/no-downgrade.process.test.ts',
  'test/fail-closed.process.test.ts',
  'src/cli/commands/trace.process.test.ts',
  'src/daemon/hook-call/same-answers.process.test.ts',
  'src/cli/commands/roundtable.process.test.ts',
  'src/cli/commands/sample.process.test.ts',
]

/** Sorts as vitest does, by what failed and took long in the last run, after the files of the table. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const at = LONGEST.indexOf(relative(this.ctx.config.root, moduleId))
      return at < 0 ? LONGEST.length : at
    }
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b))
  }
}
