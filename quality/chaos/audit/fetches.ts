import { z } from 'zod';
import type { Stage } from '../stage.ts';
import type { Evidence } from './evidence.ts';
import type { Finding } from './finding.ts';

const statsSchema = z.object({ videos: z.record(z.string(), z.object({ complete_media_bodies: z.number() })) });
/** Bodies that a success of a kind fetches of its video: picture and sound are one each. */
const BODIES: Readonly<Record<string, number>> = { audio: 1, vidnet_video: 2 };

/** Whether the media of each video was fetched once for each success, as it must be where nothing is killed. */
export async function auditFetches({ sandbox }: Stage, { records }: Pick<Evidence, 'records'>): Promise<Finding> {
  const { videos } = statsSchema.parse(await (await fetch(`${sandbox.url}/stats`)).json());
  const due = new Map<string, number>();
  for (const { type, mediaId, status } of records.values()) {
    if (status === 'success') due.set(mediaId, (due.get(mediaId) ?? 0) + (BODIES[type] ?? 0));
  }
  const ids = Object.entries(videos).flatMap(([id, { complete_media_bodies: fetched }]) =>
    fetched <= (due.get(id) ?? 0) ? [] : [`${id}: ${String(fetched)} bodies instead of ${String(due.get(id) ?? 0)}`],
  );
  return { column: 'media fetched again', ids };
}
