import type { z } from 'zod';
import type { JobDetails } from '../../contract/http/job-details.ts';
import type { postItemSchema, reelItemSchema } from '../../contract/kinds/imgnet-media.ts';
import type { DownloadResult } from '../../contract/kinds/kinds.ts';

/** The records of the service. Only types are imported from its contract: schemas would double the size of the page's code. */
export type Download = DownloadResult['data'];
export type DownloadType = Download['type'];
export type PostItem = z.infer<typeof postItemSchema>;
export type ReelItem = z.infer<typeof reelItemSchema>;

export interface AboutJob {
  readonly record: Download;
  readonly details: JobDetails | undefined;
}
