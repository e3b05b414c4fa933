import type { FailureCode } from '../../contract/failures.ts';
import type { Progress } from '../../contract/http/fields.ts';
import type { DownloadType } from './types.ts';

export const TYPE_NAMES: Readonly<Record<DownloadType, string>> = {
  audio: 'Audio',
  vidnet_video: 'Video',
  captions: 'Captions',
  list: 'Channel',
  imgnet_profile: 'Profile',
  imgnet_post: 'Post or reel',
  imgnet_list_posts: 'List of posts',
  imgnet_list_reels: 'List of reels',
  imgnet_audio: 'Audio of a post',
  speaker_labels: 'Transcript with speakers',
  media: 'Page of a site',
  media_info: 'Look at a page',
  upload: 'Upload',
};

export const BATCH_STATUS_NAMES = {
  ...{ listing: 'Listing', running: 'Running', paused: 'Paused', cancelling: 'Being cancelled' },
  ...{ failed: 'Failed', cancelled: 'Cancelled', finished: 'Done' },
} as const;

export const ITEM_STATE_NAMES = {
  ...{ success: 'Done', running: 'Running', waiting: 'Waiting' },
  ...{ failed: 'Failed', skipped: 'Skipped', cancelled: 'Cancelled' },
} as const;

export const ENCODING_NAMES = { copied: 'Copied as the site sent them', converted: 'Converted' } as const;

export const STATUS_NAMES = { pending: 'Running', success: 'Done', failed: 'Failed' } as const;

type Stage = Progress['stage'];

export const STAGE_NAMES: Readonly<Record<Stage, string>> = {
  waiting: 'Waiting',
  fetching: 'Fetching',
  listing: 'Reading the list',
  converting: 'Converting',
  verifying: 'Checking',
  publishing: 'Publishing',
  preparing: 'Preparing',
  detecting_speech: 'Finding speech',
  transcribing: 'Transcribing',
  diarizing: 'Telling voices apart',
};

const FILE_STAGES: readonly Stage[] = ['waiting', 'fetching', 'converting', 'verifying', 'publishing'];
const FACT_STAGES: readonly Stage[] = ['waiting', 'fetching'];
const LIST_STAGES: readonly Stage[] = ['waiting', 'fetching', 'listing'];
const SPEECH_STAGES: readonly Stage[] = ['waiting', 'preparing', 'detecting_speech', 'transcribing', 'diarizing'];

/** The stages of each kind in their order; a job may skip some. */
export const STAGES_OF: Readonly<Record<DownloadType, readonly Stage[]>> = {
  audio: FILE_STAGES,
  vidnet_video: FILE_STAGES,
  imgnet_audio: FILE_STAGES,
  media: FILE_STAGES,
  upload: FILE_STAGES,
  captions: FACT_STAGES,
  media_info: FACT_STAGES,
  imgnet_profile: FACT_STAGES,
  imgnet_post: FACT_STAGES,
  list: LIST_STAGES,
  imgnet_list_posts: LIST_STAGES,
  imgnet_list_reels: LIST_STAGES,
  speaker_labels: SPEECH_STAGES,
};

const PERMANENT = 'Trying again would bring the same answer.';
const TEMPORARY = 'The cause is probably temporary: try again later.';
const OPERATOR = 'The operator of this service must resolve it; the log of the service has details.';

export const REMEDIES: Readonly<Record<FailureCode, string>> = {
  private: `Only its owner can change that. ${PERMANENT}`,
  removed: `It is gone from the platform. ${PERMANENT}`,
  geo_blocked:
    'The platform does not show it where this service runs. The operator can configure a proxy in another country.',
  age_restricted:
    'The platform shows it only to signed-in adults. The operator can configure cookies of such an account.',
  members_only: `Only paying members of the channel can see it. ${PERMANENT}`,
  live: 'It is still being broadcast. Try again when that has ended.',
  not_started: 'It has not begun yet. Try again when it has ended.',
  drm_protected: `It is encrypted against copying. ${PERMANENT}`,
  no_audio: 'It has no sound. Its video may still be available.',
  no_video: 'It has no video. Its audio may still be available.',
  no_captions: 'There are no captions in this language. Try another language, or transcribe its audio.',
  too_long: 'It is longer than the operator allows.',
  too_large: 'It is larger than the operator allows.',
  insufficient_credit: 'The credit was used up before the job could start. Add credit, and request it again.',
  unsupported: `The service cannot read anything here. ${PERMANENT}`,
  rate_limited: `The platform asks for fewer requests. ${TEMPORARY}`,
  quota_exceeded: 'The daily quota at the platform is used up. Try again tomorrow.',
  sign_in_required: 'The platform requires a signed-in account. The operator can configure one.',
  upstream_error: `The platform had a problem. ${TEMPORARY}`,
  upstream_timeout: `The platform did not answer in time. ${TEMPORARY}`,
  incomplete: `The download was incomplete. ${TEMPORARY}`,
  cancelled: 'It was cancelled. It can be started again.',
  tool_missing: OPERATOR,
  disk_full: `The service has no space left. ${OPERATOR}`,
  internal: OPERATOR,
};

export const FAULT_NAMES = {
  subject: 'The cause lies with the requested subject',
  upstream: 'The cause lies with the platform',
  internal: 'The cause lies with this service',
} as const;

export const DELIVERY_NAMES = { pending: 'On its way', delivered: 'Delivered', abandoned: 'Given up' } as const;
