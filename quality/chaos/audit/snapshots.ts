import { z } from 'zod';
import { DATASET_IDS } from '../../../local/sandbox/dataset-api/collect.ts';
import { SANDBOX_API_TOKEN } from '../../../local/sandbox/dataset-api/dataset-api.ts';
import { DATABASE } from '../settings.ts';
import type { Stage } from '../stage.ts';
import type { Finding } from './finding.ts';

export type Snapshots = Awaited<ReturnType<typeof readSnapshots>>;

const statsSchema = z.object({ dataset: z.object({ lists: z.number() }) });
const listSchema = z.array(z.object({ id: z.string() }));

export async function readSnapshots({ sandbox, mongo }: Stage) {
  const stats = statsSchema.parse(await (await fetch(`${sandbox.url}/stats`)).json());
  const lists = await Promise.all(
    Object.values(DATASET_IDS).map(async (id) => {
      const url = `${sandbox.url}/datasets/v3/snapshots?dataset_id=${id}&limit=5000`;
      const answer = await fetch(url, { headers: { authorization: `Bearer ${SANDBOX_API_TOKEN}` } });
      return listSchema.parse(await answer.json());
    }),
  );
  const holders = await mongo.db(DATABASE).collection<{ _id: string }>('snapshot_holders').find().toArray();
  return {
    /** What the provider has started, and charges for. */
    started: lists.flat().map(({ id }) => id),
    /** Those that a job has, or had. */
    held: new Set(holders.map(({ _id }) => _id)),
    /** Requests for the list of started snapshots. */
    looks: stats.dataset.lists,
  };
}

/** Whether each snapshot that was paid for is that of a job: what no job has was ordered again. */
export function auditSnapshots({ started, held }: Pick<Snapshots, 'started' | 'held'>): Finding {
  return { column: 'snapshots paid for in vain', ids: started.filter((id) => !held.has(id)) };
}
