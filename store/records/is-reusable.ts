import { kinds } from '../../contract/kinds/kinds.ts';
import type { DownloadRecord } from '../../contract/download-record.ts';
import { isWithin } from '../../contract/within.ts';
import type { FileStore } from '../files/file-store.ts';

/** A success is reusable while its files are kept or its facts are fresh. The api and the first step of a job must decide alike. */
export async function isReusable(record: DownloadRecord, files: FileStore, nowMs = Date.now()): Promise<boolean> {
  if (record.status !== 'success' || record.contentsRemovedAt !== undefined) return false;
  const { freshness } = kinds[record.type];
  if (freshness !== 'files') return isWithin(Date.parse(record.finishedAt), freshness * 1000, nowMs);
  if (record.filesRemovedAt !== undefined) return false;
  const kept = await Promise.all(record.files.map((file) => files.has(record.id, file)));
  return kept.every(Boolean);
}
