import { MongoClient } from 'mongodb';
import { startWebhookReceiver } from '../../../local/webhook-receiver.ts';
import type { Part } from '../part.ts';
import { timed, median, quantile, until } from '../rounds.ts';
import { DATABASE, withBench } from '../service.ts';

const JOBS_PER_ROUND = 10;
const TIMEOUT_MS = 60_000;

/** From the moment at which a record has ended to the arrival of its webhook, with the least that a request takes beside it. */
export const webhook: Part = {
  title: 'From the end of a job to its webhook',
  run: ({ dataDir, engine, say, rounds }) => {
    const jobs = rounds * JOBS_PER_ROUND;
    return withBench({ dataDir, engine, say, roles: ['api', 'worker'], videos: jobs + 1 }, async (bench) => {
      const receiver = await startWebhookReceiver();
      const mongo = await MongoClient.connect(bench.stack.mongodbUri);
      const records = mongo.db(DATABASE).collection<{ _id: string; finishedAt: string }>('records');
      try {
        const raw: { readonly endToWebhookMs: number[]; readonly requestMs: number[] } = {
          endToWebhookMs: [],
          requestMs: [],
        };
        for (const [index, videoId] of bench.ids.entries()) {
          const { id } = await bench.requestAudio(videoId, receiver.url);
          const isOfJob = (post: (typeof receiver.posts)[number]): boolean =>
            post.headers['x-webhook-download-id'] === id;
          await until(() => receiver.posts.some(isOfJob), TIMEOUT_MS, `the webhook of ${id}`);
          const { finishedAt = '' } = (await records.findOne({ _id: id })) ?? {};
          const arrivedMs = receiver.posts.find(isOfJob)?.at ?? NaN;
          // Of the first one everything takes longer.
          if (index === 0) continue;
          raw.endToWebhookMs.push(arrivedMs - Date.parse(finishedAt));
          raw.requestMs.push(await timed(() => fetch(receiver.url, { method: 'POST', body: '{}' })));
        }
        const findings = (
          [
            ['median', 0.5],
            ['p99', 0.99],
          ] as const
        ).map(([name, share]) => ({
          what: `end to webhook, ${name}`,
          unit: 'ms',
          isChief: name === 'median',
          value: quantile(raw.endToWebhookMs, share),
          reference: { what: 'a bare request', value: median(raw.requestMs) },
        }));
        return { findings, raw };
      } finally {
        await mongo.close();
        await receiver.close();
      }
    });
  },
};
