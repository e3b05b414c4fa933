import type { MediaFacts } from './probe.ts';

/** What a video stands for. The index of the sandbox shows it, so that tests and people find what they look for. */
export const VIDEO_CASES = [
  'ordinary',
  'long',
  'silent',
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

export const CHANNEL_CASES = ['ordinary', 'large', 'empty', 'removed'] as const;
export type ChannelCase = (typeof CHANNEL_CASES)[number];

export interface CatalogueChannel {
  /** With its leading `@`. */
  readonly handle: string;
  /** `UC` and 22 characters. */
  readonly id: string;
  readonly title: string;
  readonly description: string;
  /** Rounded to three digits, as the platform tells it; undefined: hidden. */
  readonly followerCount: number | undefined;
  readonly viewCount: number;
  /** ISO 3166. */
  readonly country: string | undefined;
  readonly createdAt: Date | undefined;
  /** NAME of /c/NAME. */
  readonly customName: string | undefined;
  /** NAME of /user/NAME. */
  readonly userName: string | undefined;
  readonly case: ChannelCase;
}

export interface MediaFormat {
  readonly formatId: string;
  /** Absolute path; never sent to anyone. */
  readonly path: string;
  readonly facts: MediaFacts;
}

export interface CaptionTrack {
  /** BCP 47. */
  readonly language: string;
  readonly name: string;
  readonly kind: 'manual' | 'automatic';
  /** The same text in several formats; `name` is its last path segment on the server. */
  readonly files: readonly { readonly ext: string; readonly name: string; readonly path: string }[];
}

export interface CatalogueComment {
  /** 26 characters; an answer's: those of the comment that its thread begins with, a dot, and 22. */
  readonly id: string;
  /** With its leading `@`. */
  readonly author: string;
  readonly authorChannelId: string;
  readonly text: string;
  readonly likeCount: number;
  readonly publishedAt: Date;
  readonly pinned: boolean;
  /** The owner of the channel gave it a heart. */
  readonly favorited: boolean;
  /** Oldest first. */
  readonly replies: readonly CatalogueComment[];
}

export interface CatalogueVideo {
  /** 11 characters of A-Z, a-z, 0-9, `_` and `-`. */
  readonly id: string;
  readonly title: string;
  readonly case: VideoCase;
  readonly channel: CatalogueChannel;
  readonly description: string;
  readonly publishedAt: Date;
  readonly viewCount: number;
  /** undefined: hidden. */
  readonly likeCount: number | undefined;
  readonly tags: readonly string[];
  /** Longest of the formats with sound, or what the catalogue says where nothing may be played; undefined where the platform tells none. */
  readonly durationSeconds: number | undefined;
  readonly formats: readonly MediaFormat[];
  readonly captions: readonly CaptionTrack[];
  /** A recorded chat goes with it, as after a broadcast. */
  readonly liveChat: boolean;
  /** Those that answer the video; undefined: turned off. */
  readonly comments: readonly CatalogueComment[] | undefined;
}

export interface Catalogue {
  readonly videos: readonly CatalogueVideo[];
  readonly channels: readonly CatalogueChannel[];
  /** Made in code and too many for a list of contents. */
  readonly generatedVideos: readonly CatalogueVideo[];
}
