import type { DownloadRecord } from '../contract/records.ts';
import type { FileStore } from './files.ts';

/**
 * Whether a finished record answers a new request for its subject: as long as its files are kept.
 *
 * The api and a job's first step must decide alike, so both call this.
 */
export async function isReusable(record: DownloadRecord, files: FileStore): Promise<boolean> {
  if (record.status !== 'success') return false;
  const kept = await Promise.all(record.files.map((file) => files.has(record.id, file)));
  return kept.every(Boolean);
}
