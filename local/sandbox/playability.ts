import type { VideoCase } from './catalogue.ts';

/** Why a video can't be played, as the platform's player says it; the extractor plugin makes its errors of it. */
export interface Playability {
  readonly status: 'OK' | 'LOGIN_REQUIRED' | 'UNPLAYABLE' | 'ERROR' | 'LIVE_STREAM_OFFLINE';
  readonly reason?: string;
  readonly subreason?: string;
  /** Only these countries (ISO 3166) may watch. */
  readonly availableCountries?: readonly string[];
}

/** Of an id that nobody has. */
export const UNKNOWN_VIDEO: Playability = { status: 'ERROR', reason: 'Video unavailable' };

const REFUSED: Readonly<Partial<Record<VideoCase, Playability>>> = {
  upcoming: { status: 'LIVE_STREAM_OFFLINE', reason: 'This live event will begin in 3 days.' },
  private: {
    status: 'LOGIN_REQUIRED',
    reason: 'Private video',
    subreason: "Sign in if you've been granted access to this video",
  },
  removed: {
    status: 'ERROR',
    reason: 'Video unavailable',
    subreason: 'This video has been removed by the uploader',
  },
  geo_blocked: {
    status: 'UNPLAYABLE',
    reason: 'Video unavailable',
    subreason: 'The uploader has not made this video available in your country',
    availableCountries: ['IS', 'NZ'],
  },
  age_restricted: {
    status: 'LOGIN_REQUIRED',
    reason: 'Sign in to confirm your age',
    subreason: 'This video may be inappropriate for some users.',
  },
  members_only: {
    status: 'UNPLAYABLE',
    reason: 'Join this channel to get access to members-only content like this video, and other exclusive perks.',
  },
};

export function playabilityOf(kind: VideoCase): Playability {
  return REFUSED[kind] ?? { status: 'OK' };
}
