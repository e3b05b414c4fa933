import type { FailureCode } from '../../contract/failures.ts';
import type { World } from './world.ts';

/** How often each kind of job comes, in relation to the others. */
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
} as const;
export type Kind = keyof typeof KIND_WEIGHTS;

/** A request, and what must come of it. */
export interface Asked {
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly expected: 'success' | FailureCode;
  /** What must be had before: its id goes into the field. */
  readonly needs?: { readonly kind: Kind; readonly asked: Asked; readonly field: string };
}

interface Deck {
  readonly good: readonly Asked[];
  /** Subjects that nobody can have. */
  readonly failing: readonly Asked[];
}

/** Why a video of a case cannot be had. */
const VIDEO_FAILURES = {
  private: 'private',
  removed: 'removed',
  members_only: 'members_only',
  age_restricted: 'age_restricted',
  geo_blocked: 'geo_blocked',
} as const satisfies Readonly<Record<string, FailureCode>>;
const LIST_DAYS = [undefined, 7, 365] as const;

const audio = (id: string, expected: Asked['expected'] = 'success'): Asked => ({
  ...{ path: '/api/downloads/audio', body: { vidnet_video_id: id }, expected },
});
const video = (id: string, expected: Asked['expected'] = 'success'): Asked => ({
  ...{ path: '/api/downloads/video', body: { vidnet_video_id: id }, expected },
});
const transcript =
  (withComments: boolean) =>
  (id: string, expected: Asked['expected'] = 'success'): Asked => ({
    path: '/api/transcripts',
    body: { vidnet_video_id: id, language: 'en', ...(withComments ? { include_comments: true } : {}) },
    expected,
  });
const profile = (url: string, expected: Asked['expected'] = 'success'): Asked => ({
  ...{ path: '/api/imgnet/profile', body: { url }, expected },
});
const list = (account: string, days: number | undefined, expected: Asked['expected'] = 'success'): Asked => ({
  path: '/api/imgnet/list',
  body: days === undefined ? {} : { max_age_days: days },
  expected,
  needs: { kind: 'profile', asked: profile(account), field: 'list_id' },
});
const ofVideos = (
  world: World,
  ids: readonly string[],
  ask: (id: string, expected?: Asked['expected']) => Asked,
): Deck => ({
  good: ids.map((id) => ask(id)),
  failing: Object.entries(VIDEO_FAILURES).flatMap(([kind, code]) => world.videos(kind).map((id) => ask(id, code))),
});

/** What can be asked for of each kind. */
export const DECKS: Readonly<Record<Kind, (world: World) => Deck>> = {
  audio: (world) => ofVideos(world, [...world.talks, ...world.videos('silent')], audio),
  video: (world) => ofVideos(world, world.talks, video),
  transcript: (world) => ofVideos(world, world.talks, transcript(false)),
  transcript_with_comments: (world) => ofVideos(world, world.talks, transcript(true)),
  channel: (world) => ({
    good: world.channels('ordinary', 'empty').map((url) => channel(url)),
    failing: world.channels('removed').map((url) => channel(url, 'removed')),
  }),
  profile: (world) => ({
    good: world.accounts('ordinary', 'business', 'empty').map((url) => profile(url)),
    failing: world.accounts('not_found').map((url) => profile(url, 'removed')),
  }),
  list: (world) => ({
    good: world.accounts('ordinary', 'business').flatMap((url) => LIST_DAYS.map((days) => list(url, days))),
    failing: world.accounts('private').map((url) => list(url, undefined, 'private')),
  }),
  post: (world) => ofPosts(world, '/api/imgnet/content'),
  post_audio: (world) => ofPosts(world, '/api/imgnet/audio'),
  speaker_labels: (world) => ({
    good: [...world.talks, ...world.videos('silent').slice(0, 1)].map((id) => ({
      ...{ path: '/api/transcriptspeakerid', body: {}, expected: 'success' as const },
      needs: { kind: 'audio', asked: audio(id), field: 'transcript_with_speaker_id' },
    })),
    failing: [],
  }),
};

function channel(url: string, expected: Asked['expected'] = 'success'): Asked {
  return { path: '/api/channel/profile', body: { url }, expected };
}

function ofPosts(world: World, path: string): Deck {
  return {
    good: world.posts(false).map((url) => ({ path, body: { url }, expected: 'success' })),
    failing: world.posts(true).map((url) => ({ path, body: { url }, expected: 'removed' })),
  };
}
