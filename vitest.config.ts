import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts', 'dashboard/**/*.test.ts'],
    globalSetup: ['test/global-setup.ts'],
    testTimeout: 30_000,
    // No test leaves a daemon behind: hooks start none unless a test says so.
    // The same colours everywhere: CI servers count as terminals with colours.
    env: { ARC_DAEMON: 'off', NO_COLOR: '1' },
    // Two cores: more workers than that only make child-process tests slower.
    maxWorkers: 2,
  },
})
