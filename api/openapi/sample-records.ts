import type { Progress } from '../../contract/http/fields.ts';
import type { Failure, FailureCode } from '../../contract/failures.ts';
import {
  recordTypeSchema,
  type DownloadRecord,
  type PendingRecord,
  type RecordType,
} from '../../contract/download-record.ts';
import { ItemStream } from '../../contract/http/streams.ts';

/** A job in some state, as the store keeps it. */
export interface Sample {
  /** What the example shows. */
  readonly summary: string;
  readonly record: DownloadRecord;
  readonly progress?: Progress | undefined;
  /** What is kept beside the record. */
  readonly facts?: object | undefined;
  readonly lists?: Lists | undefined;
}
type Lists = Readonly<Record<string, readonly object[]>>;

export const VIDEO_ID = 'kX3vQ9mTz0A';
export const CREATED_AT = '2026-11-21T09:30:00.123456Z';
export const FINISHED_AT = '2026-11-21T09:30:09.456789Z';
const CHANNEL_ID = 'UC4kZ0bTq3nW8yR1xV6sL9pA';
const ACCOUNT = 'evening.talks';
const POST_CODE = 'DAbCdEfGhIj';
const SITE = 'https://www.instagram.com';
const IMAGE = 'https://media.example/bridge.jpg';
const DAY = '2026-03-14';

/** @param variant a digit: of what the record is an example */
export function idOf(type: RecordType, variant = 0): string {
  return `01JD5Z3K6VQ0W8R9T2X4Y6B8${String(variant)}${'ABCDEFGHJKM'.charAt(recordTypeSchema.options.indexOf(type))}`;
}

/** What is particular of a job. */
interface Job {
  readonly mediaId: string;
  readonly price?: number;
  readonly parameters?: object;
  readonly progress?: Progress;
  /** How it fails through its subject. */
  readonly gone?: readonly [FailureCode, string];
  readonly file?: string;
  readonly facts?: object;
  readonly lists?: Lists;
  /** Another way in which it ends well. */
  readonly other?: Partial<Job> & { readonly summary: string };
}

const FETCHING: Progress = { stage: 'fetching', percent: 42.5, downloaded_bytes: 1_410_265, total_bytes: 3_318_272 };
const PARKED: Progress = {
  ...{ stage: 'waiting', until: '2026-11-21T09:35:00.000Z' },
  reason: 'The platform refuses requests of this service for some time.',
};
const vidnet = { mediaId: VIDEO_ID, gone: ['private', 'The video is private.'] } as const;
const ofPost = { mediaId: POST_CODE, gone: ['removed', 'The post is gone.'] } as const;
const reel = { post: { kind: 'reel', shortcode: POST_CODE }, profilePrice: 0 };
const parts = { mediaId: ACCOUNT, gone: ['removed', 'There is no account of this name.'] } as const;
const shared = { user_posted: ACCOUNT, account: ACCOUNT, num_comments: 1, date_posted: `${DAY}T18:00:00.000Z` };
const aPost = {
  ...{ type: 'post', url: `${SITE}/p/${POST_CODE}/`, shortcode: POST_CODE, content_type: 'image', likes: 214 },
  ...{ ...shared, post_id: '3500000001', instagram_id: '3500000001', description: 'The bridge at dusk' },
  ...{ caption: 'The bridge at dusk', photos_number: 1, photos: [IMAGE], image_url: IMAGE },
};
const aReel = {
  ...{ type: 'reel', url: `${SITE}/reel/${POST_CODE}/`, shortcode: POST_CODE, content_type: 'reel', likes: 902 },
  ...{ ...shared, post_id: '3500000003', description: 'Across the bridge', video_view_count: 15_020, length: 31 },
};
const says = [
  { text: 'shall we take the bridge', start: 0.48, duration: 1.91, speaker: 'Speaker 1' },
  { text: 'if it is open', start: 2.72, duration: 1.1, speaker: 'Speaker 2' },
];
const labels = {
  ...{ engine: 'builtin', language: 'en', durationSeconds: 205.04, segments: listOf(...says) },
  speakerTurns: listOf(
    { startSeconds: 0.48, endSeconds: 2.39, speaker: 0 },
    { startSeconds: 2.72, endSeconds: 3.82, speaker: 1 },
  ),
};

