import type { Thousandths } from './money.ts';
import type { PostReference } from './imgnet/urls.ts';
import type { ChannelReference } from './vidnet.ts';

/** What is asked for beside a subject's id, by kind of job. Small: it travels with the workflow's input. */
export interface TranscriptParameters {
  /** Canonical BCP 47. */
  readonly language: string;
  readonly includeComments: boolean;
}

export interface ChannelParameters {
  readonly channel: ChannelReference;
}

/** Some of an account's posts or reels. */
export interface ListParameters {
  readonly part: 'posts' | 'reels';
  /** First day, `YYYY-MM-DD` in UTC; without it, from the beginning. */
  readonly sinceDate?: string;
  /** How many posts the profile counts, reels among them, if it tells. */
  readonly postsCount?: number;
}

/** The content of a post or reel. */
export interface ContentParameters {
  readonly post: PostReference;
  /** The part of the price that the owner's profile costs; charged only when it is fetched for this job. */
  readonly profilePrice: Thousandths;
}

/** The audio of a post or reel. */
export interface PostAudioParameters {
  readonly post: PostReference;
}

/** A profile that is fetched for the content of one of its posts. */
export interface OwnerProfileParameters {
  /** The record of the content, which the profile is charged with. */
  readonly paidBy: string;
}

export type JobParameters =
  | TranscriptParameters
  | ChannelParameters
  | ListParameters
  | ContentParameters
  | PostAudioParameters
  | OwnerProfileParameters;
