import type { RecordType } from './records.ts';

/** How long a success answers new requests, in seconds; `files`: as long as its files are kept (design, section 3). */
export const FRESHNESS = {
  audio: 'files',
  vidnet_video: 'files',
  imgnet_audio: 'files',
  // It has no files: what was said does not change.
  speaker_labels: 'files',
  captions: 24 * 3600,
  list: 3600,
  imgnet_profile: 3600,
  imgnet_post: 3600,
  imgnet_list_posts: 3600,
  imgnet_list_reels: 3600,
} as const satisfies Record<RecordType, number | 'files'>;
