/**
 * What the drivers of the video platform hand over. What the platform does not tell is absent, never invented.
 * Times are `YYYY-MM-DD HH:MM:SS` in UTC, as the specification writes them.
 */
export interface ChannelFacts {
  /** `UC…` on the real platform. */
  readonly channelId: string;
  /** With its `@`, in lower case. */
  readonly handle?: string;
  readonly title: string;
  readonly description?: string;
  readonly url: string;
  readonly thumbnailUrl?: string;
  /** ISO 3166-1 alpha-2. */
  readonly country?: string;
  readonly mediaCount?: number;
  readonly subscriberCount?: number;
  readonly viewCount?: number;
  readonly createdAt?: string;
}

export interface ChannelVideo {
  readonly videoId: string;
  readonly title: string;
  readonly thumbnailUrl?: string;
  readonly publishedAt?: string;
  /** Whole seconds. */
  readonly durationSeconds?: number;
}

/** A page of a channel's list, newest first. */
export interface ChannelPage {
  readonly videos: readonly ChannelVideo[];
  /** Where the list goes on, opaque; absent on the last page. */
  readonly next?: string;
}

export interface VideoFacts {
  readonly videoId: string;
  readonly link: string;
  readonly title: string;
  readonly description?: string;
  readonly publishedAt?: string;
  readonly durationSeconds?: number;
  readonly viewCount?: number;
  readonly likeCount?: number;
  readonly commentCount?: number;
  readonly channelId?: string;
  readonly channelName?: string;
}

export interface CaptionTrack {
  /** Canonical BCP 47, such as `pt-BR`. */
  readonly language: string;
  readonly kind: 'manual' | 'automatic';
  /** As the platform shows it. */
  readonly name?: string;
}

export interface CaptionLine {
  readonly startSeconds: number;
  readonly durationSeconds: number;
  readonly text: string;
}

export interface VideoComment {
  readonly id: string;
  readonly author?: string;
  readonly authorId?: string;
  readonly text: string;
  readonly likes?: number;
  readonly publishedAt?: string;
  /** True when the platform only says "2 weeks ago". */
  readonly publishedAtIsEstimated?: true;
  /** The comment that this one answers; null for one that answers the video. */
  readonly replyTo: string | null;
}

/** A channel as callers name it. Names are in lower case, except for ids. */
export type ChannelReference =
  | { readonly kind: 'handle'; /** Without `@`. */ readonly name: string }
  | { readonly kind: 'id' | 'custom' | 'user'; readonly name: string };
