import { Client, Connection } from '@temporalio/client';
import { MongoClient } from 'mongodb';
import { ulid } from 'ulid';
import type { Finding, Part } from '../part.ts';
import { atOnce, inTurn, timed } from '../rounds.ts';
import { withBench } from '../service.ts';
import { quantile } from '../statistics.ts';

/** Requests at once. */
const BURSTS = [1, 40, 50, 500];
/** So that one request at a time is measured more than once. */
const LEAST_REQUESTS = 50;
const WARM_UP = 50;

/**
 * How long callers wait until their job is accepted, beside what cannot be avoided: starting a bare workflow and writing one
 * record. No worker runs, so that nothing but accepting is measured.
 */
export const accept: Part = {
  title: 'Accepting jobs',
  run: ({ dataDir, engine, say, rounds }) =>
    withBench({ dataDir, engine, say, roles: ['api'] }, async ({ stack }) => {
      const mongo = await MongoClient.connect(stack.mongodbUri);
      const connection = await Connection.connect({ address: stack.temporalAddress });
      const client = new Client({ connection });
      const bareRecords = mongo.db('bare').collection<{ _id: string }>('records');
      const bare = async (): Promise<void> => {
        const id = ulid();
        await client.workflow.start('audio', { workflowId: id, taskQueue: 'nobody', args: [{ id }] });
        await bareRecords.insertOne({ _id: id });
      };
      const ask = async (videoId: string): Promise<void> => {
        const body = JSON.stringify({ vidnet_video_id: videoId });
        const response = await fetch(`${stack.restUrl}/api/downloads/audio`, { method: 'POST', body });
        await response.text();
        // Who comes second on one subject is told of the job that runs.
        if (![202, 409].includes(response.status)) throw new Error(`answered ${String(response.status)}`);
      };
      const newVideo = (): string => ulid().slice(-11);
      try {
        await atOnce(Array.from({ length: WARM_UP }), 1, () => Promise.all([ask(newVideo()), bare()]));
        const findings: Finding[] = [];
        const raw: Record<string, unknown> = {};
        for (const size of BURSTS) {
          const took = await inTurn(rounds, {
            'different subjects': () => burstsOf(size, () => () => ask(newVideo())),
            'one subject': () =>
              burstsOf(size, () => {
                const videoId = newVideo();
                return () => ask(videoId);
              }),
            bare: () => burstsOf(size, () => bare),
          });
          raw[String(size)] = took;
          for (const subjects of ['different subjects', 'one subject'] as const) {
            for (const [told, share] of [
              ['median', 0.5],
              ['p99', 0.99],
            ] as const) {
              const value = quantile(took[subjects].flat(), share);
              const isChief = told === 'median' && subjects === 'different subjects' && size >= 40;
              const reference = { what: 'bare start and insert', value: quantile(took.bare.flat(), share) };
              findings.push({
                what: `${String(size)} at once, ${subjects}, ${told}`,
                unit: 'ms',
                value,
                reference,
                isChief,
              });
            }
          }
        }
        return { findings, raw };
      } finally {
        await connection.close();
        await mongo.close();
      }
    }),
};

/** Milliseconds of each call of as many bursts as make enough calls. */
async function burstsOf(size: number, begin: () => () => Promise<void>): Promise<number[]> {
  const took: number[] = [];
  while (took.length < LEAST_REQUESTS) {
    const call = begin();
    took.push(...(await Promise.all(Array.from({ length: size }, () => timed(call)))));
  }
  return took;
}
