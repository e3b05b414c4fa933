import { z } from 'zod';
import { type Stage, DATABASE } from '../stage.ts';
import type { Evidence, Finding } from './evidence.ts';
import { DATASET_IDS } from '../../../local/sandbox/dataset-api/collect.ts';
import { SANDBOX_API_TOKEN } from '../../../local/sandbox/dataset-api/dataset-api.ts';

const mediaStatsSchema = z.object({ videos: z.record(z.string(), z.object({ complete_media_bodies: z.number() })) });
/** The number of media bodies that a success of each kind fetches: picture and sound are one each. */
const BODIES: Readonly<Record<string, number>> = { audio: 1, vidnet_video: 2 };

/** Checks that media was fetched once for each success, which must hold when nothing is killed. */
export async function auditFetches({ sandbox }: Stage, { records }: Pick<Evidence, 'records'>): Promise<Finding> {
  const { videos } = mediaStatsSchema.parse(await (await fetch(`${sandbox.url}/stats`)).json());
  const due = new Map<string, number>();
  for (const { type, mediaId, status } of records.values()) {
    if (status === 'success') due.set(mediaId, (due.get(mediaId) ?? 0) + (BODIES[type] ?? 0));
  }
  const ids = Object.entries(videos).flatMap(([id, { complete_media_bodies: fetched }]) =>
    fetched <= (due.get(id) ?? 0) ? [] : [`${id}: ${String(fetched)} bodies instead of ${String(due.get(id) ?? 0)}`],
  );
  return { column: 'media fetched again', ids };
}

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
    /** Snapshots that the provider has started and charges for. */
    started: lists.flat().map(({ id }) => id),
    held: new Set(holders.map(({ _id }) => _id)),
    /** Requests for the list of started snapshots. */
    looks: stats.dataset.lists,
  };
}

/** Checks that each snapshot that was paid for belongs to a job. */
export function auditSnapshots({ started, held }: Pick<Snapshots, 'started' | 'held'>): Finding {
  return { column: 'snapshots paid for in vain', ids: started.filter((id) => !held.has(id)) };
}
