import type { FailureCode } from '../../contract/failures.ts';
import type { Progress } from '../../contract/http/fields.ts';
import type { DownloadType } from './types.ts';
import type { IconName } from './ui/icons.tsx';

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

const FILE: readonly Stage[] = ['waiting', 'fetching', 'converting', 'verifying', 'publishing'];
const FACTS: readonly Stage[] = ['waiting', 'fetching'];
const LIST: readonly Stage[] = ['waiting', 'fetching', 'listing'];
const SPEECH: readonly Stage[] = ['waiting', 'preparing', 'detecting_speech', 'transcribing', 'diarizing'];

interface Type {
  readonly name: string;
  readonly icon: IconName;
  /** The stages in their order; a job may skip some. */
  readonly stages: readonly Stage[];
}

export const TYPES: Readonly<Record<DownloadType, Type>> = {
  audio: { name: 'Audio', icon: 'audio', stages: FILE },
  vidnet_video: { name: 'Video', icon: 'video', stages: FILE },
  captions: { name: 'Captions', icon: 'captions', stages: FACTS },
  list: { name: 'Channel', icon: 'channel', stages: LIST },
  imgnet_profile: { name: 'Profile', icon: 'profile', stages: FACTS },
  imgnet_post: { name: 'Post or reel', icon: 'post', stages: FACTS },
  imgnet_list_posts: { name: 'List of posts', icon: 'list', stages: LIST },
  imgnet_list_reels: { name: 'List of reels', icon: 'list', stages: LIST },
  imgnet_audio: { name: 'Audio of a post', icon: 'audio', stages: FILE },
  speaker_labels: { name: 'Transcript with speakers', icon: 'speakers', stages: SPEECH },
  media: { name: 'Page of a site', icon: 'page', stages: FILE },
  media_info: { name: 'Look at a page', icon: 'search', stages: FACTS },
  upload: { name: 'Upload', icon: 'audio', stages: FILE },
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
