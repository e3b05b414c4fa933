import type { DownloadRecord, JobOutcome } from '../../contract/download-record.ts';
import { nowMicroseconds } from '../mongo/clock.ts';
import type { RecordStore } from './record-store.ts';

/** Ends a record, and points its subject to it. A repetition changes nothing. @returns the record as it is now */
export async function finishRecord(records: RecordStore, id: string, outcome: JobOutcome): Promise<DownloadRecord> {
  const record = await records.finish(id, outcome, nowMicroseconds());
  if (record.status === 'failed') await records.noteFailure(record);
  // A record that uses the contents of another one does not make them fresh again.
  if (record.status === 'success' && record.contentsOf === undefined) await records.noteSuccess(record);
  return record;
}
