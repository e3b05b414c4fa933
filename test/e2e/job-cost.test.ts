import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { sumOf, withCounts } from '../../quality/bench/counted.ts';

/**
 * The most that a job for audio requires of the engines, with a key that pays and a webhook. Two operations are the reads of
 * the key and of the circuit breaker, each once in a few seconds. Heartbeats are not counted as actions.
 */
const MOST = { actions: 8, events: 32, operations: 15 };
/** So many more where the worker begins a job before the api has written its record, as on a busy machine. */
const MORE_WHEN_BEATEN = 3;

it('a job for audio asks no more of Temporal and of the database than it did', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'tapedeck-cost-'));
  try {
    const counts = await withCounts({ dataDir, engine: 'embedded' }, async ({ bench, count, runJob }) => {
      const [first, ...others] = bench.sandbox.catalogue.filter((video) => video.case === 'ordinary');
      const audio = (id = '') => runJob('/api/downloads/audio', { vidnet_video_id: id });
      // It sets up what later jobs use.
      await audio(first?.id);
      let counts = await count(() => audio(others[0]?.id));
      for (const { id } of others.slice(1, 4)) {
        if (sumOf(counts.operations) <= MOST.operations) break;
        counts = await count(() => audio(id));
      }
      return counts;
    });
    const operations = sumOf(counts.operations);
    // Less would mean that something is not seen: a job is started, done and told, and its record begun and ended.
    expect(counts.actions).toBeGreaterThanOrEqual(4);
    expect(counts.events).toBeGreaterThanOrEqual(15);
    expect(operations).toBeGreaterThanOrEqual(4);
    // On a busy machine it takes longer, and has more heartbeats.
    expect(counts.actions - counts.heartbeats).toBeLessThanOrEqual(MOST.actions);
    expect(counts.events).toBeLessThanOrEqual(MOST.events);
    const isBeaten = (counts.operations['find subjects'] ?? 0) > 1;
    const most = MOST.operations + (isBeaten ? MORE_WHEN_BEATEN : 0);
    expect(operations, JSON.stringify(counts.operations)).toBeLessThanOrEqual(most);
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}, 180_000);
