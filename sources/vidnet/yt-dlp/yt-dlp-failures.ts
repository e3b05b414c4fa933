import type { FailureCode } from '../../../contract/failures.ts';
import { JobError } from '../../../runtime/job-error.ts';

/** What a run of yt-dlp is about. */
export type Subject = 'video' | 'channel' | 'page';

interface Row {
  readonly fragment: RegExp;
  /** What a warning must say too: some errors have their reason there. */
  readonly warning?: RegExp;
  readonly code: FailureCode;
  /** `{subject}` is replaced. */
  readonly message: string;
}

/**
 * yt-dlp's messages, sorted. The first row that matches counts, so narrow fragments stand before wide ones. Apostrophes
 * are left out: the platform writes them straight or curled.
 */
export const YTDLP_FAILURES: readonly Row[] = [
  {
    fragment: /does not look like a Netscape format cookies file|failed to load cookies/i,
    code: 'tool_missing',
    message: 'The cookie file cannot be read; the operator must check YTDLP_COOKIES_FILE.',
  },
  {
    // This is the answer of the forward proxy (outbound/proxy-refusals.ts).
    fragment: /403:? Target Not Public/,
    code: 'unsupported',
    message: 'The platform links to an address that must not be called.',
  },
  {
    fragment: /50[24]:? Target (?:Unreachable|Timeout)/,
    code: 'upstream_error',
    message: 'The video platform cannot be reached.',
  },
  {
    // Through SOCKS, the errors of an unreachable proxy and an unreachable platform are equal. The proxy is the likelier cause.
    fragment: /Unable to connect to proxy|Tunnel connection failed|Unsupported proxy type|SocksHTTPS?Connection/i,
    code: 'tool_missing',
    message: 'The proxy does not work; the operator must check YTDLP_PROXY.',
  },
  {
    fragment: /wrong --extractor-args formatting/,
    code: 'tool_missing',
    message: 'yt-dlp does not understand its extractor arguments; the operator must check YTDLP_EXTRACTOR_ARGS.',
  },
  {
    fragment: /Invalid plugin directory/,
    code: 'tool_missing',
    message: 'The folder of plugins cannot be read; the operator must check YTDLP_PLUGIN_DIR.',
  },
  {
    fragment: /missing subtitles languages because a PO token/i,
    code: 'tool_missing',
    message: 'The platform gives these captions only with a token; the operator must check YTDLP_EXTRACTOR_ARGS.',
  },
  {
    fragment: /HTTP Error 429|rate-limited by|Too Many Requests/i,
    code: 'rate_limited',
    message: 'The video platform asks us to slow down.',
  },
  {
    fragment: /confirm you.?re not a bot|Please sign in/i,
    warning: /cookies are no longer valid/i,
    code: 'sign_in_required',
    message: 'The video platform asks for a sign-in, and the cookies in YTDLP_COOKIES_FILE have expired.',
  },
  {
    fragment: /confirm you.?re not a bot|Please sign in|captcha|your IP is likely being blocked/i,
    code: 'sign_in_required',
    message: 'The video platform asks for a sign-in from this address.',
  },
  {
    fragment: /private video|video is private|this playlist is private/i,
    code: 'private',
    message: 'The {subject} is private.',
  },
  {
    fragment: /only available for registered users|Login details are needed/i,
    code: 'private',
    message: 'The {subject} is only shown to people who have signed in.',
  },
  {
    fragment:
      /not (?:made this video )?available in your country|blocked it in your country|not available from your location|geo.?restrict|HTTP Error 451/i,
    code: 'geo_blocked',
    message: 'The {subject} is not available in the country of this service.',
  },
  {
    fragment: /confirm your age|age.?restricted|inappropriate for some users/i,
    code: 'age_restricted',
    message: 'The {subject} is age-restricted.',
  },
  {
    fragment: /members-only|members on level|join this channel|Premium members|available to subscribers/i,
    code: 'members_only',
    message: 'The {subject} is for members only.',
  },
  {
    fragment: /requires payment to watch/i,
    code: 'members_only',
    message: 'The {subject} must be paid for.',
  },
  {
    // The page was there a moment ago: the address of its media has run out, and the next run gets a new one.
    fragment: /unable to download video (?:data|subtitles).{0,200}HTTP Error 4(?:03|04|10)|fragment \d+ not found/i,
    code: 'upstream_error',
    message: 'The video platform no longer gives what it offered a moment ago.',
  },
  {
    fragment:
      /removed by the uploader|has been removed|channel was removed|has been terminated|no longer available|video (?:is )?unavailable|video is not available|blocked it on copyright grounds|recording is not available|(?:channel|playlist|video|account) does not exist|HTTP Error 404|HTTP Error 410/i,
    code: 'removed',
    message: 'The {subject} was removed or does not exist.',
  },
  { fragment: /DRM/, code: 'drm_protected', message: 'The {subject} is protected against copying.' },
  {
    fragment: /Premieres in|live event will begin|Premiere will begin|processing this video|is_upcoming/i,
    code: 'not_started',
    message: 'The {subject} has not been published yet.',
  },
  {
    fragment: /is_live|live stream is currently/i,
    code: 'live',
    message: 'The {subject} is a live broadcast that has not ended.',
  },
  {
    // An error without a word is Python's MemoryError. Not one that begins with a carriage return, as those of retries do.
    fragment: /File is larger than max-filesize|File too large|size limit exceeded|MemoryError|^ERROR: *(?![^\n])/im,
    code: 'too_large',
    message: 'What the video platform sends is larger than this service accepts.',
  },
  {
    fragment: /Requested format is not available|No video formats found/i,
    warning: /No supported JavaScript runtime could be found|n challenge solving failed|Signature solving failed/i,
    code: 'tool_missing',
    message: 'yt-dlp needs a JavaScript runtime for this platform; the operator must check YTDLP_JS_RUNTIME.',
  },
  {
    fragment: /Requested format is not available|No video formats found/i,
    code: 'no_audio',
    message: 'The {subject} has no audio that can be fetched.',
  },
  {
    fragment: /Unsupported URL|is not a valid URL/i,
    code: 'unsupported',
    message: 'The page of the {subject} cannot be read.',
  },
  {
    // JSON in JSON in JSON.
    fragment: /maximum recursion depth exceeded/,
    code: 'unsupported',
    message: 'The page of the {subject} cannot be read.',
  },
  {
    fragment: /No space left on device|Disk quota exceeded/i,
    code: 'disk_full',
    message: 'The service has no space left.',
  },
  { fragment: /timed out|timeout/i, code: 'upstream_timeout', message: 'The video platform did not answer in time.' },
  {
    fragment:
      /bytes read, \d+ more expected|did not get any data|more expected|Downloaded \d+ bytes, expected|content too short|Incomplete (?:yt initial )?data received|downloaded file is empty/i,
    code: 'incomplete',
    message: 'The video platform ended the transfer too early.',
  },
  {
    fragment:
      /Failed to establish a new connection|Connection (?:aborted|reset|refused)|Failed to resolve|Name or service not known|\[SSL|CERTIFICATE_VERIFY_FAILED|TransportError/i,
    code: 'upstream_error',
    message: 'The video platform cannot be reached.',
  },
  {
    // A file that is refused says nothing of its page, whatever that warned of before.
    fragment: /^ERROR: *(?:\r?\[download\] Got error:|Unable to download video subtitles)/im,
    code: 'upstream_error',
    message: 'The video platform could not be read.',
  },
];

/** @param stderrTail what yt-dlp printed before it gave up */
export function ytdlpFailure(stderrTail: string, subject: Subject): JobError {
  const errors = linesOf(stderrTail, 'ERROR:');
  // Without such a line, yt-dlp crashed, and all of its output is searched.
  const failureOfErrors = sorted(errors === '' ? stderrTail : errors, stderrTail, subject);
  // Where a lack of media is a mere warning, so is the refusal, and what fails afterwards fails for want of a page.
  const saysNothing = failureOfErrors === undefined || failureOfErrors.code === 'no_audio';
  return (
    (saysNothing && subject !== 'channel' ? refusalBefore(stderrTail, subject) : undefined) ??
    failureOfErrors ??
    failure({ code: 'upstream_error', message: 'The video platform could not be read.' }, stderrTail, subject)
  );
}

/** What the platform says of a video, and never of a single request. */
const REFUSALS: ReadonlySet<FailureCode> = new Set([
  'private',
  'removed',
  'geo_blocked',
  'age_restricted',
  'members_only',
  'not_started',
]);

function refusalBefore(stderrTail: string, subject: Subject): JobError | undefined {
  const warnings = linesOf(stderrTail, 'WARNING:').split('\n');
  // A picture that answers 404 is no video that was removed.
  const ofVideo = warnings.filter((line) => !line.includes('HTTP Error')).join('\n');
  const refusal = sorted(ofVideo, stderrTail, subject);
  return refusal !== undefined && REFUSALS.has(refusal.code) ? refusal : undefined;
}

/**
 * Why a page shows nothing, after a run that takes the lack of media as a warning.
 *
 * @returns undefined when the warnings speak of nothing but media that are missing, or protected
 */
export function ytdlpRefusal(stderrTail: string, subject: Subject): JobError | undefined {
  const refusal = sorted(linesOf(stderrTail, 'WARNING:'), stderrTail, subject);
  return refusal?.code === 'no_audio' || refusal?.code === 'drm_protected' ? undefined : refusal;
}

function sorted(text: string, stderrTail: string, subject: Subject): JobError | undefined {
  const warnings = linesOf(stderrTail, 'WARNING:');
  const row = YTDLP_FAILURES.find(
    ({ fragment, warning }) => fragment.test(text) && (warning === undefined || warning.test(warnings)),
  );
  return row === undefined ? undefined : failure(row, stderrTail, subject);
}

function failure({ code, message }: Pick<Row, 'code' | 'message'>, stderrTail: string, subject: Subject): JobError {
  return new JobError(code, sentenceOn(subject, message), { cause: new Error(stderrTail.slice(-2_000)) });
}

/** @param message with `{subject}`, where it names the subject of the request */
export function sentenceOn(subject: Subject, message: string): string {
  if (subject !== 'page') return message.replace('{subject}', subject);
  return message
    .replace('page of the {subject}', 'page')
    .replace('{subject}', 'page')
    .replace(/(T|t)he video platform/, '$1he site');
}

function linesOf(text: string, prefix: string): string {
  return text
    .split('\n')
    .filter((line) => line.startsWith(prefix))
    .join('\n');
}
