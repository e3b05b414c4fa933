import type { DownloadRecord, JobOutcome } from '../../contract/download-record.ts';
import { nowMicroseconds } from '../mongo/clock.ts';
import type { RecordStore } from './record-store.ts';

/**
 * Ends a record, and lets its subject point to it. May be repeated: whoever comes second changes nothing.
 *
 * @returns the record as it is now
 */
export async function finishRecord(records: RecordStore, id: string, outcome: JobOutcome): Promise<DownloadRecord> {
  const record = await records.finish(id, outcome, nowMicroseconds());
  if (record.status === 'failed') await records.noteFailure(record);
  // Contents of another record stay as old as they are: only that one says how long they are fresh.
  if (record.status === 'success' && record.contentsOf === undefined) await records.noteSuccess(record);
  return record;
}
