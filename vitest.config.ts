import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { LongestFirst } from './test/longest-first.ts'

// No test starts a daemon unless it says so, and output has no colours, also where a terminal would get them.
// The limits only end what hangs: on a busy machine everything takes several times as long.
const SHARED = {
  testTimeout: 120_000,
  hookTimeout: 120_000,
  env: { ARC_DAEMON: 'off', NO_COLOR: '1', NODE_ENV: 'test' },
  // Each worker loads the code under test once. test/file-setup.ts leaves the process as it was.
  isolate: false,
}

export default defineConfig({
  test: {
    globalSetup: ['test/global-setup.ts'],
    // Two for each core: half of the time, tests that start processes wait.
    maxWorkers: Math.min(availableParallelism() * 2, 6),
    // Compiled test and source files, by their content.
    experimental: { fsModuleCache: true, fsModuleCachePath: 'node_modules/.cache/arc/vitest' },
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          ...SHARED,
          name: 'unit',
          include: ['src/**/*.test.ts', 'test/**/*.test.ts', 'dashboard/**/*.test.ts'],
          exclude: ['**/node_modules/**', '**/*.process.test.ts'],
          setupFiles: ['test/file-setup.ts', 'test/refuse-processes.ts'],
        },
      },
      {
        test: {
          ...SHARED,
          name: 'process',
          include: ['src/**/*.process.test.ts', 'test/**/*.process.test.ts'],
          setupFiles: ['test/file-setup.ts'],
          globalSetup: ['test/build-setup.ts'],
        },
      },
    ],
  },
})
