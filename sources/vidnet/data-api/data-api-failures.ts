import { z } from 'zod';
import { failureFor, type Failure, type ReasonWith } from '../../../contract/failures.ts';
import { JobError } from '../../../runtime/job-error.ts';
import { retryAfterAtMs } from '../../../runtime/retry-after.ts';
import type { Listed } from './data-api-schemas.ts';

const reasonSchema = z.object({ reason: z.string().catch(''), domain: z.string().catch('') });

/** The documented form has `errors`. Newer front ends add `details`. */
const errorBodySchema = z.object({
  error: z.object({
    message: z.string().catch(''),
    errors: z.array(reasonSchema).catch([]),
    details: z.array(reasonSchema.extend({ metadata: z.record(z.string(), z.unknown()).catch({}) })).catch([]),
  }),
});

export interface Refusal {
  readonly status: number;
  readonly body: unknown;
  readonly retryAfter: string | undefined;
}

interface Row {
  readonly reason: ReasonWith<'subject'>;
  readonly subject?: 'channel' | 'video';
  readonly reasons?: readonly string[];
  readonly when?: (details: ReturnType<typeof detailsOf>) => boolean;
}

/**
 * The Data API's refusals. The first row that matches counts. Sources: https://developers.google.com/youtube/v3/docs/errors (reasons of the methods),
 * https://developers.google.com/youtube/v3/docs/core_errors (those of all Google APIs),
 * https://cloud.google.com/php/docs/reference/common-protos/latest/Api.ErrorReason (the ones in capitals).
 */
export const DATA_API_FAILURES: readonly Row[] = [
  {
    reason: 'dataApiQuotaExceeded',
    reasons: ['quotaExceeded', 'dailyLimitExceeded'],
    // Newer daily quotas are refused as 429 rateLimitExceeded, and only the text shows that they are daily.
    when: ({ message, limit }) => /per day/i.test(message) || /PerDay/i.test(limit),
  },
  {
    reason: 'dataApiKeyRejected',
    reasons: [
      ...['keyInvalid', 'keyExpired', 'accessNotConfigured', 'ipRefererBlocked', 'authError'],
      ...['dailyLimitExceededUnreg', 'rateLimitExceededUnreg', 'userRateLimitExceededUnreg', 'unregistered'],
      ...['API_KEY_INVALID', 'API_KEY_SERVICE_BLOCKED', 'API_KEY_HTTP_REFERRER_BLOCKED', 'API_KEY_IP_ADDRESS_BLOCKED'],
      ...['API_KEY_ANDROID_APP_BLOCKED', 'API_KEY_IOS_APP_BLOCKED', 'SERVICE_DISABLED'],
      ...['CONSUMER_INVALID', 'CONSUMER_SUSPENDED', 'BILLING_DISABLED', 'CREDENTIALS_MISSING'],
    ],
    when: ({ status, message }) => status === 401 || (status === 400 && /\bAPI key\b/i.test(message)),
  },
  {
    reason: 'dataApiRateLimited',
    reasons: [
      ...['rateLimitExceeded', 'userRateLimitExceeded', 'servingLimitExceeded', 'concurrentLimitExceeded'],
      ...['RATE_LIMIT_EXCEEDED', 'RESOURCE_QUOTA_EXCEEDED'],
    ],
    when: ({ status }) => status === 429,
  },
  { reason: 'subjectRemoved', subject: 'video', reasons: ['videoNotFound'] },
  {
    reason: 'subjectRemoved',
    subject: 'channel',
    reasons: ['channelNotFound', 'channelClosed', 'channelSuspended', 'playlistNotFound'],
  },
  {
    reason: 'channelHidesVideos',
    reasons: ['playlistItemsNotAccessible', 'channelForbidden', 'playlistForbidden'],
    // `forbidden` in the domain of a method concerns the resource; in the global domain it concerns the API key.
    when: ({ forbiddenBy }) => forbiddenBy.some((domain) => /^youtube\.(channel|playlist)/.test(domain)),
  },
  {
    reason: 'isPrivate',
    subject: 'video',
    when: ({ forbiddenBy }) => forbiddenBy.some((domain) => /^youtube\.(video|comment)/.test(domain)),
  },
  {
    reason: 'dataApiKeyRejected',
    when: ({ status, reasons }) =>
      status === 403 && reasons.every((reason) => ['forbidden', 'insufficientPermissions'].includes(reason)),
  },
  {
    reason: 'dataApiTimeout',
    reasons: ['gatewayTimeout'],
    when: ({ status }) => status === 408 || status === 504,
  },
];

