import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { TestService } from './service.ts';
import { FaultProxy, mongodbServer } from '../../quality/fault-proxy.ts';
import { until } from './until.ts';

/** What can befall the engines; each comes with videos without a job. */
const WAYS = {
  'Temporal is away': {
    engine: 'temporal',
    fault: 'down',
    videos: [
      ['ordinary', 0],
      ['ordinary', 1],
    ],
  },
  'MongoDB is away': {
    engine: 'mongodb',
    fault: 'down',
    videos: [
      ['ordinary', 2],
      ['long', 0],
    ],
  },
  'the line to Temporal hangs': {
    engine: 'temporal',
    fault: 'hang',
    videos: [
      ['regional_captions', 0],
      ['automatic_captions', 0],
    ],
  },
  'the line to MongoDB hangs': {
    engine: 'mongodb',
    fault: 'hang',
    videos: [
      ['no_captions', 0],
      ['many_comments', 0],
    ],
  },
} as const;
export type WayToBeAway = keyof typeof WAYS;
export const WAYS_TO_BE_AWAY = Object.keys(WAYS) as WayToBeAway[];

/** 15 s, and what a busy machine adds. */
const MAX_ANSWER_MS = 25_000;
const ASK_EVERY_MS = 200;
/** A job lasts until its engine is gone: what has ended is answered without Temporal. */
const SLOW = { target: 'media', mode: 'slow', bytes_per_second: 20_000 } as const;

interface Seen {
  readonly status: number;
  readonly retryAfter: string | null;
  readonly code: unknown;
  readonly tookMs: number;
}

/** One way after the other, on one service. @param awayMs how long at least */
export function describeEnginesAway(ways: readonly WayToBeAway[], awayMs: number): void {
  let temporal: FaultProxy;
  let mongodb: FaultProxy;
  let service: TestService;
  beforeAll(async () => {
    temporal = await FaultProxy.start(inject('temporalAddress'));
    mongodb = await FaultProxy.start(mongodbServer(inject('mongodbUri')));
    service = await TestService.start({
      env: { TEMPORAL_ADDRESS: temporal.address, MONGODB_URI: `mongodb://${mongodb.address}/` },
      showsRefusals: true,
    });
  }, 120_000);
  afterAll(async () => {
    await service.stop();
    await Promise.all([temporal.stop(), mongodb.stop()]);
  });

  /** Requests a video again and again until `stop`. @returns what was answered, and which jobs were accepted */
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
        await delay(ASK_EVERY_MS);
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

  it.each(ways)(
    'while %s, answers 503 with Retry-After, loses no accepted job, and recovers by itself',
    async (way) => {
      const before = pids();
      const videos = WAYS[way].videos.map(([kind, index]) => service.videoId(kind, index));
      if (WAYS[way].engine === 'temporal') for (const video of videos) await service.misbehave({ video, ...SLOW });
      const requests = videos.map(load);
      await delay(1_000);
      const { engine, fault } = WAYS[way];
      const line = { temporal, mongodb }[engine];
      line.spoil(fault);
      const ready = await until(
        async () => {
          const answer = await fetch(`${service.stack.restUrl}/ready`);
          return answer.status === 503 && answer;
        },
        { what: 'not being ready' },
      );
      expect(await ready.json()).toMatchObject({ status: 'unavailable' });
      expect(Number(ready.headers.get('retry-after'))).toBeGreaterThan(0);
      expect((await service.request('GET', '/live')).status).toBe(200);
      await delay(awayMs);
      // A line that hangs for less than the driver's patience refuses nobody: what waits is sent again and succeeds.
      await until(() => requests.some((one) => one.isRefused()), {
        what: 'a request that is answered 503',
        within: 60_000,
      });
      line.mend();
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
        `away ${String(awayMs)} ms: ${String(seen.length)} answers, ${String(refused)} of them 503, the slowest after ${String(slowestMs)} ms; ready again after ${String(recoveredMs)} ms, all jobs ended after ${String(endedMs)} ms`,
      );
    },
    awayMs + 240_000,
  );
}
