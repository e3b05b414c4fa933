import type { FailureCode } from '../../contract/failures.ts';
import { JobError } from '../../runtime/job-error.ts';
import { PostTimeoutError, type FormResponse } from './post-form.ts';

interface FailureRow {
  readonly fragment: RegExp;
  readonly code: FailureCode;
  readonly message: string;
}

const SEARCHED_CHARS = 4_000;
const EXCERPT_CHARS = 500;
const NO_MODEL = 'The speech server does not offer the model; the operator must check SPEECH_OPENAI_MODEL.';

/**
 * The error responses of servers, matched as `STATUS body`. The status is 200 with some versions of vLLM. The first
 * matching row applies.
 */
const FAILURES: readonly FailureRow[] = [
  { fragment: /^403 .*model/is, code: 'tool_missing', message: NO_MODEL },
  {
    fragment: /^40[13]/,
    code: 'tool_missing',
    message: 'The speech server rejects the API key; the operator must check SPEECH_OPENAI_KEY.',
  },
  {
    // The account has no credit left, so a retry does not help, although the status is that of too many requests.
    fragment: /^402|insufficient_quota|exceeded your current quota/i,
    code: 'quota_exceeded',
    message: 'The account at the speech server has no credit left; the operator must add credit.',
  },
  { fragment: /^429/, code: 'rate_limited', message: 'The speech server limits the rate of requests.' },
  { fragment: /^(?:408|504)/, code: 'upstream_timeout', message: 'The speech server did not answer in time.' },
  { fragment: /^5/, code: 'upstream_error', message: 'The speech server failed.' },
  {
    fragment:
      /^(?:413|[24]\d\d .*(?:too large|too long|longer than|file ?size|maximum allowed duration|decode_duration))/is,
    code: 'tool_missing',
    message:
      'The speech server rejects audio of this length; the operator must lower SPEECH_OPENAI_MAX_SECONDS or raise its limit.',
  },
  {
    fragment: /^[24]\d\d .*(?:response_format|verbose_json|diarized_json|timestamp_granularities)/is,
    code: 'tool_missing',
    message: 'The model does not support this response format; the operator must set SPEECH_OPENAI_FORMAT.',
  },
  {
    fragment:
      /^[24]\d\d .*(?:(?:unsupported|invalid|unknown)[\s_]language|"param": ?"language"|language[^.]{0,60}(?:not supported|unsupported|invalid))/is,
    code: 'unsupported',
    message: 'The speech server does not support this language.',
  },
  {
    fragment: /^404 .*\bmodel\b|^[24]\d\d .*\bmodel\b.{1,200}(?:not (?:exist|found)|unknown)|model_not_found/is,
    code: 'tool_missing',
    message: NO_MODEL,
  },
  {
    fragment: /^(?:3|404|405)/,
    code: 'tool_missing',
    message:
      'The speech server has no transcription endpoint at this URL; the operator must check SPEECH_OPENAI_URL, which usually ends in /v1.',
  },
  { fragment: /^4/, code: 'internal', message: 'The speech server rejected the request.' },
];

/** @param response an error response from which the API key has been removed */
export function responseError({ statusCode, text, retryAtMs }: FormResponse): JobError {
  // The explanation is at the beginning, and matching the rows takes too long with megabytes of text.
  const searched = `${statusCode} ${text.slice(0, SEARCHED_CHARS)}`;
  const row = FAILURES.find(({ fragment }) => fragment.test(searched));
  return new JobError(
    row?.code ?? 'upstream_error',
    row?.message ?? 'The speech server did not return a transcription.',
    {
      cause: new Error(searched.slice(0, EXCERPT_CHARS)),
      retryAtMs,
    },
  );
}

/**
 * @param error thrown by {@link postForm}
 * @returns the error itself if it is not a failure of the connection
 */
export function connectionError(error: unknown): unknown {
  if (error instanceof JobError || !(error instanceof Error)) return error;
  return error instanceof PostTimeoutError
    ? new JobError('upstream_timeout', 'The speech server did not answer in time.', { cause: error })
    : new JobError('upstream_error', 'The speech server could not be reached, or closed the connection.', {
        cause: error,
      });
}
