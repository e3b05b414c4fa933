import { ulid } from 'ulid';
import { ApiError } from '../../contract/errors.ts';
import { pendingRecordOf, type JobInput } from '../../contract/jobs.ts';
import type { Prices } from '../../contract/prices.ts';
import type { DownloadRecord } from '../../contract/records.ts';
import type { VidnetDownloadRequest } from '../../contract/requests.ts';
import type { DownloadResult } from '../../contract/results.ts';
import { subjectIdOf } from '../../contract/subjects.ts';
import { isReusable } from '../../store/reuse.ts';
import type { Answer } from '../answer.ts';
import { nowMicroseconds } from '../../store/clock.ts';
import type { ApiDeps } from '../deps.ts';
import { assertWebhookTarget } from './webhook-target.ts';
import { answerDownload } from './rendering.ts';

/** A subject whose jobs keep ending between two looks is asked for again this often. */
const MAX_TRIES = 5;

/** The downloads of a video: the workflow of each, and what it costs. */
const DOWNLOADS = {
  audio: { workflow: 'audio', price: (prices: Prices) => prices.audio },
  vidnet_video: { workflow: 'video', price: (prices: Prices) => prices.video },
} as const;

export interface VidnetDownload {
  readonly type: keyof typeof DOWNLOADS;
  readonly request: VidnetDownloadRequest;
  /** How long to wait for the result of a new job. */
  readonly waitMs: number;
}

/**
 * POST /api/downloads/audio and …/video: the finished record of the video, or a new job.
 *
 * @throws ApiError `pending_duplicate` with the id of the job that runs, `webhook_target_forbidden`, `unavailable`
 */
export async function requestVidnetDownload(
  deps: ApiDeps,
  { type, request, waitMs }: VidnetDownload,
): Promise<Answer<DownloadResult>> {
  if (request.include_webhook !== undefined) {
    assertWebhookTarget(request.include_webhook, 'include_webhook', deps.webhookAllowedNetworks);
  }
  const subjectId = subjectIdOf(type, request.vidnet_video_id);
  const finished = await finishedRecord(deps, subjectId);
  if (finished !== undefined) return answerDownload(deps, finished);

  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const input: JobInput = {
      recordId: ulid(),
      type,
      subjectId,
      mediaId: request.vidnet_video_id,
      createdAt: nowMicroseconds(),
      price: DOWNLOADS[type].price(deps.prices),
      ...(request.include_webhook === undefined ? {} : { webhookUrl: request.include_webhook }),
    };
    const started = await deps.jobs.start(DOWNLOADS[type].workflow, input);
    // Whatever ran until now wrote its success before it closed: it must be visible by this read. The job that we
    // started then ends by itself, without a record.
    const justFinished = await finishedRecord(deps, subjectId);
    if (justFinished !== undefined) return answerDownload(deps, justFinished);
    if (started === 'started') {
      const record = await deps.records.insertIfAbsent(pendingRecordOf(input));
      deps.log.info({ downloadId: record.id, subjectId }, 'job accepted');
      return waitMs > 0 ? waitForResult(deps, record, waitMs) : answerDownload(deps, record);
    }
    if (started !== 'closed') {
      // Its starter may not have come to writing the record yet, and our caller will ask for it.
      const { id } = await deps.records.insertIfAbsent(pendingRecordOf(started.running));
      throw new ApiError('pending_duplicate', 'A pending download already exists for this video.', { id });
    }
  }
  throw new ApiError('unavailable', 'The jobs of this video end too quickly to join one. Try again.', {
    retryAfterSeconds: 5,
  });
}

async function finishedRecord(deps: ApiDeps, subjectId: string): Promise<DownloadRecord | undefined> {
  const record = await deps.records.successOf(subjectId);
  return record !== undefined && (await isReusable(record, deps.files)) ? record : undefined;
}

/** Waits for a pending record's job to end. */
export async function waitForResult(
  deps: ApiDeps,
  record: DownloadRecord,
  waitMs: number,
): Promise<Answer<DownloadResult>> {
  await deps.jobs.waitFor(record.subjectId, waitMs);
  return answerDownload(deps, (await deps.records.get(record.id)) ?? record);
}