export class DataApiError extends JobError {
  readonly reasons: readonly string[];

  constructor(failure: Failure, options: { cause: Error; retryAtMs: number | undefined; reasons: readonly string[] }) {
    super(failure, options);
    this.reasons = options.reasons;
  }
}

/** @param what the called method, such as `channels.list` */
export function dataApiFailure(what: string, refusal: Refusal, nowMs: number): DataApiError {
  const details = detailsOf(refusal);
  const row: Row = DATA_API_FAILURES.find(
    ({ reasons = [], when }) => reasons.some((reason) => details.reasons.includes(reason)) || when?.(details) === true,
  ) ?? { reason: 'dataApiFailed' };
  const cause = new Error(
    `${what} was answered ${String(details.status)} (${details.reasons.join(', ') || 'no reason'}): ${details.message.slice(0, 500)}`,
  );
  const headerMs = retryAfterAtMs(refusal.retryAfter, nowMs);
  const failure = failureFor(row.reason, { subject: row.subject ?? 'video' });
  return new DataApiError(failure, {
    cause,
    retryAtMs: failure.code === 'quota_exceeded' ? quotaResetAfter(nowMs) : headerMs,
    reasons: details.reasons,
  });
}

export function isRefusedFor(error: unknown, reason: string): boolean {
  return error instanceof DataApiError && error.reasons.includes(reason);
}

/** @returns a handler of errors that replaces refusals for a reason by a page without items */
export function noneWhen(reason: string): (error: unknown) => Listed<never> {
  return (error) => {
    if (isRefusedFor(error, reason)) return { items: [], nextPageToken: undefined };
    throw error;
  };
}

function detailsOf({ status, body }: Refusal) {
  const parsed = errorBodySchema.safeParse(body);
  if (!parsed.success) return { status, reasons: [], forbiddenBy: [], message: '', limit: '' };
  const { message, errors, details } = parsed.data.error;
  const all = [...errors, ...details];
  return {
    status,
    reasons: all.map(({ reason }) => reason).filter((reason) => reason !== ''),
    /** The domains of the refusals whose reason is only `forbidden`. */
    forbiddenBy: errors.filter(({ reason }) => reason === 'forbidden').map(({ domain }) => domain),
    message,
    /** The name of the exceeded limit, if the details state it. */
    limit: details
      .map(({ metadata }) => metadata['quota_limit'])
      .filter((limit) => typeof limit === 'string')
      .join(' '),
  };
}

/** Daily quotas are renewed at midnight, Pacific time: https://developers.google.com/youtube/v3/determine_quota_cost */
export function quotaResetAfter(nowMs: number): number {
  const local = new Date(pacificClockMs(nowMs));
  const midnight = Date.UTC(local.getUTCFullYear(), local.getUTCMonth(), local.getUTCDate() + 1);
  // The current offset is wrong if the clocks change before midnight. They never change at midnight.
  const aboutThen = midnight - offsetMs(nowMs);
  return midnight - offsetMs(aboutThen);
}

function offsetMs(atMs: number): number {
  return pacificClockMs(atMs) - Math.floor(atMs / 1000) * 1000;
}

/** The local time as if it were UTC, in whole seconds. */
function pacificClockMs(atMs: number): number {
  // In Swedish, dates and times are written as in ISO 8601.
  return Date.parse(`${new Date(atMs).toLocaleString('sv-SE', { timeZone: 'America/Los_Angeles' })}Z`);
}
