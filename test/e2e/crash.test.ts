import { describe, expect, inject, it } from 'vitest';
import { startWebhookReceiver } from '../../local/webhook-receiver.ts';
import { CRASH_LIMIT_MS, useCrashBench } from '../helpers/crash-bench.ts';
import { until } from '../helpers/until.ts';
import { canBeWarm } from '../helpers/yt-dlp.ts';

// Further moments and processes: crash.long.test.ts.
const bench = useCrashBench(4);
const { runningJob, untilFetching, kill, killWarmYtdlp, expectDoneOnce } = bench;
const isWarm = await canBeWarm(inject('tools').ytdlp);

describe('a job survives the sudden end of', () => {
  // The first one, so that what the log says is said by the worker that runs.
  it.runIf(isWarm)(
    'the yt-dlp that is kept warm, in the middle of the download by its fork',
    async () => {
      const service = bench.service();
      await until(async () => (await service.logOf('worker')).includes('yt-dlp is preloaded'), {
        what: 'a warm yt-dlp',
      });
      const job = await runningJob();
      await until(async () => (await service.served(job.video)).media_requests > 0, { what: 'the transfer' });
      await killWarmYtdlp();
      await expectDoneOnce(job);
      expect(await service.served(job.video)).toMatchObject({ media_requests: 2, complete_media_bodies: 1 });
    },
    CRASH_LIMIT_MS,
  );

  it(
    'the worker, in the middle of the download, and so does a webhook between its attempts',
    async () => {
      // Slow enough to be under way still when the other job has ended.
      const job = await runningJob(2_000);
      await untilFetching(job);
      const service = bench.service();
      let answer = 500;
      const flaky = await startWebhookReceiver(() => answer);
      const { id } = (await service.requestAudio(bench.nextVideo(), flaky.url)).body.data;
      const found = (filter: object) => bench.withDatabase((db) => db.collection('deliveries').findOne(filter));
      // On record, and not only received: an attempt that the worker did not live to record is made again.
      await until(() => found({ recordId: id, 'attempts.1.statusCode': 500 }), {
        what: 'the first attempt',
        within: 60_000,
      });
      expect((await service.getDownload(job.id)).body.data.progress?.stage).toBe('fetching');
      kill('worker');
      answer = 200;
      await service.misbehave({ video: job.video, mode: 'off' });
      await until(() => flaky.posts.length === 2, { what: 'the second attempt', within: 60_000 });
      const delivery = await until(() => found({ recordId: id, state: 'delivered' }));
      expect(Object.keys(delivery['attempts'] as object)).toEqual(['1', '2']);
      await flaky.close();
      await expectDoneOnce(job);
    },
    CRASH_LIMIT_MS,
  );

  it(
    'everything at once',
    async () => {
      const job = await runningJob();
      await untilFetching(job);
      kill('api', 'worker', 'temporal', 'mongodb');
      await expectDoneOnce(job);
    },
    CRASH_LIMIT_MS,
  );
});
