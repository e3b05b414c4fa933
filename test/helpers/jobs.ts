import { randomUUID } from 'node:crypto';
import { ulid } from 'ulid';
import { JOB_VERSION, pendingRecordOf, type JobInput } from '../../contract/job-input.ts';
import type { PostAudioJob } from '../../contract/kinds/imgnet-audio.ts';
import type { ContentJob } from '../../contract/kinds/imgnet-content.ts';
import type { ListJob } from '../../contract/kinds/imgnet-list-job.ts';
import type { SpeakerLabelsJob } from '../../contract/kinds/speaker-labels.ts';
import { postSubjectOf, speakerLabelsSubjectOf, subjectIdOf } from '../../contract/kinds/subjects.ts';
import type { TranscriptJob } from '../../contract/kinds/transcript-request.ts';
import type { DownloadRecord, JobOutcome } from '../../contract/download-record.ts';
import type { RecordStore } from '../../store/records/record-store.ts';

/** What all jobs have, as the API hands them to their workflows; each call makes the ID of a new record. */
export const newJob = () => ({
  version: JOB_VERSION,
  startedBy: 'anonymous',
  recordId: ulid(),
  createdAt: '2026-11-21T09:30:00.123456Z',
});
const newMediaId = (): string => randomUUID().replaceAll('-', '').slice(0, 11);
const newPost = () => ({ kind: 'post', shortcode: `D${ulid().slice(-10)}` }) as const;

export function anAudioJob(overrides: Partial<JobInput> = {}): JobInput {
  const mediaId = newMediaId();
  return { ...newJob(), type: 'audio', subjectId: subjectIdOf('audio', mediaId), mediaId, price: 5, ...overrides };
}

export function aTranscriptJob(overrides: Partial<TranscriptJob> = {}): TranscriptJob {
  const mediaId = overrides.mediaId ?? newMediaId();
  const parameters = { language: 'en', includeComments: false };
  const subjectId = subjectIdOf('captions', mediaId, parameters.language);
  return { ...newJob(), type: 'captions', subjectId, mediaId, price: 3, parameters, ...overrides };
}

export function aSpeakerLabelsJob(): SpeakerLabelsJob {
  const parameters = { audioId: ulid(), maxSpeakers: 3 };
  const subjectId = speakerLabelsSubjectOf(parameters);
  return { ...newJob(), type: 'speaker_labels', mediaId: 'dQw4w9WgXcQ', subjectId, price: 6, parameters };
}

export function aListJob(): ListJob {
  const job = newJob();
  const mediaId = `tea.${job.recordId.toLowerCase()}`.slice(0, 30);
  const parameters = { part: 'reels', sinceDate: '2026-11-14', postsCount: 62 } as const;
  const subjectId = subjectIdOf('imgnet_list_reels', mediaId, 'all');
  return { ...job, type: 'imgnet_list_reels', mediaId, subjectId, price: 5, parameters };
}

/** The content costs 0.005, the profile 0.010. */
export function aContentJob(): ContentJob {
  const post = newPost();
  const subject = { mediaId: post.shortcode, subjectId: postSubjectOf(post) };
  return { ...newJob(), type: 'imgnet_post', ...subject, price: 15, parameters: { post, profilePrice: 10 } };
}

export function aPostAudioJob(): PostAudioJob {
  const post = newPost();
  const subject = { mediaId: post.shortcode, subjectId: subjectIdOf('imgnet_audio', post.shortcode) };
  return { ...newJob(), type: 'imgnet_audio', ...subject, price: 5, parameters: { post } };
}

/** The job of a profile that nobody fetches yet. */
export function aProfileJob(paidBy: string): JobInput {
  const account = `tea.${ulid().toLowerCase().slice(-12)}`;
  const subject = { mediaId: account, subjectId: subjectIdOf('imgnet_profile', account) };
  return { ...newJob(), type: 'imgnet_profile', ...subject, price: 0, parameters: { paidBy } };
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
