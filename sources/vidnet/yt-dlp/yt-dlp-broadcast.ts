import { SUBJECT_VALUES } from './yt-dlp-failures.ts';
import { failureFor } from '../../../contract/failures.ts';
import { JobError } from '../../../runtime/job-error.ts';

/** @param liveStatus yt-dlp's `live_status` */
export function broadcastFailure(liveStatus: string | null | undefined): JobError | undefined {
  if (liveStatus === 'is_live') return new JobError(failureFor('isLive', SUBJECT_VALUES.video));
  if (liveStatus === 'is_upcoming') return new JobError(failureFor('notStarted', SUBJECT_VALUES.video));
  return undefined;
}
