/**
 * The tables of the interface specification, section 2, written by hand: a client that takes them at their word. What the
 * service adds on purpose is named as an addition; any other field is a mistake.
 */

/** @returns what is wrong with a value, by path */
export type Check = (value: unknown, path: string) => readonly string[];

const is =
  (what: string, holds: (value: unknown) => boolean): Check =>
  (value, path) =>
    holds(value) ? [] : [`${path}: ${JSON.stringify(value)} is no ${what}`];
const matching = (what: string, pattern: RegExp): Check =>
  is(what, (value) => typeof value === 'string' && pattern.test(value));

const string = is('string', (value) => typeof value === 'string');
const number = is('number', (value) => typeof value === 'number' && Number.isFinite(value));
const integer = is('integer', Number.isSafeInteger);
const boolean = is('boolean', (value) => typeof value === 'boolean');
const empty = is('null', (value) => value === null);
const url = is('URL', (value) => typeof value === 'string' && /^https?:/.test(value) && URL.canParse(value));
const link = is(
  'signed link',
  (value) => url(value, '').length === 0 && new URL(String(value)).searchParams.has('Expires'),
);
const id = matching('ULID', /^[0-9A-HJKMNP-TV-Z]{26}$/);
const money = matching('decimal string with three decimals', /^\d+\.\d{3}$/);
const free = literal('0.000');
const micros = matching('ISO 8601 UTC time with microseconds', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
const time = matching('ISO 8601 UTC time', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/);
const date = matching('ISO 8601 date', /^\d{4}-\d\d-\d\d(T\d\d:\d\d:\d\d(\.\d+)?Z)?$/);
const platformTime = matching('YYYY-MM-DD HH:MM:SS', /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
const clock = matching('HH:MM:SS', /^\d\d:\d\d:\d\d$/);
const seconds = matching('decimal string', /^\d+(\.\d+)?$/);
const none = is('empty array', (value) => Array.isArray(value) && value.length === 0);
const anything: Check = () => [];

function literal(...values: readonly unknown[]): Check {
  return is(values.join(' or '), (value) => values.includes(value));
}
/** Null where the platform provides no value. */
function maybe(check: Check): Check {
  return (value, path) => (value === null ? [] : check(value, path));
}
export function list(check: Check): Check {
  return (value, path) =>
    Array.isArray(value)
      ? value.flatMap((item: unknown, index) => check(item, `${path}[${String(index)}]`))
      : [`${path}: ${JSON.stringify(value)} is no array`];
}
type Fields = Readonly<Record<string, Check>>;
/** @param optional what may be absent, by the specification or as an addition */
export function object(fields: Fields, optional: Fields = {}): Check {
  return (value, path) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return [`${path} is no object`];
    const present = value as Readonly<Record<string, unknown>>;
    return [
      ...Object.keys(fields).flatMap((name) => (name in present ? [] : [`${path}.${name} is absent`])),
      ...Object.entries(present).flatMap(([name, field]) => {
        const check = fields[name] ?? optional[name];
        return check === undefined ? [`${path}.${name} is not in the specification`] : check(field, `${path}.${name}`);
      }),
    ];
  };
}

/** Section 2.1. Nothing but `id`, `media_id`, `cost` and `created_at` is the same in all states and types. */
const record = (type: string, status: string, more: Fields = {}): Fields => ({
  ...{ id, media_id: string, type: literal(type), cost: money, status: literal(status), created_at: micros },
  ...{ duration: empty, response: status === 'failed' ? string : empty },
  ...{ transcript_speaker_id: empty, transcript_speaker_cost: empty, audio_url: empty, file_urls: empty, ...more },
});
export const video = { vidnet_video_id: string };
const sound = { transcript_speaker_id: id };
/** Additions to all records. */
const ADDED = { progress: anything, files_removed_at: micros };
const data = (fields: Fields): Check => object({ data: object(fields, ADDED) });
const heard = { ...sound, duration: clock, transcript_speaker_cost: money, audio_url: link, file_urls: list(link) };

export const records = {
  audio: {
    pending: data(record('audio', 'pending', { ...video, ...sound })),
    failed: data(record('audio', 'failed', { ...video, ...sound, cost: free })),
    success: data(record('audio', 'success', { ...video, ...heard })),
  },
  video: {
    pending: data(record('vidnet_video', 'pending', { ...video, ...sound })),
    failed: data(record('vidnet_video', 'failed', { ...video, ...sound, cost: free })),
    success: data(record('vidnet_video', 'success', { ...video, ...heard, audio_url: empty })),
  },
  imgnetAudio: {
    pending: data(record('imgnet_audio', 'pending', sound)),
    failed: data(record('imgnet_audio', 'failed', { ...sound, cost: free })),
    success: data(record('imgnet_audio', 'success', heard)),
    silent: data(record('imgnet_audio', 'success', { ...sound, transcript_speaker_cost: free, file_urls: none })),
  },
  /** Of jobs whose result is no file; the type `speaker_labels` is an addition. */
  facts: (type: string): Check => data(record(type, 'success', type === 'list' ? video : {})),
  /** `language` is an addition. */
  captions: data(record('captions', 'success', { ...video, duration: clock, language: string })),
};
/** Whatever its type and status. */
export const anyRecord = object(
  {
    ...{ id, media_id: string, type: string, cost: money, status: literal('pending', 'success', 'failed') },
    ...{ created_at: micros, response: maybe(string), duration: maybe(clock), transcript_speaker_id: maybe(id) },
    ...{ transcript_speaker_cost: maybe(money), audio_url: maybe(link), file_urls: maybe(list(link)) },
  },
  { ...ADDED, ...video, language: string, title: string },
);

/** Sections 2.2 to 2.7: a job that runs. */
const lastResponse = object({ download_id: id, status: literal('failed'), response: string, created_at: micros });
const about = (type: string, fields: Fields = {}): Check =>
  object({ id, type: literal(type), status: literal('pending'), ...fields });
const pendingFields = (type: string, fields: Fields = {}): Fields => ({
  ...{ status: literal('pending'), message: string, download_id: id, cost: money, download: about(type, fields) },
});
const profileNews = { list_id: id, list_cost: number, source: literal('api') };
export const pending = {
  profile: object({ ...pendingFields('imgnet_profile'), ...profileNews }, { progress: anything }),
  profileAfterFailure: object(
    { ...pendingFields('imgnet_profile'), ...profileNews, last_response: lastResponse },
    { progress: anything },
  ),
  content: object(pendingFields('imgnet_post'), { progress: anything }),
  contentAfterFailure: object({ ...pendingFields('imgnet_post'), last_response: lastResponse }, { progress: anything }),
  channel: object(pendingFields('list', video), { progress: anything }),
  transcript: object(pendingFields('captions', video), { progress: anything }),
  list: object(
    {
      ...{ status: literal('pending'), message: string, total_cost: number },
      downloads: object({ posts: about('imgnet_list_posts'), reels: about('imgnet_list_reels') }),
    },
    { progress: anything },
  ),
};

/** Not in the specification: jobs that failed, whose result is no download record. `code` is an addition to what it shows. */
export const failed = (type: string, fields: Fields = {}): Check =>
  object({
    ...{ status: literal('failed'), message: string, code: string, download_id: id, cost: free },
    download: object({
      ...{ id, type: literal(type), status: literal('failed'), cost: free, response: string, created_at: micros },
      ...fields,
    }),
  });

const count = maybe(integer);
const flag = maybe(boolean);
const done = (type: string, more: Fields): Check =>
  object({ id, type: literal(type), cost: money, status: literal('success'), created_at: micros, ...more });

export const profile = object({
  ...{ status: literal('success'), account: string, fbid: maybe(string), instagram_id: maybe(string) },
  ...{
    profile_name: maybe(string),
    full_name: maybe(string),
    biography: maybe(string),
    profile_image_link: maybe(url),
  },
  ...{ followers: count, following: count, posts_count: count, highlights_count: count },
  ...{ is_verified: flag, is_private: flag, is_business_account: flag, is_professional_account: flag },
  ...{ is_joined_recently: flag, has_channel: flag, avg_engagement: maybe(number) },
  ...{
    category_name: maybe(string),
    business_address: maybe(string),
    email: maybe(string),
    external_url: maybe(string),
  },
  ...{ profile_url: url, url, bio_hashtags: list(string), highlights: list(string) },
  related_accounts: list(
    object({
      ...{ instagram_id: maybe(string), user_name: maybe(string), profile_name: maybe(string) },
      ...{ is_private: flag, is_verified: flag },
    }),
  ),
  ...{ list_id: id, list_cost: number, download: done('imgnet_profile', { media_id: string }) },
});

/** Sections 2.3 and 2.4. What `images` and `audio` hold is not shown. */
const postItem: Fields = {
  ...{ type: literal('post'), instagram_id: maybe(string), caption: maybe(string), description: maybe(string) },
  ...{ likes: count, comments: count, num_comments: count, date_posted: maybe(time), datetime: maybe(time) },
  ...{ user_posted: maybe(string), account: maybe(string), image_url: maybe(url), video_url: maybe(url), url },
  ...{ shortcode: string, content_type: maybe(string), photos_number: count, videos_duration: count },
  ...{ location: maybe(object({ name: string })), post_id: maybe(string), photos: list(url), videos: list(url) },
  ...{ images: list(anything), audio: list(anything) },
};
const reelItem: Fields = {
  ...{ type: literal('reel'), post_id: maybe(string), description: maybe(string), likes: count, views: count },
  ...{ video_view_count: count, video_play_count: count, num_comments: count, date_posted: maybe(time) },
  ...{ user_posted: maybe(string), account: maybe(string), video_url: maybe(url), thumbnail: maybe(url), url },
  ...{ shortcode: string, content_type: literal('reel'), content_id: maybe(string), product_type: maybe(string) },
  ...{ length: count, videos_duration: count, is_verified: flag, videos: list(url) },
};
const comment = { comment: string, user_commenting: maybe(string), likes: count };
const both: Fields = {
  ...{ hashtags: list(string), is_paid_partnership: flag, followers: count, posts_count: count },
  tagged_users: list(object({ username: string, full_name: maybe(string), is_verified: flag })),
  ...{ coauthor_producers: list(anything), status: literal('success'), source: literal('api') },
  // Additions.
  ...{ cost: money, download: done('imgnet_post', { media_id: string }) },
};
export const content = {
  post: object({
    ...{ ...postItem, ...both, pk: maybe(string), content_id: maybe(string), thumbnail: maybe(url), is_verified: flag },
    ...{
      user_posted_id: maybe(string),
      profile_url: maybe(url),
      alt_text: maybe(string),
      profile_image_link: maybe(url),
    },
    ...{ video_view_count: count, video_play_count: count, product_type: maybe(string), is_pinned: flag },
    latest_comments: list(object({ ...comment, created_at: maybe(micros) })),
    partnership_details: list(anything),
    post_content: list(object({ index: integer, type: maybe(string), url: maybe(url), instagram_id: maybe(string) })),
  }),
  reel: object({
    ...reelItem,
    ...both,
    latest_comments: list(object({ ...comment, date_of_comment: maybe(date) })),
  }),
};

const part = (type: string): Check => object({ id, type: literal(type), status: literal('success'), cost: money });
/** `completeness` is an addition. */
export const listed = object(
  {
    ...{ status: literal('success'), message: string, posts: list(object(postItem)), reels: list(object(reelItem)) },
    ...{ posts_count: integer, reels_count: integer, total_count: integer },
    downloads: object({ posts: part('imgnet_list_posts'), reels: part('imgnet_list_reels') }),
  },
  { completeness: anything },
);

export const noAudio = object({
  ...{ status: literal('success'), message: string, download_id: id, cost: money },
  ...{ transcript_speaker_id: id, transcript_speaker_cost: free },
});

export const channel = object({
  ...{ status: literal('success'), vidnet_id: string, title: string, description: maybe(string), url },
  ...{ thumbnail: maybe(url), country: maybe(string), total_media: count, subscriber_count: count, total_views: count },
  ...{ creation_date: maybe(platformTime), cost: money, source: literal('api') },
  videos: list(
    object({
      ...{
        vidnet_id: string,
        title: string,
        thumbnail: maybe(url),
        published_at: maybe(platformTime),
        duration: count,
      },
    }),
  ),
  download: done('list', { ...video, response: empty }),
});

/** The shape of comments is not given, and `track` is an addition. */
export const transcript = (more: Fields = {}): Check =>
  object({
    status: literal('ok'),
    video: object({
      ...{ vidnet_id: string, link: url, title: string, description: maybe(string), publishedAt: maybe(platformTime) },
      ...{ duration: maybe(clock), viewCount: count, likeCount: count, commentCount: count, channelId: maybe(string) },
      ...{ channelName: maybe(string), transcripts: string, ...more },
      transcriptsWithTimeStamps: list(object({ dur: seconds, text: string, start: seconds })),
    }),
    download: done('captions', video),
    track: object({ language: string, kind: string, name: maybe(string) }),
  });
export const withComments = { comments: list(anything) };

/** Section 2.8. `download_id` and `engine` are additions. */
const labelled = { transcript_speaker_id: id, media_id: string, transcript_speaker_cost: money };
const spoken = object({ text: string, start: number, duration: number, speaker: string });
export const labels = {
  audioRequired: object({ status: literal('pending'), message: string, transcript_speaker_id: id }),
  pending: object(
    { status: literal('pending'), message: literal('Transcription in progress'), ...labelled },
    { download_id: id, progress: anything },
  ),
  success: object(
    {
      ...{ status: literal('success'), ...labelled },
      data: object({ transcriptsWithTimeStamps: list(spoken), language: string, duration: number }, { engine: string }),
    },
    { download_id: id },
  ),
  noSpeech: object(
    {
      ...{ status: literal('success'), message: string, ...labelled, transcript_speaker_cost: free },
      data: object(
        { transcriptsWithTimeStamps: none, language: string, duration: literal(0), message: string },
        { engine: string },
      ),
    },
    { download_id: id },
  ),
  failed: object({
    ...{ status: literal('failed'), message: string, code: string, download_id: id, cost: free, ...labelled },
    download: object({
      ...{ id, type: literal('speaker_labels'), status: literal('failed'), cost: free },
      ...{ response: string, created_at: micros },
    }),
  }),
};

/** Section 7. `code` is an addition. */
export const duplicate = object({ error: string, id, code: string });
