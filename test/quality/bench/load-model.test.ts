import { describe, expect, it } from 'vitest';
import { loadModel, needsOf, type JobCost } from '../../../quality/bench/load-model.ts';
import type { KeptResult } from '../../../quality/bench/results.ts';

const COST: JobCost = {
  ...{ actions: 8, events: 30, operations: 14, processorSeconds: 0.25, temporalSeconds: 0.1, slots: 16 },
  ...{ historyBytes: 10_000, temporalBytes: 40_000, recordBytes: 2_000 },
};

function kept(part: string, result: Partial<KeptResult>): [string, KeptResult] {
  const engine = result.engine ?? 'embedded';
  const machine = { processor: 'one', cores: 2, memoryGib: 8 };
  const origin = { part, engine, measuredAt: '2026-11-23T00:00:00Z', commit: 'abc', machine, versions: {} };
  return [engine === 'embedded' ? part : `${part}-${engine}`, { ...origin, findings: [], raw: {}, ...result }];
}

const RESULTS: readonly [string, KeptResult][] = [
  kept('counts', {
    raw: { audio: { actions: 9, heartbeats: 1, events: 30, operations: { 'find records': 10, 'insert records': 4 } } },
  }),
  kept('jobs', {
    findings: [
      { what: 'processor time of a job', unit: 's', value: 0.25 },
      { what: 'of that temporal', unit: 's', value: 0.09 },
    ],
  }),
  kept('scale', {
    engine: 'cluster',
    raw: {
      ...{ slots: 16, fetchSeconds: 8, jobs: 100, temporalBytes: 4_000_000 },
      runs: [{ workers: 4, jobs: 50, processorSeconds: { temporal: 4, postgresql: 3, api: 9 } }],
      histories: { workflows: 100, events: 2_500, bytes: 1_000_000, actionsEach: 7 },
      collections: { records: { documents: 100, bytesEach: 2_000 } },
    },
  }),
];

describe('the load model', () => {
  it('needs ten times the rates, bytes and workers for ten times the jobs', () => {
    const [less, more] = [needsOf(100_000, COST), needsOf(1_000_000, COST)];
    expect(more.actionsPerSecond / less.actionsPerSecond).toBeCloseTo(10);
    expect(more.recordsGb / less.recordsGb).toBeCloseTo(10);
    expect(more.workers).toBeGreaterThan(9 * less.workers - 10);
    expect(more.shards).toBeGreaterThanOrEqual(8 * less.shards);
  });

  it('counts a heartbeat as an action', () => {
    const { actionsPerSecond, perSecond } = needsOf(86_400, COST);
    expect(perSecond).toBeCloseTo(3);
    // A fetch of 30 s sends heartbeats after 2, 6, 10, 14, 18, 22 and 26 s.
    expect(actionsPerSecond / perSecond).toBeCloseTo(8 + 7);
  });

  it('is computed from the stored results', () => {
    const text = loadModel(new Map(RESULTS));
    expect(text).toContain(
      '0.3 s of processor (Temporal and PostgreSQL 0.14), 8 actions, 30 events, 9.77 KiB of history (39.1 KiB',
    );
    expect(text).toContain('|Jobs a day|1,000|10,000|100,000|1,000,000|');
    expect(text).not.toMatch(/NaN|undefined|Infinity/);
    const words = text.replace(/^\|.*$/gm, '').split(/\s+/);
    expect(words.length).toBeLessThanOrEqual(250);
  });

  it.each(['counts', 'jobs', 'scale-cluster'])(
    'names the commands to run when the results of %s are missing',
    (name) => {
      const text = loadModel(new Map(RESULTS.filter(([one]) => one !== name)));
      expect(text).toContain('`npm run bench -- scale --engine cluster --keep`');
      expect(text).not.toContain('|Jobs a day|');
    },
  );
});
