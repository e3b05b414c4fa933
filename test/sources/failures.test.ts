import { describe, expect, it } from 'vitest';
import type { FailureCode } from '../../contract/failures.ts';
import { YTDLP_FAILURES, ytdlpFailure, ytdlpRefusal } from '../../sources/vidnet/yt-dlp/yt-dlp-failures.ts';

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
  [
    'unsupported',
    "ERROR: unable to download video data: ('Unable to connect to proxy', OSError('Tunnel connection failed: 403 Target Not Public'))",
  ],
  ['unsupported', 'ERROR: unable to download video data: HTTP Error 403: Target Not Public'],
  [
    'upstream_error',
    "ERROR: [generic] x: Unable to download webpage: ('Unable to connect to proxy', OSError('Tunnel connection failed: 502 Target Unreachable'))",
  ],
  ['upstream_error', 'ERROR: [generic] x: Unable to download webpage: HTTP Error 504: Target Timeout'],
  ['too_large', 'ERROR: [generic] x: MemoryError'],
  ['too_large', 'ERROR: '],
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
  ['removed', 'ERROR: [youtube:tab] @x: YouTube said: This channel does not exist.'],
  [
    'removed',
    "ERROR: [youtube:tab] @x: YouTube said: This account has been terminated for violating Google's Terms of Service.",
  ],
  [
    'removed',
    'ERROR: [youtube:tab] x: YouTube said: This channel was removed because it violated our Community Guidelines.',
  ],
  [
    'removed',
    'ERROR: [youtube:tab] @x: The channel/playlist does not exist and the URL redirected to youtube.com home page',
  ],
  [
    'removed',
    'ERROR: [youtube] x: Video unavailable. This video contains content from Y, who has blocked it on copyright grounds',
  ],
  ['removed', 'ERROR: [youtube] x: This live stream recording is not available.'],
  [
    'geo_blocked',
    'ERROR: [youtube] x: Video unavailable. This video contains content from Y, who has blocked it in your country on copyright grounds',
  ],
  ['geo_blocked', 'ERROR: [x] x: This video is not available from your location due to geo restriction'],
  [
    'geo_blocked',
    'ERROR: [generic] x: Unable to download webpage: HTTP Error 451: Unavailable For Legal Reasons (caused by <HTTPError 451>)',
  ],
  ['members_only', 'ERROR: [youtube] x: This video is only available to Music Premium members'],
  ['members_only', 'ERROR: [youtube] x: This video requires payment to watch.'],
  ['private', 'ERROR: [x] x: This video is only available for registered users. Use --cookies-from-browser'],
  [
    'sign_in_required',
    'WARNING: [youtube] The provided YouTube account cookies are no longer valid. They have likely been rotated\nERROR: [youtube] x: Sign in to confirm you’re not a bot.',
  ],
  ['sign_in_required', 'ERROR: [youtube] x: Error. YouTube is requiring a captcha challenge before playback'],
  [
    'sign_in_required',
    'ERROR: [youtube] x: All player responses are invalid. Your IP is likely being blocked by Youtube',
  ],
  ['sign_in_required', 'ERROR: [youtube] x: Please sign in. Use --cookies-from-browser or --cookies'],
  ['tool_missing', "ERROR: '/tmp/x/cookies.txt' does not look like a Netscape format cookies file"],
  [
    'tool_missing',
    "ERROR: [generic] x: Unable to download webpage: ('Unable to connect to proxy', OSError('Tunnel connection failed: 407 Proxy Authentication Required')) (caused by ProxyError())",
  ],
  [
    'tool_missing',
    "ERROR: [generic] x: Unable to download webpage: SocksHTTPSConnection(host='127.0.0.1', port=4818): Failed to establish a new connection: [Errno 111] Connection refused",
  ],
  ['tool_missing', 'ERROR: Unable to handle request: Unsupported proxy type: "foo" (requests, urllib)'],
  [
    'tool_missing',
    '\nUsage: yt-dlp [OPTIONS] URL [URL...]\n\nyt-dlp: error: wrong --extractor-args formatting; it should be IE_KEY:ARGS, not "foo"',
  ],
  ['tool_missing', 'Traceback (most recent call last):\nValueError: Invalid plugin directory: /nonexistent'],
  [
    'tool_missing',
    'WARNING: [youtube] No supported JavaScript runtime could be found. Only deno is enabled by default\nERROR: [youtube] x: Requested format is not available. Use --list-formats for a list of available formats',
  ],
  [
    'tool_missing',
    'WARNING: [youtube] x: n challenge solving failed: Some formats may be missing.\nERROR: [youtube] x: Requested format is not available. Use --list-formats for a list of available formats',
  ],
  [
    'tool_missing',
    'WARNING: [youtube] x: There are missing subtitles languages because a PO token was not provided. Automatic captions for 1 languages are missing.',
  ],
  ['not_started', "ERROR: [youtube] x: We're processing this video. Check back later."],
  ['not_started', 'ERROR: [youtube] x: Premieres in 3 hours'],
  [
    'unsupported',
    'ERROR: [x] x: --live-from-start is passed, but there are no formats that can be downloaded from the start.',
  ],
  ['not_started', 'ERROR: [youtube] x: This live event will begin in 20 minutes.'],
  ['live', 'ERROR: [x] The live stream is currently running'],
  ['too_large', 'ERROR: unable to write data: [Errno 27] File too large'],
  ['no_audio', 'ERROR: [x] x: Requested format is not available. Use --list-formats for a list of available formats'],
  ['unsupported', 'ERROR: Unsupported URL: http://127.0.0.1/x'],
  ['unsupported', 'ERROR: maximum recursion depth exceeded while decoding a JSON object from a unicode string'],
  ['unsupported', 'ERROR: Initialization fragment found after media fragments, unable to download'],
  ['disk_full', 'ERROR: unable to write data: [Errno 28] No space left on device'],
  ['upstream_timeout', 'ERROR: [x] Unable to download webpage: The read operation timed out'],
  ['incomplete', 'ERROR: 500 bytes read, 300 more expected'],
  ['incomplete', 'ERROR: Downloaded 500 bytes, expected 800 bytes'],
  ['upstream_error', 'ERROR: [x] Unable to download webpage: HTTP Error 500: Internal Server Error'],
  ['incomplete', 'ERROR: content too short (expected 500 bytes and served 200)'],
  ['incomplete', 'ERROR: [youtube:tab] x: Incomplete data received'],
  ['incomplete', 'ERROR: Did not get any data blocks'],
  ['upstream_error', 'ERROR: unable to download video data: HTTP Error 403: Forbidden'],
  ['upstream_error', 'ERROR: unable to download video data: HTTP Error 404: Not Found'],
  ['upstream_error', "ERROR: Unable to download video subtitles for 'und': HTTP Error 404: Not Found"],
  ['rate_limited', "ERROR: Unable to download video subtitles for 'und': HTTP Error 429: Too Many Requests"],
  [
    'upstream_error',
    "ERROR: [generic] x: Unable to download webpage: HTTPConnection(host='127.0.0.1', port=1): Failed to establish a new connection: [Errno 111] Connection refused (caused by TransportError())",
  ],
  [
    'upstream_error',
    "ERROR: [generic] x: Unable to download webpage: ('Connection aborted.', ConnectionResetError(104, 'Connection reset by peer'))",
  ],
  [
    'upstream_error',
    "ERROR: [generic] x: Unable to download webpage: HTTPConnection(host='nonexistent.invalid', port=80): Failed to resolve 'nonexistent.invalid' ([Errno -2] Name or service not known)",
  ],
  ['upstream_error', 'ERROR: [download] Got error: HTTP Error 500: Internal Server Error. Giving up after 2 retries'],
  ['upstream_error', 'ERROR: something nobody has seen before'],
];

