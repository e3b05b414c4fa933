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

/** Who said what in the audio of another record. */
export interface SpeakerLabelsParameters {
  /** The record of the audio: its `transcript_speaker_id`. */
  readonly audioId: string;
  /** Its first file. */
  readonly fileName: string;
  /** Language that is spoken, canonical BCP 47, if the caller said so. */
  readonly language?: string;
  readonly minSpeakers?: number;
  readonly maxSpeakers?: number;
}

export type JobParameters =
  | TranscriptParameters
  | ChannelParameters
  | ListParameters
  | ContentParameters
  | PostAudioParameters
  | OwnerProfileParameters
  | SpeakerLabelsParameters;
