import type { Progress } from '../../contract/http/fields.ts';
import type { Failure } from '../../contract/failures.ts';
import { recordTypeSchema } from '../../contract/download-record.ts';
import type { DownloadRecord, PendingRecord, RecordType } from '../../contract/download-record.ts';
import { kinds } from '../../contract/kinds/kinds.ts';
import { SAMPLE, sampleRecordId, type KindSample } from '../../contract/kinds/sample.ts';

export interface Sample {
  readonly summary: string;
  readonly record: DownloadRecord;
  readonly progress?: Progress | undefined;
  readonly facts?: object | undefined;
  readonly lists?: KindSample['lists'] | undefined;
}

export const CREATED_AT = SAMPLE.createdAt;
export const FINISHED_AT = '2026-11-21T09:30:09.456789Z';
const FETCHING: Progress = { stage: 'fetching', percent: 42.5, downloaded_bytes: 1_410_265, total_bytes: 3_318_272 };

export function idOf(type: RecordType, variant = 0): string {
  return sampleRecordId('ABCDEFGHJKMNPQRSTVWXYZ'.charAt(recordTypeSchema.options.indexOf(type)), variant);
}

export interface Samples extends Readonly<Record<'success' | 'failed' | 'broken', Sample>> {
  readonly pending: Sample & { readonly record: PendingRecord };
  readonly other?: Sample;
}

export const samples = Object.fromEntries(
  recordTypeSchema.options.map((type) => [type, inAllStates(type, kinds[type].sample)]),
) as Readonly<Record<RecordType, Samples>>;

function inAllStates(type: RecordType, { other, ...job }: KindSample): Samples {
  const { progress = FETCHING, failure = ['removed', 'The page was removed.'] } = job;
  const [code, message] = failure;
  const pending = pendingOf(type, job);
  const away: Failure = { code: 'upstream_error', message: 'The platform answered with an error three times.' };
  return {
    success: succeeded(pending, { summary: 'A success', ...job }),
    ...(other && {
      other: succeeded({ ...pendingOf(type, { ...job, ...other }), id: idOf(type, 1) }, { ...job, ...other }),
    }),
    pending: { summary: 'The job runs', record: pending, progress },
    failed: { summary: 'The job failed through the subject', record: failed(pending, { code, message }) },
    broken: { summary: 'The job failed through the platform', record: failed(pending, away) },
  };
}

function pendingOf(type: RecordType, { mediaId, price = 5, parameters }: KindSample): PendingRecord {
  const subjectId = `${type}/${mediaId}`;
  const base = { id: idOf(type), type, subjectId, mediaId, createdAt: CREATED_AT, startedBy: 'anonymous' };
  return { ...base, price, ...(parameters && { parameters }), status: 'pending' };
}

export function failed(pending: PendingRecord, failure: Failure): DownloadRecord {
  return { ...pending, status: 'failed', failure, finishedAt: FINISHED_AT };
}

function succeeded(pending: PendingRecord, job: KindSample & { readonly summary: string }): Sample {
  const { summary, file, facts, lists = {} } = job;
  const files = file ? [{ name: file, sizeBytes: 3_318_272, sha256: '9f'.repeat(32) }] : [];
  const kept = Object.entries(lists).map(([name, items]) => [name, { pieces: 1, items: items.length }] as const);
  const ended = { status: 'success', charge: pending.price, finishedAt: FINISHED_AT, durationSeconds: 205.04 } as const;
  return { summary, record: { ...pending, ...ended, files, lists: Object.fromEntries(kept) }, facts, lists };
}
