import { ApiError } from '../../contract/http/api-error.ts';
import type { DownloadRecord } from '../../contract/download-record.ts';
import type { DownloadResult } from '../../contract/kinds/kinds.ts';
import { nowMicroseconds } from '../../store/mongo/clock.ts';
import { unavailable } from '../job-gateway.ts';
import type { UseCase } from '../operations/operation.ts';
import type { ServiceDeps } from '../service-deps.ts';
import { notReady, type OneDownload } from './current-job.ts';
import { recordById, renderRecord, requireStarter } from './downloads.ts';
import { subscriberOf } from './subscribers.ts';

export type RemovalDeps = Pick<
  ServiceDeps,
  'records' | 'files' | 'keys' | 'keyDownloads' | 'expiredDocuments' | 'histories'
>;

/** Records about one medium are read in pages to find those that were made of another one. */
const PAGE = 1_000;

/**
 * DELETE /api/downloads/{downloadId}/contents: removes the files and contents of a download for good, with the transcripts that
 * were made of it.
 */
export const removeContents: UseCase<OneDownload, DownloadResult> = async (deps, caller, { download_id: id }) => {
  const record = await recordById(deps, caller, id);
  requireStarter(caller, record);
  await removeContentsOf(deps, record, caller.kind === 'service' ? undefined : subscriberOf(caller));
  return { state: 'finished', body: renderRecord(deps, { record: await recordById(deps, caller, id) }) };
};

/**
 * Removes the contents of a record and of those that were made of it. It may be repeated after an interruption.
 * @param starter who has started the job; undefined: the operator, who may also remove what others use
 * @throws ApiError `contents_in_use`, and `not_ready` while a job or delivery is open; then nothing was removed
 */
export async function removeContentsOf(
  deps: RemovalDeps,
  record: DownloadRecord,
  starter: string | undefined,
): Promise<void> {
  const all: DownloadRecord[] = [];
  for (const one of await withDependent(deps, record)) {
    if (one.status === 'pending') throw notReady('The job has not ended: cancel it first.', one);
    const isUsed = starter !== undefined && (await isUsedByOthers(deps, one, starter));
    // Descriptions of the page that others have requested stay.
    if (isUsed && one.type === 'media_info' && one.id !== record.id) continue;
    if (isUsed) {
      const message = 'Others have requested this too, so its contents are kept. An operator can remove them.';
      throw new ApiError('contents_in_use', message, { id: one.id });
    }
    all.push(one);
  }
  const isClosed = await deps.histories.remove(all.map(({ id }) => id)).catch((error: unknown) => {
    throw unavailable(error);
  });
  if (!isClosed) throw notReady('The webhooks are still being delivered.', record);
  // Dependent records come first, because they are found only through the record that they were made of.
  for (const one of all.toReversed()) {
    // The record is changed first, so that no answer links to what is being removed.
    await deps.records.noteAllRemoved(one, nowMicroseconds());
    for (const { name } of one.status === 'success' ? one.files : [])
      await deps.files.remove({ recordId: one.id, name });
    for (const kind of ['contents', 'snapshots'] as const) await deps.expiredDocuments.removeAll(kind, one.id);
  }
}

/** @returns the record that owns the contents, and those that use them, describe them or were made of them, oldest first */
async function withDependent(
  { records }: Pick<RemovalDeps, 'records'>,
  record: DownloadRecord,
): Promise<readonly DownloadRecord[]> {
  const ownerId = record.status === 'success' ? record.contentsOf : undefined;
  const owner = (ownerId === undefined ? undefined : await records.get(ownerId)) ?? record;
  const related: DownloadRecord[] = [];
  for (let page = [owner]; page.length > 0; related.push(...page))
    page = [...(await records.list({ mediaId: owner.mediaId, before: related.at(-1)?.id, limit: PAGE }))];
  const all = [owner];
  for (const one of related.toReversed()) {
    const { audioId, speechId } = (one.parameters ?? {}) as { readonly audioId?: string; readonly speechId?: string };
    const sources = [audioId, speechId, one.status === 'success' ? one.contentsOf : undefined];
    const isInfo = one.type === 'media_info' && one.status !== 'pending' && one.id !== owner.id;
    if (isInfo || all.some(({ id }) => sources.includes(id))) all.push(one);
  }
  return all;
}

/** A service itself starts jobs for the requests of a caller. */
async function isUsedByOthers(
  { keys, keyDownloads }: RemovalDeps,
  { id, startedBy }: DownloadRecord,
  starter: string,
): Promise<boolean> {
  if (startedBy !== starter && startedBy !== 'job') return true;
  for (const key of await keys.list()) {
    if (key.id !== starter && (await keyDownloads.has(key.id, id))) return true;
  }
  return false;
}
