import type { VideoCase } from './catalogue.ts';

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
