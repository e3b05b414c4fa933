import { describe, expect, it } from 'vitest';
import type { FailureCode } from '../../contract/failures.ts';
import { YTDLP_FAILURES, ytdlpFailure } from '../../sources/vidnet/failures.ts';

/** What yt-dlp prints, per code: as the real platform's extractor and the downloader word it. */
const MESSAGES: readonly (readonly [FailureCode, string])[] = [
  [
    'rate_limited',
    'ERROR: [youtube] x: Unable to download webpage: HTTP Error 429: Too Many Requests (caused by <HTTPError 429>)',
  ],
  [
    'rate_limited',
    "ERROR: [youtube] x: This content isn't available, try again later. The current session has been rate-limited by YouTube for up to an hour.",
  ],
  ['sign_in_required', 'ERROR: [youtube] x: Sign in to confirm you’re not a bot. Use --cookies-from-browser'],
  ['sign_in_required', "ERROR: [youtube] x: Sign in to confirm you're not a bot."],
  ['private', "ERROR: [youtube] x: Private video. Sign in if you've been granted access to this video"],
  ['private', 'ERROR: [youtube] x: This video is private'],
  ['geo_blocked', 'ERROR: [youtube] x: The uploader has not made this video available in your country'],
  [
    'age_restricted',
    'ERROR: [youtube] x: Sign in to confirm your age. This video may be inappropriate for some users.',
  ],
  ['members_only', 'ERROR: [youtube] x: Join this channel to get access to members-only content like this video'],
  ['members_only', "ERROR: [youtube] x: This video is available to this channel's members on level: Gold"],
  ['removed', 'ERROR: [youtube] x: Video unavailable. This video has been removed by the uploader'],
  [
    'removed',
    'ERROR: [youtube] x: This video is no longer available because the account associated with this video has been terminated.',
  ],
  ['removed', 'ERROR: [generic] Unable to download webpage: HTTP Error 404: Not Found'],
  ['drm_protected', 'ERROR: [youtube] x: This video is DRM protected'],
  ['not_started', 'ERROR: [youtube] x: Premieres in 3 hours'],
  ['not_started', 'ERROR: [youtube] x: This live event will begin in 20 minutes.'],
  ['live', 'ERROR: [x] The live stream is currently running'],
  ['too_large', 'ERROR: unable to write data: [Errno 27] File too large'],
  ['no_audio', 'ERROR: [x] x: Requested format is not available. Use --list-formats for a list of available formats'],
  ['unsupported', 'ERROR: Unsupported URL: http://127.0.0.1/x'],
  ['disk_full', 'ERROR: unable to write data: [Errno 28] No space left on device'],
  ['upstream_timeout', 'ERROR: [x] Unable to download webpage: The read operation timed out'],
  ['incomplete', 'ERROR: 500 bytes read, 300 more expected'],
  ['incomplete', 'ERROR: Downloaded 500 bytes, expected 800 bytes'],
  ['upstream_error', 'ERROR: [x] Unable to download webpage: HTTP Error 500: Internal Server Error'],
  ['upstream_error', 'ERROR: unable to download video data: HTTP Error 403: Forbidden'],
  ['upstream_error', 'ERROR: something nobody has seen before'],
];

describe("yt-dlp's messages", () => {
  it.each(MESSAGES)('sorts as %s: %s', (code, message) => {
    expect(ytdlpFailure(`WARNING: [x] HTTP Error 429 was ignored\n${message}\n`).code).toBe(code);
  });

  it('are covered by a test for each row of the table', () => {
    const matched = MESSAGES.map(([, message]) => YTDLP_FAILURES.find((row) => row.fragment.test(message)));
    for (const row of YTDLP_FAILURES) expect(matched).toContain(row);
  });

  it('never reach the caller as they are', () => {
    const error = ytdlpFailure('ERROR: [x] /home/someone/secret: Private video');
    expect(error.message).toBe('The video is private.');
  });
});
