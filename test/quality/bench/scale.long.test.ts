import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readArguments } from '../../../quality/bench/arguments.ts';
import { ENGINES } from '../../../quality/bench/engine.ts';
import { scale, type ScaleRaw } from '../../../quality/bench/parts/scale.ts';

/** The servers may have to be built first. */
const TIMEOUT_MS = 1_200_000;

it.each(ENGINES)(
  'jobs go through 1, 2 and 4 workers on the engine "%s", and their cost is reported',
  async (engine) => {
    const dataDir = await mkdtemp(join(tmpdir(), 'tapedeck-scale-'));
    try {
      const { options } = readArguments(['--scale-jobs', '48', '--slots', '2', '--fetch-seconds', '1']);
      const { raw } = await scale.run({ ...options, engine, dataDir, say: () => undefined });
      const { runs, histories, temporalBytes } = raw as ScaleRaw;
      expect(runs.map(({ workers, failed }) => [workers, failed])).toEqual([1, 2, 4].map((number) => [number, 0]));
      expect(runs.map(({ jobs }) => jobs)).toEqual([7, 14, 27]);
      const spent = runs.map(({ processorSeconds }) => Object.keys(processorSeconds));
      const database = engine === 'cluster' ? ['postgresql'] : [];
      for (const names of spent) {
        expect(names).toEqual(expect.arrayContaining(['api', 'worker', 'temporal', 'mongodb', ...database]));
      }
      // Each job has at least a start, an end and a webhook.
      expect(histories.workflows).toBeGreaterThanOrEqual(48);
      expect(histories.actionsEach).toBeGreaterThanOrEqual(2);
      expect(temporalBytes).toBeGreaterThan(0);
    } finally {
      await rm(dataDir, { recursive: true, force: true });
    }
  },
  TIMEOUT_MS,
);
