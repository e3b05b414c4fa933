import { ApiError } from '../../contract/errors.ts';
import type { Prices } from '../../contract/prices.ts';
import type { VidnetDownloadRequest } from '../../contract/downloads.ts';
import type { DownloadResult } from '../../contract/kinds.ts';
import { subjectIdOf } from '../../contract/subjects.ts';
import type { Answer } from '../answer.ts';
import type { ApiDeps } from '../deps.ts';
import { answerDownload, currentJob } from './answers.ts';
import { startOrJoin } from './start-or-join.ts';
import { webhookOf } from './webhook-target.ts';

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
 * @throws ApiError `pending_duplicate` with the id of the job that runs, `webhook_target_forbidden`, `insufficient_credit`, `unavailable`
 */
export async function requestVidnetDownload(
  deps: ApiDeps,
  { type, request, waitMs }: VidnetDownload,
): Promise<Answer<DownloadResult>> {
  const mediaId = request.vidnet_video_id;
  const { record } = await startOrJoin(
    deps,
    {
      ...{ workflow: DOWNLOADS[type].workflow, type, mediaId, subjectId: subjectIdOf(type, mediaId) },
      price: DOWNLOADS[type].price(deps.rendering.prices),
      ...webhookOf(deps, request),
    },
    (id) => {
      throw new ApiError('pending_duplicate', 'A pending download already exists for this video.', { id });
    },
  );
  return waitMs === 0 ? answerDownload(deps, { record }) : answerDownload(deps, await currentJob(deps, record, waitMs));
}
