import { failureFor, type FailureCode, type ReasonWith } from '../../../contract/failures.ts';
import { JobError } from '../../../runtime/job-error.ts';

export type Subject = 'video' | 'channel' | 'playlist' | 'page';

/** The values of sentences about a subject (contract/failures.ts). */
const SUBJECT_VALUES = {
  video: { subject: 'video', page: 'page of the video', upstream: 'video platform' },
  channel: { subject: 'channel', page: 'page of the channel', upstream: 'video platform' },
  playlist: { subject: 'playlist', page: 'page of the playlist', upstream: 'video platform' },
  page: { subject: 'page', page: 'page', upstream: 'site' },
} as const satisfies Record<Subject, object>;

type SubjectReason = ReasonWith<'subject' | 'page' | 'upstream'>;

export function subjectError(reason: SubjectReason, subject: Subject, cause?: unknown): JobError {
  return new JobError(failureFor(reason, SUBJECT_VALUES[subject]), { cause });
}

/**
 * yt-dlp's messages. The first row that matches counts. If a row has a warning, it must match too, because some errors state
 * their reason there. Patterns omit apostrophes, which may be straight or curled.
 */
export const YTDLP_FAILURES: readonly (readonly [fragment: RegExp, reason: SubjectReason, warning?: RegExp])[] = [
  [/does not look like a Netscape format cookies file|failed to load cookies/i, 'cookiesUnreadable'],
  // This is the answer of the forward proxy (outbound/forward-proxy.ts).
  [/403:? Target Not Public/, 'addressForbidden'],
  [/50[24]:? Target (?:Unreachable|Timeout)/, 'upstreamUnreachable'],
  // Through SOCKS, the errors of an unreachable proxy and an unreachable platform are equal. The proxy is the likelier cause.
  [/Unable to connect to proxy|Tunnel connection failed|Unsupported proxy type|SocksHTTPS?Connection/i, 'proxyBroken'],
  [/wrong --extractor-args formatting/, 'extractorArgsRejected'],
  [/Invalid plugin directory/, 'pluginsUnreadable'],
  [/missing subtitles languages because a PO token/i, 'captionsNeedToken'],
  [/HTTP Error 429|rate-limited by|Too Many Requests/i, 'platformRateLimited'],
  [/confirm you.?re not a bot|Please sign in/i, 'cookiesExpired', /cookies are no longer valid/i],
  [/confirm you.?re not a bot|Please sign in|captcha|your IP is likely being blocked/i, 'signInRequired'],
  [/private video|video is private|this playlist is private/i, 'isPrivate'],
  [/only available for registered users|Login details are needed/i, 'signedInOnly'],
  [
    /not (?:made this video )?available in your country|blocked it in your country|not available from your location|geo.?restrict|HTTP Error 451/i,
    'geoBlocked',
  ],
  [/confirm your age|age.?restricted|inappropriate for some users/i, 'ageRestricted'],
  [/members-only|members on level|join this channel|Premium members|available to subscribers/i, 'membersOnly'],
  [/requires payment to watch/i, 'paymentRequired'],
  // The URL of the media has expired. The next run gets a new one.
  [
    /unable to download video (?:data|subtitles).{0,200}HTTP Error 4(?:03|04|10)|fragment \d+ not found/i,
    'mediaLinkExpired',
  ],
  [
    /removed by the uploader|has been removed|channel was removed|has been terminated|no longer available|video (?:is )?unavailable|video is not available|blocked it on copyright grounds|recording is not available|(?:channel|playlist|video|account) does not exist|HTTP Error 404|HTTP Error 410/i,
    'subjectRemoved',
  ],
  [/DRM/, 'drmProtected'],
  [/Premieres in|live event will begin|Premiere will begin|processing this video|is_upcoming/i, 'notStarted'],
  [/no formats that can be downloaded from the start/, 'notFromStart'],
  [/is_live|live stream is currently/i, 'isLive'],
  // An error without text is Python's MemoryError. Errors of retries begin with a carriage return instead.
  [
    /File is larger than max-filesize|File too large|size limit exceeded|MemoryError|^ERROR: *(?![^\n])/im,
    'upstreamDataTooLarge',
  ],
  [
    /Requested format is not available|No video formats found/i,
    'javascriptRuntimeMissing',
    /No supported JavaScript runtime could be found|n challenge solving failed|Signature solving failed/i,
  ],
  [/Requested format is not available|No video formats found/i, 'noFetchableAudio'],
  [/Unsupported URL|is not a valid URL/i, 'pageUnreadable'],
  // The page has JSON that is nested too deeply.
  [/maximum recursion depth exceeded/, 'pageUnreadable'],
  // yt-dlp downloads such streams with other programs only, or not at all.
  [
    /Initialization fragment found after media fragments|download detected but|Live DASH videos are not supported/,
    'mediaFormatUnsupported',
  ],
  [/No space left on device|Disk quota exceeded/i, 'diskFull'],
  [/timed out|timeout/i, 'upstreamTimeout'],
  [
    /bytes read, \d+ more expected|did not get any data|more expected|Downloaded \d+ bytes, expected|content too short|Incomplete (?:yt initial )?data received|downloaded file is empty/i,
    'transferIncomplete',
  ],
  [
    /Failed to establish a new connection|Connection (?:aborted|reset|refused)|Failed to resolve|Name or service not known|\[SSL|CERTIFICATE_VERIFY_FAILED|TransportError/i,
    'upstreamUnreachable',
  ],
  // A failed file says nothing about its page, even if the page had warnings.
  [/^ERROR: *(?:\r?\[download\] Got error:|Unable to download video subtitles)/im, 'upstreamFailed'],
];

export function ytdlpFailure(stderrTail: string, subject: Subject): JobError {
  const errors = linesOf(stderrTail, 'ERROR:');
  // Without such a line, yt-dlp crashed, and all of its output is searched.
  const failureOfErrors = find(errors === '' ? stderrTail : errors, stderrTail, subject);
  // If a lack of media is only a warning, the platform's reason is a warning too, and a later error follows from it.
  const saysNothing = failureOfErrors === undefined || failureOfErrors.code === 'no_audio';
  return (
    (saysNothing && subject !== 'channel' && subject !== 'playlist' ? refusalBefore(stderrTail, subject) : undefined) ??
    failureOfErrors ??
    subjectError('upstreamFailed', subject, new Error(stderrTail.slice(-2_000)))
  );
}

/** Codes that describe a video, and never a single request. */
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
  // A thumbnail that answers 404 does not mean that the video was removed.
  const ofVideo = warnings.filter((line) => !line.includes('HTTP Error')).join('\n');
  const refusal = find(ofVideo, stderrTail, subject);
  return refusal !== undefined && REFUSALS.has(refusal.code) ? refusal : undefined;
}