const jobs: Readonly<Record<RecordType, Job>> = {
  audio: { ...vidnet, file: `${VIDEO_ID}.m4a` },
  vidnet_video: { ...vidnet, price: 10, file: `${VIDEO_ID}.mp4` },
  media: {
    ...{ mediaId: '4e'.repeat(16), price: 10, file: 'evening-talk.mp4', progress: PARKED },
    parameters: { page: { url: 'https://media.example/videos/evening-talk', format: 'video' } },
  },
  list: {
    ...{ mediaId: CHANNEL_ID, price: 10, progress: { stage: 'listing', items: 1, total_items: 2 } },
    gone: ['removed', 'There is no such channel.'],
    facts: {
      ...{ vidnet_id: CHANNEL_ID, title: 'Evening Talks', description: 'Two people talk.', country: 'SE' },
      ...{ url: 'https://www.youtube.com/@evening-talks', thumbnail: IMAGE, total_media: 2, subscriber_count: 12_840 },
      ...{ total_views: 913_022, creation_date: '2019-04-02 17:05:11' },
    },
    lists: {
      videos: [
        { vidnet_id: VIDEO_ID, title: 'Shall we take the bridge', published_at: `${DAY} 18:00:00`, duration: 205 },
        { vidnet_id: 'b7Rk2LmX9sQ', title: 'Before the bridge', published_at: '2026-03-07 18:00:00', duration: 187 },
      ],
    },
  },
  captions: {
    ...{ mediaId: VIDEO_ID, parameters: { language: 'en', includeComments: true }, progress: { stage: 'fetching' } },
    gone: ['no_captions', 'There are no captions in fr. There are: en, de.'],
    facts: {
      video: {
        ...{
          videoId: VIDEO_ID,
          link: `https://www.youtube.com/watch?v=${VIDEO_ID}`,
          title: 'Shall we take the bridge',
        },
        ...{ publishedAt: `${DAY} 18:00:00`, durationSeconds: 205, viewCount: 4_102, likeCount: 311, commentCount: 1 },
        ...{ channelId: CHANNEL_ID, channelName: 'Evening Talks', description: 'Two people talk.' },
      },
      track: { language: 'en', kind: 'manual', name: 'English' },
      lines: listOf(
        { startSeconds: 0.48, durationSeconds: 1.91, text: 'shall we take the bridge' },
        { startSeconds: 2.72, durationSeconds: 1.1, text: 'if it is open' },
      ),
    },
    lists: { comments: [{ id: 'UgxK2', author: '@ferry', text: 'It was closed.', likes: 3, replyTo: null }] },
  },
  speaker_labels: {
    ...{ mediaId: VIDEO_ID, price: 24, parameters: { audioId: idOf('audio') }, facts: labels },
    gone: ['unsupported', 'The audio cannot be read.'],
    progress: { stage: 'transcribing', percent: 50, items: 2, total_items: 4 },
    other: { summary: 'Nobody speaks', price: 0, facts: { ...labels, segments: listOf(), speakerTurns: listOf() } },
  },
  imgnet_profile: {
    ...{ ...parts, price: 10, progress: { stage: 'fetching' } },
    facts: {
      ...{ account: ACCOUNT, profile_name: 'Evening Talks', full_name: 'Evening Talks', posts_count: 2 },
      ...{ biography: 'Two people talk. #bridges', bio_hashtags: ['#bridges'], followers: 5_120, following: 48 },
      ...{ profile_url: `${SITE}/${ACCOUNT}/`, url: `${SITE}/${ACCOUNT}/`, profile_image_link: IMAGE },
      ...{ is_verified: false, is_private: false, is_business_account: true, avg_engagement: 0.0582 },
    },
  },
  imgnet_post: {
    ...{
      ...ofPost,
      progress: { stage: 'fetching' },
      parameters: { ...reel, post: { kind: 'post', shortcode: POST_CODE } },
    },
    facts: {
      ...{ ...aPost, hashtags: ['#bridge'], followers: 5_120, posts_count: 2 },
      latest_comments: [{ comment: 'Open again?', user_commenting: 'ferry', likes: 2, created_at: CREATED_AT }],
      post_content: [{ index: 0, type: 'photo', url: IMAGE, instagram_id: '3500000002' }],
    },
    other: { summary: 'A reel', parameters: reel, facts: { ...aReel, hashtags: ['#bridge'], followers: 5_120 } },
  },
  imgnet_list_posts: {
    ...{ ...parts, progress: { stage: 'listing', items: 1 }, lists: { posts: [aPost] } },
    parameters: { part: 'posts', otherId: idOf('imgnet_list_reels') },
  },
  imgnet_list_reels: {
    ...{ ...parts, progress: { stage: 'listing', items: 1 }, lists: { reels: [aReel] } },
    parameters: { part: 'reels', otherId: idOf('imgnet_list_posts') },
  },
  imgnet_audio: {
    ...{ ...ofPost, parameters: reel, file: `${POST_CODE}.m4a` },
    other: { summary: 'The post has no audio', price: 0, file: '' },
  },
};

