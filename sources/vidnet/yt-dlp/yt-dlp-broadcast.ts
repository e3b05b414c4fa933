import { JobError } from '../../../runtime/job-error.ts';

/** @param liveStatus yt-dlp's `live_status` */
export function broadcastFailure(liveStatus: string | null | undefined): JobError | undefined {
  if (liveStatus === 'is_live') return new JobError('live', 'The video is a live broadcast that has not ended.');
  if (liveStatus === 'is_upcoming') return new JobError('not_started', 'The video has not been published yet.');
  return undefined;
}
