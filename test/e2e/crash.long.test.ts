import { describe, expect, it } from 'vitest';
import { CRASH_LIMIT_MS, useCrashBench } from '../helpers/crash-bench.ts';

const bench = useCrashBench(5);
const { runningJob, untilFetching, kill, expectDoneOnce } = bench;

describe('a job survives the sudden end of', () => {
  it(
    'the api, right after it accepted',
    async () => {
      const job = await runningJob();
      kill('api');
      await expectDoneOnce(job);
    },
    CRASH_LIMIT_MS,
  );

  it(
    'MongoDB, in the middle of the download',
    async () => {
      const job = await runningJob();
      await untilFetching(job);
      kill('mongodb');
      await expectDoneOnce(job);
    },
    CRASH_LIMIT_MS,
  );

  it(
    'api and worker, as soon as the job exists',
    async () => {
      const job = await runningJob();
      kill('api', 'worker');
      await expectDoneOnce(job);
    },
    CRASH_LIMIT_MS,
  );

  it(
    'Temporal, in the middle of the download',
    async () => {
      const job = await runningJob();
      await untilFetching(job);
      kill('temporal');
      await expectDoneOnce(job);
    },
    CRASH_LIMIT_MS,
  );
});

describe('a job survives the orderly end of', () => {
  it(
    'the worker, whose grace time is shorter than the download',
    async () => {
      const job = await runningJob();
      await untilFetching(job);
      bench.service().stack.kill('worker', 'SIGTERM');
      await expectDoneOnce(job);
    },
    CRASH_LIMIT_MS,
  );
});

describe('while an engine is silent', () => {
  it('a request is told to come back, and served afterwards', async () => {
    const service = bench.service();
    service.stack.kill('temporal', 'SIGSTOP');
    const body = JSON.stringify({ vidnet_video_id: 'NoSuchVideo' });
    const silent = await fetch(`${service.stack.restUrl}/api/downloads/audio`, { method: 'POST', body }).finally(() =>
      service.stack.kill('temporal', 'SIGCONT'),
    );
    expect([silent.status, await silent.json()]).toMatchObject([503, { code: 'unavailable' }]);
    expect(silent.headers.get('retry-after')).toBe('5');
    const served = await service.requestAudio('NoSuchVideo');
    // The first request may have started the job after all.
    expect([202, 409]).toContain(served.status);
  });
});
