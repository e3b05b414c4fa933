import { defineConfig } from 'vitest/config';
import { unitTestFiles } from '../unit-files.ts';

/** The compiler would refuse the changed code, which no test is to be praised for. */
const COMPILES = 'test/docs.test.ts';

/** For `npm run mutate`, without test/global-setup.ts: what runs here needs nothing but the packages. */
export default defineConfig({
  test: {
    include: unitTestFiles().filter((path) => path !== COMPILES),
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});
