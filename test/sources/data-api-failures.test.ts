import { describe, expect, it } from 'vitest';
import { failureFor, type FailureCode } from '../../contract/failures.ts';
import { DATA_API_FAILURES, dataApiFailure, isRefusedFor } from '../../sources/vidnet/data-api/data-api-failures.ts';
import { JobError } from '../../runtime/job-error.ts';

const NOW = Date.parse('2026-07-15T12:00:00Z');
const MIDNIGHT = Date.parse('2026-07-16T07:00:00Z');

/** As the Data API documents it. */
function body(reason: string, domain = 'global', message = 'A message.'): unknown {
  return { error: { code: 403, message, errors: [{ message, domain, reason }] } };
}

/** As the front ends of Google's newer APIs word it. */
function bodyWithInfo(reason: string, info: Record<string, unknown>, message = 'A message.'): unknown {
  return {
    error: {
      message,
      status: 'INVALID_ARGUMENT',
      errors: [{ message, domain: 'global', reason }],
      details: [
        { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', domain: 'googleapis.com', ...info },
        { '@type': 'type.googleapis.com/google.rpc.LocalizedMessage', locale: 'en-US', message },
      ],
    },
  };
}

const VIDEO = /^The video /;
const CHANNEL = /^The channel /;
const KEY = /VIDNET_API_KEY/;
const API = /^The Data API /;

const ANSWERS: readonly (readonly [FailureCode, number, unknown, RegExp])[] = [
  ['quota_exceeded', 403, body('quotaExceeded', 'youtube.quota'), /quota/],
  ['quota_exceeded', 403, body('dailyLimitExceeded', 'usageLimits'), /quota/],
  ['quota_exceeded', 429, body('rateLimitExceeded', 'global', "limit 'Queries per day' of service"), /quota/],
  [
    'quota_exceeded',
    429,
    bodyWithInfo('rateLimitExceeded', {
      reason: 'RATE_LIMIT_EXCEEDED',
      metadata: { quota_limit: 'defaultPerDayPerProject' },
    }),
    /quota/,
  ],
  ['tool_missing', 400, body('keyInvalid', 'usageLimits', 'Bad Request'), KEY],
  ['tool_missing', 400, body('keyExpired', 'usageLimits'), KEY],
  ['tool_missing', 400, bodyWithInfo('badRequest', { reason: 'API_KEY_INVALID' }), KEY],
  ['tool_missing', 400, body('badRequest', 'global', 'API key not valid. Please pass a valid API key.'), KEY],
  ['tool_missing', 403, body('accessNotConfigured', 'usageLimits'), KEY],
  ['tool_missing', 403, bodyWithInfo('forbidden', { reason: 'SERVICE_DISABLED' }), KEY],
  ['tool_missing', 403, body('ipRefererBlocked', 'usageLimits'), KEY],
  ['tool_missing', 403, bodyWithInfo('forbidden', { reason: 'API_KEY_IP_ADDRESS_BLOCKED' }), KEY],
  ['tool_missing', 403, body('dailyLimitExceededUnreg', 'usageLimits'), KEY],
  ['tool_missing', 403, body('forbidden'), KEY],
  ['tool_missing', 403, {}, KEY],
  ['tool_missing', 401, body('authError'), KEY],
  ['tool_missing', 401, '<html>', KEY],
  ['rate_limited', 403, body('rateLimitExceeded', 'usageLimits'), API],
  ['rate_limited', 403, body('userRateLimitExceeded', 'usageLimits'), API],
  ['rate_limited', 429, body('rateLimitExceeded', 'global', "limit 'Queries per minute' of service"), API],
  ['rate_limited', 429, 'Too Many Requests', API],
  ['removed', 404, body('videoNotFound', 'youtube.commentThread'), VIDEO],
  ['removed', 404, body('channelNotFound', 'youtube.channel'), CHANNEL],
  ['removed', 403, body('channelClosed', 'youtube.common'), CHANNEL],
  ['removed', 403, body('channelSuspended', 'youtube.common'), CHANNEL],
  ['removed', 404, body('playlistNotFound', 'youtube.playlistItem'), CHANNEL],
  ['private', 403, body('playlistItemsNotAccessible', 'youtube.playlistItem'), CHANNEL],
  ['private', 403, body('forbidden', 'youtube.channel'), CHANNEL],
  ['private', 403, body('forbidden', 'youtube.commentThread'), VIDEO],
  ['upstream_timeout', 504, 'Gateway Timeout', API],
  ['upstream_timeout', 503, body('gatewayTimeout'), API],
  ['upstream_timeout', 408, undefined, API],
  ['upstream_error', 500, body('backendError'), API],
  ['upstream_error', 500, body('internalError'), API],
  ['upstream_error', 503, 'Service Unavailable', API],
  ['upstream_error', 400, body('processingFailure', 'youtube.commentThread'), API],
  ['upstream_error', 400, body('missingRequiredParameter', 'youtube.parameter'), API],
  ['upstream_error', 403, body('quotaOfAKindThatNobodyKnowsYet'), API],
  ['upstream_error', 404, '<html>Not Found</html>', API],
  ['upstream_error', 302, '', API],
  ['upstream_error', 400, { error: { message: 7, errors: 'none', details: [null] } }, API],
  ['upstream_error', 400, null, API],
];

const textOf = ({ reason, subject = 'video' }: (typeof DATA_API_FAILURES)[number]): string => {
  const { code, message } = failureFor(reason, { subject });
  return `${code} ${message}`;
};

describe('refusals of the Data API', () => {
  it.each(ANSWERS)('%s: %i %j', (code, status, answer, message) => {
    const failure = dataApiFailure('channels.list', { status, body: answer, retryAfter: undefined }, NOW);
    expect(failure).toBeInstanceOf(JobError);
    expect(failure.code).toBe(code);
    expect(failure.message).toMatch(message);
    expect(failure.retryAtMs).toBe(code === 'quota_exceeded' ? MIDNIGHT : undefined);
    expect((failure.cause as Error).message).toContain(`channels.list was answered ${String(status)}`);
  });

  it('are tested for each row of the table', () => {
    const met = new Set(
      ANSWERS.map(([, status, answer]) => {
        const { code, message } = dataApiFailure('x', { status, body: answer, retryAfter: undefined }, NOW);
        return `${code} ${message}`;
      }),
    );
    expect(DATA_API_FAILURES.filter((row) => !met.has(textOf(row)))).toEqual([]);
  });

  it('map each reason to its row with any status', () => {
    for (const row of DATA_API_FAILURES) {
      for (const reason of row.reasons ?? []) {
        const failure = dataApiFailure('x', { status: 400, body: body(reason), retryAfter: undefined }, NOW);
        expect([reason, `${failure.code} ${failure.message}`]).toEqual([reason, textOf(row)]);
      }
    }
  });

  it('have the retry time of Retry-After, or midnight for a daily quota', () => {
    const wait = (reason: string): number | undefined =>
      dataApiFailure('x', { status: 429, body: body(reason), retryAfter: '90' }, NOW).retryAtMs;
    expect(wait('rateLimitExceeded')).toBe(NOW + 90_000);
    expect(wait('quotaExceeded')).toBe(MIDNIGHT);
  });

  it('keep the reasons of the API', () => {
    const failure = dataApiFailure('x', { status: 403, body: body('commentsDisabled'), retryAfter: undefined }, NOW);
    expect(isRefusedFor(failure, 'commentsDisabled')).toBe(true);
    expect(isRefusedFor(failure, 'videoNotFound')).toBe(false);
    expect(isRefusedFor(new Error('commentsDisabled'), 'commentsDisabled')).toBe(false);
  });
});
