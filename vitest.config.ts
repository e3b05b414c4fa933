import { defineConfig } from 'vitest/config';
import { SlowFirst } from './test/slow-first.ts';
import { mockingTestFiles, unitTestFiles } from './test/unit-files.ts';

const LONG = 'test/**/*.long.test.ts';
/** Ten thousand jobs at once: whatever runs beside them comes to nothing, also on engines of its own, for want of the disk. */
const CROWDED = 'test/pacing/waiting-jobs.long.test.ts';
const shared = {
  setupFiles: ['test/leave-nothing.ts'],
  // Several times what they take on a machine that is busy with other things.
  testTimeout: 90_000,
  hookTimeout: 120_000,
  // The default of a second is less than such a machine needs to begin with something.
  expect: { poll: { timeout: 20_000 } },
  // A test that left a rejected promise behind has not passed.
  dangerouslyIgnoreUnhandledErrors: false,
};
const withEngines = { ...shared, globalSetup: ['test/global-setup.ts'] };
const unit = unitTestFiles();
const mocking = mockingTestFiles();

export default defineConfig({
  test: {
    reporters: ['default', './test/closing-line-reporter.ts'],
    // On two cores: half of the tests wait for something.
    maxWorkers: 5,
    // A sixth of their processor time went into collecting short-lived objects.
    execArgv: ['--max-semi-space-size=64'],
    sequence: { sequencer: SlowFirst },
    // `npm test` runs all but `npm run test:long`, the last: test/main.ts.
    projects: [
      // One process for many files: loading what they import takes longer than running many of them.
      { test: { ...shared, name: 'unit', include: unit, isolate: false } },
      {
        test: {
          ...withEngines,
          name: 'engines',
          include: ['test/**/*.test.ts'],
          exclude: [...unit, ...mocking, LONG],
          isolate: false,
        },
      },
      { test: { ...shared, name: 'mocking', include: mocking } },
      { test: { ...withEngines, name: 'long', include: [LONG], exclude: [CROWDED] } },
      { test: { ...withEngines, name: 'long-crowded', include: [CROWDED], sequence: { groupOrder: 1 } } },
    ],
  },
});
