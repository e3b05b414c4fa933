import { ulid } from 'ulid';
import { JOB_VERSION, pendingRecordOf, type JobInput } from '../../contract/job-input.ts';
import type { TranscriptJob } from '../../contract/kinds/transcript.ts';
import type { DownloadRecord, JobOutcome } from '../../contract/download-record.ts';
import { subjectIdOf } from '../../contract/kinds/subjects.ts';
import type { RecordStore } from '../../store/records/record-store.ts';

/** A transcript job as the api hands it to its workflow. */
export function aTranscriptJob(overrides: Partial<TranscriptJob> = {}): TranscriptJob {
  const mediaId = overrides.mediaId ?? Math.random().toString(36).slice(2).padEnd(11, 'x').slice(0, 11);
  const parameters = { language: 'en', includeComments: false };
  return {
    version: JOB_VERSION,
    startedBy: 'anonymous',
    recordId: ulid(),
    type: 'captions',
    subjectId: subjectIdOf('captions', mediaId, parameters.language),
    mediaId,
    createdAt: '2026-11-21T09:30:00.123456Z',
    price: 3,
    parameters,
    ...overrides,
  };
}

/** A job's record in the store: pending, or ended as its workflow would end it. */
export async function keepJob(
  records: RecordStore,
  job: JobInput,
  outcome?: JobOutcome,
  finishedAt = new Date().toISOString().replace('Z', '000Z'),
): Promise<DownloadRecord> {
  const pending = await records.insertIfAbsent(pendingRecordOf(job));
  await records.noteLatest(pending);
  if (outcome === undefined) return pending;
  const ended = await records.finish(job.recordId, outcome, finishedAt);
  if (ended.status === 'success') await records.noteSuccess(ended);
  return ended;
}