const warningsOf = (text: string): string =>
  text
    .split('\n')
    .filter((line) => line.startsWith('WARNING:'))
    .join('\n');

describe("yt-dlp's messages", () => {
  it.each(MESSAGES)('map to %s: %s', (code, message) => {
    expect(ytdlpFailure(`WARNING: [x] HTTP Error 429 was ignored\n${message}\n`, 'video').code).toBe(code);
  });

  it('are tested for each row of the table', () => {
    const matched = MESSAGES.map(([, message]) =>
      YTDLP_FAILURES.find(
        ([fragment, , warning]) =>
          fragment.test(message) && (warning === undefined || warning.test(warningsOf(message))),
      ),
    );
    for (const row of YTDLP_FAILURES) expect(matched).toContain(row);
  });

  it.each([
    ["ERROR: [youtube] x: An extractor error has occurred. (caused by KeyError('liveStatus'))", 'removed'],
    ['ERROR: [youtube] x: Requested format is not available', 'removed'],
    ['ERROR: [youtube] x: Unable to download webpage: HTTP Error 429: Too Many Requests', 'rate_limited'],
    ['ERROR: unable to write data: [Errno 28] No space left on device', 'disk_full'],
  ])('that say nothing are sorted by the refusal that was a warning: %s', (error, code) => {
    expect(ytdlpFailure(`WARNING: [youtube] x: Video unavailable\n${error}\n`, 'video').code).toBe(code);
  });

  it.each([
    'WARNING: [youtube] x: Unable to download a picture: HTTP Error 404: Not Found',
    'WARNING: [youtube] x: The read operation timed out',
  ])('that say nothing are not sorted by a warning of something else: %s', (warning) => {
    expect(ytdlpFailure(`${warning}\nERROR: something nobody has seen before\n`, 'video').code).toBe('upstream_error');
  });

  it.each([
    'ERROR: \r[download] Got error: HTTP Error 500: Internal Server Error. Giving up after 2 retries',
    "ERROR: Unable to download video subtitles for 'en': something nobody has seen before",
  ])('of a file that is refused are not sorted by a warning of its page: %j', (error) => {
    expect(ytdlpFailure(`WARNING: [youtube] x: Private video\n${error}\n`, 'video').code).toBe('upstream_error');
  });

  it('about a channel are not mapped by a warning about one of its videos', () => {
    const stderr = 'WARNING: [youtube] x: Private video\nERROR: something nobody has seen before\n';
    expect(ytdlpFailure(stderr, 'channel').code).toBe('upstream_error');
  });

  it('never reach the caller unchanged', () => {
    const error = ytdlpFailure('ERROR: [x] /home/someone/secret: Private video', 'video');
    expect(error.message).toBe('The video is private.');
  });

  it('name the subject of the request', () => {
    const error = ytdlpFailure('ERROR: [youtube:tab] @x: YouTube said: This channel does not exist.', 'channel');
    expect(error.message).toBe('The channel was removed or does not exist.');
  });

  it.each([
    ['YTDLP_JS_RUNTIME', /JavaScript runtime/],
    ['YTDLP_PROXY', /proxy/],
    ['YTDLP_COOKIES_FILE', /expired/],
  ])('name the setting when the operator must act: %s', (setting, sentence) => {
    const messages = MESSAGES.map(([, message]) => ytdlpFailure(message, 'video').message);
    expect(messages.find((message) => sentence.test(message))).toContain(setting);
  });

  it('that are warnings become failures only if they say more than that media are missing', () => {
    const nothing = 'WARNING: No video formats found!\nWARNING: Requested format is not available\n';
    expect(ytdlpRefusal(nothing, 'video')).toBeUndefined();
    expect(ytdlpRefusal(`WARNING: [youtube] x: This video is DRM protected\n${nothing}`, 'video')).toBeUndefined();
    expect(ytdlpRefusal(`WARNING: [youtube] x: Private video. Sign in\n${nothing}`, 'video')?.code).toBe('private');
    expect(ytdlpRefusal(`WARNING: [youtube] n challenge solving failed\n${nothing}`, 'video')?.code).toBe(
      'tool_missing',
    );
  });
});
