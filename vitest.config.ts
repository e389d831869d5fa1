import { defineConfig } from 'vitest/config'

// No test starts a daemon unless it says so, and output has no colours, also where a terminal would get them.
const SHARED = { testTimeout: 30_000, env: { ARC_DAEMON: 'off', NO_COLOR: '1', NODE_ENV: 'test' } }

export default defineConfig({
  test: {
    globalSetup: ['test/global-setup.ts'],
    // Two cores: more workers than that only make tests that start processes slower.
    maxWorkers: 2,
    projects: [
      {
        test: {
          ...SHARED,
          name: 'unit',
          include: ['src/**/*.test.ts', 'test/**/*.test.ts', 'dashboard/**/*.test.ts'],
          exclude: ['**/node_modules/**', '**/*.process.test.ts'],
          setupFiles: ['test/file-setup.ts', 'test/refuse-processes.ts'],
          isolate: false,
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