/** Jobs of one type. */
export interface Samples extends Readonly<Record<'success' | 'failed' | 'broken', Sample>> {
  readonly pending: Sample & { readonly record: PendingRecord };
  readonly other?: Sample;
}

/** Every type of job in every state. */
export const samples = Object.fromEntries(
  recordTypeSchema.options.map((type) => [type, inAllStates(type, jobs[type])]),
) as Readonly<Record<RecordType, Samples>>;

function inAllStates(type: RecordType, { other, ...job }: Job): Samples {
  const { progress = FETCHING, gone = ['removed', 'The page is gone.'] } = job;
  const [code, message] = gone;
  const pending = pendingOf(type, job);
  const away: Failure = { code: 'upstream_error', message: 'The platform answered with an error three times.' };
  return {
    success: succeeded(pending, { summary: 'A success', ...job }),
    ...(other && {
      other: succeeded({ ...pendingOf(type, { ...job, ...other }), id: idOf(type, 1) }, { ...job, ...other }),
    }),
    pending: { summary: 'The job runs', record: pending, progress },
    failed: { summary: 'The job failed through the subject', record: failed(pending, { code, message }) },
    broken: { summary: 'The job failed through the platform', record: failed(pending, away) },
  };
}

function pendingOf(type: RecordType, { mediaId, price = 5, parameters }: Job): PendingRecord {
  const told = parameters === undefined ? {} : { parameters };
  const subjectId = `${type}/${mediaId}`;
  const base = { id: idOf(type), type, subjectId, mediaId, createdAt: CREATED_AT, startedBy: 'anonymous' };
  return { ...base, price, ...told, status: 'pending' };
}

export function failed(pending: PendingRecord, failure: Failure): DownloadRecord {
  return { ...pending, status: 'failed', failure, finishedAt: FINISHED_AT };
}

function succeeded(pending: PendingRecord, job: Job & { readonly summary: string }): Sample {
  const { summary, file, facts, lists = {} } = job;
  const files = file ? [{ name: file, sizeBytes: 3_318_272, sha256: '9f'.repeat(32) }] : [];
  const kept = Object.entries(lists).map(([name, items]) => [name, { pieces: 1, items: items.length }] as const);
  const ended = { status: 'success', charge: pending.price, finishedAt: FINISHED_AT, durationSeconds: 205.04 } as const;
  return { summary, record: { ...pending, ...ended, files, lists: Object.fromEntries(kept) }, facts, lists };
}

function listOf(...items: readonly object[]): ItemStream<object> {
  return new ItemStream(async function* () {
    yield await Promise.resolve(items);
  }, items.length);
}
