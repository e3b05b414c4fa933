import { z } from 'zod';
import type { Part } from '../part.ts';
import { inTurn, median, timed, until } from '../rounds.ts';
import { withBench } from '../service.ts';

const TIMEOUT_MS = 600_000;
/** With fewer, the figure shows how a batch begins and ends. */
const LEAST_JOBS = 60;
const batchSchema = z.object({ id: z.string(), status: z.string(), counts: z.object({ success: z.number() }) });

/** Short audio as one batch, and as the same single requests, which are sent all at once. */
export const batches: Part = {
  title: 'Items of a batch a minute',
  run: ({ dataDir, engine, say, rounds, jobs, jobsAtOnce }) => {
    const size = Math.max(LEAST_JOBS, jobs);
    const slots = String(jobsAtOnce);
    const env = { VIDNET_MAX_JOBS: slots, MAX_FETCHES: slots };
    const videos = 2 * size * (rounds + 1);
    return withBench({ dataDir, engine, say, services: ['api', 'worker'], videos, env }, async (bench) => {
      let used = 0;
      const nextIds = (): readonly string[] => bench.ids.slice(used, (used += size));
      const ofBatch = (): Promise<number> => {
        const items = nextIds().map((vidnet_video_id) => ({ operation: 'requestAudio', vidnet_video_id }));
        return timed(async () => {
          const read = async (path: string, init?: RequestInit) => {
            const response = await fetch(bench.stack.restUrl + path, init);
            return batchSchema.parse(await response.json());
          };
          const { id } = await read('/api/batches', { method: 'POST', body: JSON.stringify({ items }) });
          const ended = await until(
            async () => {
              const batch = await read(`/api/batches/${id}`);
              return batch.status === 'finished' && batch;
            },
            { timeoutMs: TIMEOUT_MS, what: `the end of batch ${id}` },
          );
          if (ended.counts.success !== size) throw new Error(`batch ${id} has failed items`);
        });
      };
      const ofRequests = (): Promise<number> => {
        const ids = nextIds();
        return timed(async () => {
          const accepted = await Promise.all(ids.map((id) => bench.requestAudio(id)));
          for (const { id } of accepted) await bench.ended(id);
        });
      };
      // The first run takes longer.
      await ofBatch();
      await ofRequests();
      const took = await inTurn<string, number>(rounds, { batch: ofBatch, requests: ofRequests });
      const rateOf = (name: string): number => (60_000 * size) / median(took[name] ?? []);
      const reference = { what: 'the same single requests', value: rateOf('requests') };
      return {
        findings: [{ what: 'items of a batch', unit: '1/min', value: rateOf('batch'), reference, isChief: true }],
        raw: { size, jobsAtOnce, tookMs: took },
      };
    });
  },
};
