import type { FailureCode } from '../../contract/failures.ts';
import { JobError } from '../../contract/job-error.ts';

interface Row {
  readonly fragment: RegExp;
  readonly code: FailureCode;
  readonly message: string;
}

/**
 * yt-dlp's messages, sorted. The first row that matches counts, so narrow fragments stand before wide ones. Apostrophes
 * are left out: the platform writes them straight or curled.
 */
export const YTDLP_FAILURES: readonly Row[] = [
  {
    fragment: /HTTP Error 429|rate-limited by|Too Many Requests/i,
    code: 'rate_limited',
    message: 'The video platform asks us to slow down.',
  },
  {
    fragment: /confirm you.?re not a bot|captcha|your IP is likely being blocked/i,
    code: 'sign_in_required',
    message: 'The video platform asks for a sign-in from this address.',
  },
  { fragment: /private video|video is private/i, code: 'private', message: 'The video is private.' },
  {
    fragment: /not (?:made this video )?available in your country|not available from your location|geo.?restrict/i,
    code: 'geo_blocked',
    message: 'The video is not available in the country of this service.',
  },
  {
    fragment: /confirm your age|age.?restricted|inappropriate for some users/i,
    code: 'age_restricted',
    message: 'The video is age-restricted.',
  },
  {
    fragment: /members-only|members on level|join this channel|Premium members|available to subscribers/i,
    code: 'members_only',
    message: 'The video is for members only.',
  },
  {
    fragment:
      /removed by the uploader|has been removed|has been terminated|no longer available|video unavailable|does not exist|HTTP Error 404|HTTP Error 410/i,
    code: 'removed',
    message: 'The video was removed or does not exist.',
  },
  { fragment: /DRM/, code: 'drm_protected', message: 'The video is protected against copying.' },
  {
    fragment: /Premieres in|live event will begin|is_upcoming/i,
    code: 'not_started',
    message: 'The video has not been published yet.',
  },
  {
    fragment: /is_live|live stream is currently/i,
    code: 'live',
    message: 'The video is a live broadcast that has not ended.',
  },
  {
    fragment: /File is larger than max-filesize|File too large|size limit exceeded/i,
    code: 'too_large',
    message: 'The media is larger than this service accepts.',
  },
  {
    fragment: /Requested format is not available|No video formats found/i,
    code: 'no_audio',
    message: 'The video has no audio that can be fetched.',
  },
  {
    fragment: /Unsupported URL|is not a valid URL/i,
    code: 'unsupported',
    message: 'The page of the video cannot be read.',
  },
  {
    fragment: /No space left on device|Disk quota exceeded/i,
    code: 'disk_full',
    message: 'The service has no space left.',
  },
  { fragment: /timed out|timeout/i, code: 'upstream_timeout', message: 'The video platform did not answer in time.' },
  {
    fragment:
      /bytes read, \d+ more expected|did not get any data|more expected|Downloaded \d+ bytes, expected|content too short/i,
    code: 'incomplete',
    message: 'The video platform ended the transfer too early.',
  },
];

/** @param stderrTail what yt-dlp printed before it gave up */
export function ytdlpFailure(stderrTail: string): JobError {
  const errors = stderrTail.split('\n').filter((line) => line.startsWith('ERROR:'));
  const text = errors.length > 0 ? errors.join('\n') : stderrTail;
  const row = YTDLP_FAILURES.find(({ fragment }) => fragment.test(text));
  return new JobError(row?.code ?? 'upstream_error', row?.message ?? 'The video platform could not be read.', {
    cause: new Error(stderrTail.slice(-2_000)),
  });
}
