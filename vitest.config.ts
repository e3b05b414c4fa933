import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/global-setup.ts'],
    reporters: ['default', './test/closing-line-reporter.ts'],
    // Two cores, and the engines need one of them.
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // A test that left a rejected promise behind has not passed.
    dangerouslyIgnoreUnhandledErrors: false,
  },
});
