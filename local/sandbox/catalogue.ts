import { isAbsolute } from 'node:path';
import { z } from 'zod';
import type { MediaFacts } from './media-files.ts';

export const VIDEO_CASES = [
  'ordinary',
  'long',
  'silent',
  'music',
  'no_audio',
  'opus_only',
  'hd1080',
  'hd720',
  'vp9_opus',
  'regional_captions',
  'automatic_captions',
  'no_captions',
  'many_comments',
  'comments_off',
  'live',
  'upcoming',
  'private',
  'removed',
  'geo_blocked',
  'age_restricted',
  'members_only',
] as const;
export type VideoCase = (typeof VIDEO_CASES)[number];

const CHANNEL_CASES = ['ordinary', 'large', 'empty', 'removed'] as const;

/** All generated items are kept in memory. */
const GENERATED_MAX = 20_000;

const relativePath = z.string().refine((path) => !isAbsolute(path) && !path.split(/[\\/]/).includes('..'), {
  error: 'a path inside the catalogue folder',
});
const handle = z.string().regex(/^@[\w.-]{3,30}$/, 'a handle such as @tea-time');
const name = z.string().regex(/^[\w.-]{1,40}$/, 'letters, digits, dots and dashes');
const time = z.iso.datetime().transform((text) => new Date(text));
const count = z.number().int().nonnegative();

const channel = z.strictObject({
  handle,
  id: z.string().regex(/^UC[\w-]{22}$/, 'UC and 22 characters'),
  title: z.string().min(1),
  description: z.string().default(''),
  follower_count: count.optional(),
  view_count: count.default(0),
  country: z
    .string()
    .regex(/^[A-Z]{2}$/, 'two letters such as IE')
    .optional(),
  created_at: time.optional(),
  custom_name: name.optional(),
  user_name: name.optional(),
  generated_videos: count.max(GENERATED_MAX).default(0),
  case: z.enum(CHANNEL_CASES),
});

/** The uploads of a channel, repeated to the length. */
const playlist = z.strictObject({
  id: z.string().regex(/^PL[\w-]{2,60}$/, 'PL and letters, digits and dashes'),
  title: z.string().min(1),
  channel: handle,
  length: count.max(GENERATED_MAX),
});

const comment = z.strictObject({
  author: handle,
  text: z.string().min(1),
  like_count: count.default(0),
  published_at: time,
  pinned: z.boolean().default(false),
  favorited: z.boolean().default(false),
  get replies(): z.ZodDefault<z.ZodArray<typeof comment>> {
    return z.array(comment).default([]);
  },
});
export type CommentEntry = z.infer<typeof comment>;

const captions = z.strictObject({
  language: z.string().regex(/^[A-Za-z]{2,3}(-[\w-]+)?$/, 'a language such as en or pt-BR'),
  name: z.string(),
  kind: z.enum(['manual', 'automatic']),
  files: z.array(relativePath).min(1),
});

const video = z.strictObject({
  id: z.string().regex(/^[\w-]{11}$/, '11 characters of A-Z, a-z, 0-9, _ and -'),
  title: z.string().min(1),
  case: z.enum(VIDEO_CASES),
  channel: handle,
  description: z.string().default(''),
  published_at: time,
  view_count: count.default(0),
  like_count: count.optional(),
  tags: z.array(z.string()).default([]),
  duration_seconds: z.number().positive().optional(),
  repeat_to_seconds: z.number().positive().max(86_400).optional(),
  formats: z.array(relativePath).default([]),
  captions: z.array(captions).default([]),
  live_chat: z.boolean().default(false),
  comments: z.array(comment).default([]),
  generated_comments: count.max(GENERATED_MAX).default(0),
});

export const catalogueSchema = z.strictObject({
  channels: z.array(channel).min(1),
  playlists: z.array(playlist).default([]),
  videos: z.array(video),
});
export type ChannelEntry = z.infer<typeof channel>;
export type VideoEntry = z.infer<typeof video>;

/** An entry with the IDs and names of this sandbox, and `follower_count` rounded as the platform rounds it. */
export type CatalogueChannel = Readonly<Omit<ChannelEntry, 'generated_videos'>>;

export interface MediaFormat {
  readonly formatId: string;
  readonly path: string;
  readonly facts: MediaFacts;
}

export interface CaptionTrack extends Omit<z.infer<typeof captions>, 'files'> {
  /** The same text in several formats; `name` is the last segment of its URL. */
  readonly files: readonly { readonly ext: string; readonly name: string; readonly path: string }[];
}

export interface CatalogueComment extends Readonly<Omit<CommentEntry, 'replies'>> {
  /** Such as `Ugx…4AaABAg`; that of a reply begins with its thread's ID and a dot. */
  readonly id: string;
  readonly authorChannelId: string;
  /** Oldest first. */
  readonly replies: readonly CatalogueComment[];
}

type OwnFacts =
  'id' | 'title' | 'case' | 'description' | 'published_at' | 'view_count' | 'like_count' | 'tags' | 'live_chat';
export interface CatalogueVideo extends Readonly<Pick<VideoEntry, OwnFacts>> {
  /** Set for a short that was published over time; the catalogue has none. */
  readonly isShort?: boolean;
  readonly channel: CatalogueChannel;
  /** Undefined for broadcasts. */
  readonly durationSeconds: number | undefined;
  readonly formats: readonly MediaFormat[];
  readonly captions: readonly CaptionTrack[];
  /** Top-level comments; undefined when comments are disabled. */
  readonly comments: readonly CatalogueComment[] | undefined;
}

export interface CataloguePlaylist extends Omit<z.infer<typeof playlist>, 'channel'> {
  readonly channel: CatalogueChannel;
}

export interface Catalogue {
  readonly playlists: readonly CataloguePlaylist[];
  readonly videos: readonly CatalogueVideo[];
  readonly channels: readonly CatalogueChannel[];
  /** Left out of the sandbox's index. */
  readonly generatedVideos: readonly CatalogueVideo[];
}

/** Why a video cannot be played, as the platform's player says it; the extractor plugin raises it as an error. */
export interface Refusal {
  readonly reason: string;
  readonly subreason?: string;
  readonly availableCountries?: readonly string[];
}

export const UNPLAYABLE: Readonly<Partial<Record<VideoCase, Refusal>>> = {
  upcoming: { reason: 'This live event will begin in 3 days.' },
  private: { reason: 'Private video', subreason: "Sign in if you've been granted access to this video" },
  removed: { reason: 'Video unavailable', subreason: 'This video has been removed by the uploader' },
  geo_blocked: {
    reason: 'Video unavailable',
    subreason: 'The uploader has not made this video available in your country',
    availableCountries: ['IS', 'NZ'],
  },
  age_restricted: {
    reason: 'Sign in to confirm your age',
    subreason: 'This video may be inappropriate for some users.',
  },
  members_only: {
    reason: 'Join this channel to get access to members-only content like this video, and other exclusive perks.',
  },
};
