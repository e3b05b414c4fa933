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

const OF_FILES: readonly Stage[] = ['waiting', 'fetching', 'converting', 'verifying', 'publishing'];
const OF_FACTS: readonly Stage[] = ['waiting', 'fetching'];
const OF_LISTS: readonly Stage[] = ['waiting', 'fetching', 'listing'];
const OF_SPEECH: readonly Stage[] = ['waiting', 'preparing', 'detecting_speech', 'transcribing', 'diarizing'];

/** The stages of each kind in their order; a job may skip some. */
export const STAGES_OF: Readonly<Record<DownloadType, readonly Stage[]>> = {
  audio: OF_FILES,
  vidnet_video: OF_FILES,
  imgnet_audio: OF_FILES,
  media: OF_FILES,
  upload: OF_FILES,
  captions: OF_FACTS,
  media_info: OF_FACTS,
  imgnet_profile: OF_FACTS,
  imgnet_post: OF_FACTS,
  list: OF_LISTS,
  imgnet_list_posts: OF_LISTS,
  imgnet_list_reels: OF_LISTS,
  speaker_labels: OF_SPEECH,
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
