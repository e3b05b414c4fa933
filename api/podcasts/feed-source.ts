import type { StoredBatch } from '../../contract/batches/batch-state.ts';
import type { DownloadRecord, PublishedFile, SuccessRecord } from '../../contract/download-record.ts';
import type { MediaInfoFacts } from '../../contract/kinds/media-info.ts';
import { mayHaveSound, soundFileOf } from '../../contract/kinds/sound.ts';
import { labelsOfAudio, subjectIdOf } from '../../contract/kinds/subjects.ts';
import { FEED_BATCHES_MAX, FEED_RECORDS_MAX } from '../../contract/request-limits.ts';
import type { ServiceDeps } from '../service-deps.ts';
import { storedItems } from '../use-cases/batches.ts';

type ReadDeps = Pick<ServiceDeps, 'batches' | 'subscriptions' | 'records' | 'contents'>;

/** @returns the name of a batch or subscription, and the IDs of the records of all its items that have succeeded */
export async function feedSourceOf(deps: ReadDeps, id: string) {
  const batch = await deps.batches.get(id);
  if (batch !== undefined) {
    const { name = `Batch ${id}`, startedBy } = batch;
    return { name, startedBy, recordIds: () => successesIn(deps, batch) };
  }
  const subscription = await deps.subscriptions.get(id);
  if (subscription === undefined) return undefined;
  const { name = subscription.source.url, startedBy } = subscription;
  const recordIds = async (): Promise<readonly string[]> => {
    const page = { startedBy: undefined, limit: FEED_BATCHES_MAX };
    const ids: string[] = [];
    for (const one of await deps.batches.list(page, { subscriptionId: id }))
      ids.push(...(await successesIn(deps, one)));
    return ids;
  };
  return { name, startedBy, recordIds };
}

async function successesIn(deps: ReadDeps, batch: StoredBatch): Promise<readonly string[]> {
  const ids: string[] = [];
  for await (const { progress } of storedItems(deps, batch)) {
    if (progress?.state === 'success' && progress.recordId !== undefined) ids.push(progress.recordId);
  }
  return ids;
}

/** A file of a download, with what other jobs have found out about it. */
export interface Episode {
  readonly record: SuccessRecord;
  readonly file: PublishedFile;
  /** The same for each download of the same subject. */
  readonly guid: string;
  readonly durationSeconds?: number | undefined;
  readonly info?: MediaInfoFacts | undefined;
  /** Captions or speaker labels. */
  readonly transcript?: DownloadRecord | undefined;
}

/** @returns the episodes of the newest downloads, newest first */
export async function episodesOf(deps: ReadDeps, recordIds: readonly string[]): Promise<readonly Episode[]> {
  const ids = recordIds.toSorted().slice(-FEED_RECORDS_MAX);
  const records = await deps.records.list({ ids, limit: FEED_RECORDS_MAX });
  const captions = new Map(records.filter(({ type }) => type === 'captions').map((one) => [one.mediaId, one]));
  const episodes = await Promise.all(
    records.map(async (record): Promise<readonly Episode[]> => {
      if (record.status !== 'success' || record.filesRemovedAt !== undefined || !mayHaveSound(record)) return [];
      const labels = await deps.records.newestBelow(labelsOfAudio(record.id));
      const transcript = labels?.status === 'success' ? labels : captions.get(record.mediaId);
      const info = await infoOf(deps, record);
      const first = soundFileOf(record);
      return record.files.flatMap((file, index): Episode[] => {
        if (file.isSilence === true) return [];
        const guid = index === 0 ? record.subjectId : `${record.subjectId}/${String(index + 1)}`;
        // All that is known about a download is known about its first recording.
        const known = file === first ? { durationSeconds: record.durationSeconds, info, transcript } : {};
        return [{ record, file, guid, ...known }];
      });
    }),
  );
  return episodes.flat();
}

async function infoOf({ records, contents }: ReadDeps, { mediaId }: DownloadRecord) {
  const found = await records.successOf(subjectIdOf('media_info', mediaId));
  return found && (await contents.facts<MediaInfoFacts>(found.id));
}
