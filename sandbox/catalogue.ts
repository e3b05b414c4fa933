/** What a video stands for. The index of the sandbox shows it, so that tests and people find what they look for. */
export const VIDEO_CASES = [
  'ordinary',
  'long',
  'silent',
  'no_audio',
  'opus_only',
  'live',
  'upcoming',
  'private',
  'removed',
  'geo_blocked',
  'age_restricted',
  'members_only',
] as const;
export type VideoCase = (typeof VIDEO_CASES)[number];

export interface CatalogueChannel {
  /** With its leading `@`. */
  readonly handle: string;
  /** `UC` and 22 characters. */
  readonly id: string;
  readonly title: string;
  readonly description: string;
  readonly followerCount: number;
  readonly case: 'ordinary';
}

export interface MediaFormat {
  readonly formatId: string;
  /** Absolute path; never sent to anyone. */
  readonly path: string;
  readonly facts: MediaFacts;
}

/** What ffprobe says about a file, in yt-dlp's words. */
export interface MediaFacts {
  readonly ext: string;
  /** RFC 6381 for AAC and H.264, else ffmpeg's name; `none` without such a track. */
  readonly acodec: string;
  readonly vcodec: string;
  readonly durationSeconds: number;
  readonly sizeBytes: number;
  /** Kilobits a second of the whole file. */
  readonly totalKbps: number;
  readonly width?: number | undefined;
  readonly height?: number | undefined;
  readonly picturesPerSecond?: number | undefined;
  readonly sampleRateHz?: number | undefined;
  readonly audioChannels?: number | undefined;
}

export interface CaptionTrack {
  /** BCP 47. */
  readonly language: string;
  readonly name: string;
  readonly kind: 'manual' | 'automatic';
  /** The same text in several formats; `name` is its last path segment on the server. */
  readonly files: readonly { readonly ext: string; readonly name: string; readonly path: string }[];
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
  readonly likeCount: number;
  readonly tags: readonly string[];
  /** Longest of the formats with sound; undefined where the platform tells none (nothing to play, or live). */
  readonly durationSeconds: number | undefined;
  readonly formats: readonly MediaFormat[];
  readonly captions: readonly CaptionTrack[];
}

export interface Catalogue {
  readonly videos: readonly CatalogueVideo[];
  readonly channels: readonly CatalogueChannel[];
}