/** @returns the reason why a page shows nothing; undefined when the warnings mention only missing or protected media */
export function ytdlpRefusal(stderrTail: string, subject: Subject): JobError | undefined {
  const refusal = find(linesOf(stderrTail, 'WARNING:'), stderrTail, subject);
  return refusal?.code === 'no_audio' || refusal?.code === 'drm_protected' ? undefined : refusal;
}

function find(text: string, stderrTail: string, subject: Subject): JobError | undefined {
  const warnings = linesOf(stderrTail, 'WARNING:');
  const [, reason] =
    YTDLP_FAILURES.find(
      ([fragment, , warning]) => fragment.test(text) && (warning === undefined || warning.test(warnings)),
    ) ?? [];
  return reason && subjectError(reason, subject, new Error(stderrTail.slice(-2_000)));
}

interface BroadcastFacts {
  readonly live_status?: string | null | undefined;
  /** The announced start, in seconds since the epoch. */
  readonly release_timestamp?: number | null | undefined;
}

export function broadcastFailure({ live_status, release_timestamp }: BroadcastFacts): JobError | undefined {
  if (live_status === 'is_live') return subjectError('isLive', 'video');
  if (live_status !== 'is_upcoming') return undefined;
  const retryAtMs = typeof release_timestamp === 'number' ? release_timestamp * 1000 : undefined;
  return new JobError(failureFor('notStarted', SUBJECT_VALUES.video), { retryAtMs });
}

function linesOf(text: string, prefix: string): string {
  return text
    .split('\n')
    .filter((line) => line.startsWith(prefix))
    .join('\n');
}
