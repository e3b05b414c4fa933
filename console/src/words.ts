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

/** The stages of a job in their order; some jobs leave out some. */
export const STAGES_OF: Readonly<Record<DownloadType, readonly Stage[]>> = {
  audio: OF_FILES,
  vidnet_video: OF_FILES,
  imgnet_audio: OF_FILES,
  media: OF_FILES,
  captions: OF_FACTS,
  imgnet_profile: OF_FACTS,
  imgnet_post: OF_FACTS,
  list: OF_LISTS,
  imgnet_list_posts: OF_LISTS,
  imgnet_list_reels: OF_LISTS,
  speaker_labels: OF_SPEECH,
};

const NOBODY = 'Trying again would bring the same answer.';
const LATER = 'It is likely to pass: try again in a while.';
const OPERATOR = 'Whoever runs this service has to look at it; its log says more.';

/** What can be done about each failure. */
export const REMEDIES: Readonly<Record<FailureCode, string>> = {
  private: `Only its owner can change that. ${NOBODY}`,
  removed: `It is gone from the platform. ${NOBODY}`,
  geo_blocked:
    'The platform does not show it where this service runs. The operator can give the service another way out.',
  age_restricted:
    'The platform shows it to grown-ups who are signed in. The operator can give the service such an account.',
  members_only: `Only paying members of the channel see it. ${NOBODY}`,
  live: 'It is still being broadcast. Try again when that has ended.',
  not_started: 'It has not begun yet. Try again when it has ended.',
  drm_protected: `It is encrypted against copying. ${NOBODY}`,
  no_audio: 'It has no sound. Its picture may still be had.',
  no_video: 'It has no moving picture. Its sound may still be had.',
  no_captions: 'There are no captions in this language. Try another language, or have its audio transcribed.',
  too_long: 'It is longer than the operator allows.',
  too_large: 'It is larger than the operator allows.',
  unsupported: `There is nothing here that the service can read. ${NOBODY}`,
  rate_limited: `The platform asks for fewer requests. ${LATER}`,
  quota_exceeded: 'The allowance at the platform is used up; it is renewed every day. Try again tomorrow.',
  sign_in_required: 'The platform wants somebody to sign in. The operator can give the service an account.',
  upstream_error: `The platform had a problem. ${LATER}`,
  upstream_timeout: `The platform did not answer in time. ${LATER}`,
  incomplete: `What arrived was not whole. ${LATER}`,
  cancelled: 'It was stopped on purpose. It can be started again.',
  tool_missing: OPERATOR,
  disk_full: `The service has no space left. ${OPERATOR}`,
  internal: OPERATOR,
};

export const FAULT_NAMES = {
  subject: 'The cause lies with what was asked for',
  upstream: 'The cause lies with the platform',
  ours: 'The cause lies with this service',
} as const;

export const DELIVERY_NAMES = { pending: 'On its way', delivered: 'Delivered', abandoned: 'Given up' } as const;
