import type { FailureCode } from '../../contract/failures.ts';
import type { SandboxIndex } from './sandbox-index.ts';

export const KIND_WEIGHTS = {
  audio: 20,
  video: 12,
  transcript: 12,
  transcript_with_comments: 10,
  channel: 6,
  profile: 6,
  list: 8,
  post: 13,
  post_audio: 9,
  speaker_labels: 2,
  speech: 4,
} as const;
export type Kind = keyof typeof KIND_WEIGHTS;

export const IMGNET_KINDS: readonly Kind[] = ['profile', 'list', 'post', 'post_audio'];

/** A request and its expected result. */
export interface Order {
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly expected: 'success' | FailureCode;
  /** An order whose result provides the value of the field. */
  readonly needs?: { readonly kind: Kind; readonly order: Order; readonly field: string };
}

interface Deck {
  readonly good: readonly Order[];
  readonly failing: readonly Order[];
}

const VIDEO_FAILURES = {
  private: 'private',
  removed: 'removed',
  members_only: 'members_only',
  age_restricted: 'age_restricted',
  geo_blocked: 'geo_blocked',
} as const satisfies Readonly<Record<string, FailureCode>>;
const LIST_DAYS = [undefined, 7, 365] as const;

type Expected = Order['expected'];
type MakeOrder = (subject: string, expected?: Expected) => Order;

/** Makes orders that differ in one field of the body. */
const asking =
  (path: string, field: string, others: object = {}): MakeOrder =>
  (subject, expected = 'success') => ({ path, body: { [field]: subject, ...others }, expected });
const audio = asking('/api/downloads/audio', 'vidnet_video_id');
const video = asking('/api/downloads/video', 'vidnet_video_id');
const transcript = (others: object): MakeOrder =>
  asking('/api/transcripts', 'vidnet_video_id', { language: 'en', ...others });
export const speech = asking('/api/speech', 'vidnet_video_id');
const speechOfUrl = asking('/api/speech', 'url');
const channel = asking('/api/channel/profile', 'url');
const profile = asking('/api/imgnet/profile', 'url');
const list = (account: string, days: number | undefined, expected: Expected = 'success'): Order => ({
  path: '/api/imgnet/list',
  body: days === undefined ? {} : { max_age_days: days },
  expected,
  needs: { kind: 'profile', order: profile(account), field: 'list_id' },
});

const deck = (ask: MakeOrder, good: readonly string[], removed: readonly string[]): Deck => ({
  good: good.map((subject) => ask(subject)),
  failing: removed.map((subject) => ask(subject, 'removed')),
});
const ofVideos = (index: SandboxIndex, ids: readonly string[], ask: MakeOrder): Deck => ({
  good: ids.map((id) => ask(id)),
  failing: Object.entries(VIDEO_FAILURES).flatMap(([kind, code]) => index.videos(kind).map((id) => ask(id, code))),
});
const ofPosts = (index: SandboxIndex, path: string): Deck =>
  deck(asking(path, 'url'), index.posts(false), index.posts(true));

export const DECKS: Readonly<Record<Kind, (index: SandboxIndex) => Deck>> = {
  audio: (index) => ofVideos(index, [...index.talks, ...index.videos('silent')], audio),
  video: (index) => ofVideos(index, index.talks, video),
  transcript: (index) => ofVideos(index, index.talks, transcript({})),
  transcript_with_comments: (index) => ofVideos(index, index.talks, transcript({ include_comments: true })),
  channel: (index) => deck(channel, index.channels('ordinary', 'empty'), index.channels('removed')),
  profile: (index) => deck(profile, index.accounts('ordinary', 'business', 'empty'), index.accounts('not_found')),
  list: (index) => ({
    good: index.accounts('ordinary', 'business').flatMap((url) => LIST_DAYS.map((days) => list(url, days))),
    failing: index.accounts('private').map((url) => list(url, undefined, 'private')),
  }),
  post: (index) => ofPosts(index, '/api/imgnet/content'),
  post_audio: (index) => ofPosts(index, '/api/imgnet/audio'),
  speaker_labels: (index) => ({
    good: [...index.talks, ...index.videos('silent').slice(0, 1)].map((id) => ({
      path: '/api/transcriptspeakerid',
      body: {},
      expected: 'success',
      needs: { kind: 'audio', order: audio(id), field: 'transcript_with_speaker_id' },
    })),
    failing: [],
  }),
  speech: (index) =>
    ofVideos(index, [...index.talks, ...index.videos('silent').slice(0, 1)], (id, expected) =>
      speechOfUrl(index.videoUrl(id), expected),
    ),
};
