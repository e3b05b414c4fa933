import type { z } from 'zod';
import type { AudioRecord } from '../../contract/kinds/audio.ts';
import type { CaptionsRecord } from '../../contract/kinds/transcript.ts';
import type { ChannelRecord } from '../../contract/kinds/channel.ts';
import type { JobDetails } from '../../contract/http/job-details.ts';
import type { FactsRecord } from '../../contract/http/download-schemas.ts';
import type { ImgnetAudioRecord } from '../../contract/kinds/imgnet-audio.ts';
import type { MediaRecord } from '../../contract/kinds/media.ts';
import type { UploadRecord } from '../../contract/kinds/upload.ts';
import type { VideoRecord } from '../../contract/kinds/video.ts';
import type { postItemSchema, reelItemSchema } from '../../contract/kinds/imgnet-media.ts';

/** The records of the service. Only types are imported from its contract: schemas would double the size of the page's code. */
export type Download =
  | AudioRecord
  | VideoRecord
  | ChannelRecord
  | CaptionsRecord
  | ImgnetAudioRecord
  | MediaRecord
  | UploadRecord
  | FactsRecord;
export type DownloadType = Download['type'];
export type PostItem = z.infer<typeof postItemSchema>;
export type ReelItem = z.infer<typeof reelItemSchema>;

export interface AboutJob {
  readonly record: Download;
  readonly details: JobDetails | undefined;
}

export interface DownloadPage {
  readonly downloads: readonly Download[];
  readonly next_cursor: string | null;
}
