import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { TestService } from '../helpers/service.ts';
import { FaultProxy, mongodbServer } from '../../quality/fault-proxy.ts';
import { until } from '../helpers/until.ts';

// `AWAY_SECONDS=60` for the long run, whose numbers are in docs/operations.md.
const AWAY_MS = Number(process.env['AWAY_SECONDS'] ?? 4) * 1000;
/** 15 s, and what a busy machine adds. */
const MAX_ANSWER_MS = 25_000;
let temporal: FaultProxy;
let mongodb: FaultProxy;
let service: TestService;
beforeAll(async () => {
  temporal = await FaultProxy.start(inject('temporalAddress'));
  mongodb = await FaultProxy.start(mongodbServer(inject('mongodbUri')));
  service = await TestService.start({
    env: { TEMPORAL_ADDRESS: temporal.address, MONGODB_URI: `mongodb://${mongodb.address}/` },
  });
}, 120_000);
afterAll(async () => {
  await service.stop();
  await Promise.all([temporal.stop(), mongodb.stop()]);
});

interface Seen {
  readonly status: number;
  readonly retryAfter: string | null;
  readonly code: unknown;
  readonly tookMs: number;
}

/** Asks for a video again and again until told to stop. @returns what was answered, and which jobs were accepted */
function load(videoId: string) {
  const seen: Seen[] = [];
  const accepted: string[] = [];
  const over = new AbortController();
  const running = (async () => {
    while (!over.signal.aborted) {
      const askedMs = performance.now();
      const answer = await service.requestAudio(videoId);
      const tookMs = Math.round(performance.now() - askedMs);
      const retryAfter = answer.headers.get('retry-after');
      seen.push({ status: answer.status, retryAfter, code: answer.body.code, tookMs });
      const { data, id } = answer.body as { data?: { id: string }; id?: string };
      const known = data?.id ?? id;
      if (known !== undefined) accepted.push(known);
      await delay(100);
    }
  })();
  return {
    isRefused: () => seen.some(({ status }) => status === 503),
    async stop() {
      over.abort();
      await running;
      return { seen, accepted: [...new Set(accepted)] };
    },
  };
}

const pids = () => Object.fromEntries(service.stack.processes().map(({ name, pid }) => [name, pid]));

describe.each([
  {
    name: 'Temporal is away',
    spoil: () => temporal.spoil('down'),
    mend: () => temporal.mend(),
    videos: [
      ['ordinary', 0],
      ['ordinary', 1],
    ] as const,
  },
  {
    name: 'MongoDB is away',
    spoil: () => mongodb.spoil('down'),
    mend: () => mongodb.mend(),
    videos: [
      ['ordinary', 2],
      ['long', 0],
    ] as const,
  },
  {
    name: 'the line to Temporal hangs',
    spoil: () => temporal.spoil('hang'),
    mend: () => temporal.mend(),
    videos: [
      ['regional_captions', 0],
      ['automatic_captions', 0],
    ] as const,
  },
  {
    name: 'the line to MongoDB hangs',
    spoil: () => mongodb.spoil('hang'),
    mend: () => mongodb.mend(),
    videos: [
      ['no_captions', 0],
      ['many_comments', 0],
    ] as const,
  },
])('while $name', ({ spoil, mend, videos }) => {
  it(
    'requests are told to come back, nothing that was accepted is lost, and it all goes on by itself',
    async () => {
      const before = pids();
      const requests = videos.map(([kind, index]) => load(service.videoId(kind, index)));
      await delay(1_000);
      spoil();
      const ready = await until(
        async () => {
          const answer = await service.request<{ status: string }>('GET', '/ready');
          return answer.status === 503 && answer;
        },
        { what: 'not being ready' },
      );
      expect(ready.body.status).toBe('unavailable');
      expect(Number(ready.headers.get('retry-after'))).toBeGreaterThan(0);
      expect((await service.request('GET', '/live')).status).toBe(200);
      await delay(AWAY_MS);
      // A line that hangs for less than the driver's patience refuses nobody: what waits is sent again and succeeds.
      await until(() => requests.some((one) => one.isRefused()), {
        what: 'a request that is told to come back',
        within: 60_000,
      });
      mend();
      const mendedAt = Date.now();
      await until(async () => (await service.request('GET', '/ready')).status === 200, {
        what: 'being ready',
        within: 60_000,
      });
      const recoveredMs = Date.now() - mendedAt;
      const stopped = await Promise.all(requests.map((one) => one.stop()));
      const seen = stopped.flatMap((one) => one.seen);
      const accepted = [...new Set(stopped.flatMap((one) => one.accepted))];
      for (const { status, retryAfter, code } of seen) {
        expect([200, 202, 409, 503]).toContain(status);
        if (status === 503) expect([Number(retryAfter) > 0, code]).toEqual([true, 'unavailable']);
      }
      const ended = await Promise.all(accepted.map((id) => service.ended(id, 120_000)));
      expect(new Set(ended.map(({ status }) => status))).toEqual(new Set(['success']));
      expect(pids()).toEqual(before);
      const endedMs = Date.now() - mendedAt;
      const slowestMs = Math.max(...seen.map(({ tookMs }) => tookMs));
      expect(slowestMs).toBeLessThan(MAX_ANSWER_MS);
      const refused = seen.filter(({ status }) => status === 503).length;
      console.log(
        `away ${String(AWAY_MS)} ms: ${String(seen.length)} answers, ${String(refused)} of them 503, the slowest after ${String(slowestMs)} ms; ready again after ${String(recoveredMs)} ms, all jobs ended after ${String(endedMs)} ms`,
      );
    },
    AWAY_MS + 240_000,
  );
});
