import { startWebhookReceiver } from '../../../local/webhook-receiver.ts';
import type { Part } from '../part.ts';
import { median, quantile, timed, until } from '../rounds.ts';
import { withBench } from '../service.ts';

const JOBS_PER_ROUND = 10;
const TIMEOUT_MS = 60_000;

/** Measures the time from the end of a record to the arrival of its webhook. The reference is a bare request. */
export const webhook: Part = {
  title: 'From the end of a job to its webhook',
  run: ({ dataDir, engine, say, rounds }) => {
    const jobs = rounds * JOBS_PER_ROUND;
    return withBench({ dataDir, engine, say, services: ['api', 'worker'], videos: jobs + 1 }, async (bench) => {
      const receiver = await startWebhookReceiver();
      const records = bench.db.collection<{ _id: string; finishedAt: string }>('records');
      try {
        const raw: { readonly endToWebhookMs: number[]; readonly requestMs: number[] } = {
          endToWebhookMs: [],
          requestMs: [],
        };
        for (const [index, videoId] of bench.ids.entries()) {
          const { id } = await bench.requestAudio(videoId, receiver.url);
          const isOfJob = (post: (typeof receiver.posts)[number]): boolean =>
            post.headers['x-webhook-download-id'] === id;
          const what = `the webhook of ${id}`;
          await until(() => receiver.posts.some(isOfJob), { timeoutMs: TIMEOUT_MS, what, everyMs: 5 });
          const { finishedAt = '' } = (await records.findOne({ _id: id })) ?? {};
          const arrivedMs = receiver.posts.find(isOfJob)?.at ?? NaN;
          // The first job warms everything up.
          if (index === 0) continue;
          raw.endToWebhookMs.push(arrivedMs - Date.parse(finishedAt));
          raw.requestMs.push(await timed(() => fetch(receiver.url, { method: 'POST', body: '{}' })));
        }
        const findings = Object.entries({ median: 0.5, p99: 0.99 }).map(([name, share]) => ({
          what: `end to webhook, ${name}`,
          unit: 'ms',
          isChief: name === 'median',
          value: quantile(raw.endToWebhookMs, share),
          reference: { what: 'a bare request', value: median(raw.requestMs) },
        }));
        return { findings, raw };
      } finally {
        await receiver.close();
      }
    });
  },
};
