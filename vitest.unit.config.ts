import { defineConfig } from 'vitest/config';
import { unitTestFiles } from './test/unit-files.ts';

/** Without test/global-setup.ts: what runs here needs nothing but the packages. */
export default defineConfig({
  test: { include: unitTestFiles(), maxWorkers: 2, testTimeout: 30_000, hookTimeout: 60_000 },
});
