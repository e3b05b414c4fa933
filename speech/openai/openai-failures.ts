import type { FailureCode } from '../../contract/failures.ts';
import { JobError } from '../../runtime/job-error.ts';
import { PostTimeoutError, type Answer } from './post-form.ts';

interface FailureRow {
  readonly fragment: RegExp;
  readonly code: FailureCode;
  readonly message: string;
}

const SEARCHED_CHARS = 4_000;
const EXCERPT_CHARS = 500;
const NO_MODEL = 'The speech server does not have the model for us; the operator must check SPEECH_OPENAI_MODEL.';

/**
 * What a server answers instead of a transcription, as `STATUS body`. The status is 200 with some versions of vLLM. The
 * first row that matches counts.
 */
const FAILURES: readonly FailureRow[] = [
  { fragment: /^403 .*model/is, code: 'tool_missing', message: NO_MODEL },
  {
    fragment: /^40[13]/,
    code: 'tool_missing',
    message: 'The speech server refuses us; the operator must check SPEECH_OPENAI_KEY.',
  },
  {
    // Waiting does not help: the account has no money left. The status is that of a request too many.
    fragment: /^402|insufficient_quota|exceeded your current quota/i,
    code: 'quota_exceeded',
    message: 'The account at the speech server is used up; the operator must look after it.',
  },
  { fragment: /^429/, code: 'rate_limited', message: 'The speech server asks us to slow down.' },
  { fragment: /^(?:408|504)/, code: 'upstream_timeout', message: 'The speech server did not answer in time.' },
  { fragment: /^5/, code: 'upstream_error', message: 'The speech server could not do its work.' },
  {
    fragment:
      /^(?:413|[24]\d\d .*(?:too large|too long|longer than|file ?size|maximum allowed duration|decode_duration))/is,
    code: 'tool_missing',
    message:
      'The speech server refuses audio of this length; the operator must lower SPEECH_OPENAI_MAX_SECONDS or raise its limit.',
  },
  {
    fragment: /^[24]\d\d .*(?:response_format|verbose_json|diarized_json|timestamp_granularities)/is,
    code: 'tool_missing',
    message: 'The model does not give this form of answer; the operator must set SPEECH_OPENAI_FORMAT.',
  },
  {
    fragment:
      /^[24]\d\d .*(?:(?:unsupported|invalid|unknown)[\s_]language|"param": ?"language"|language[^.]{0,60}(?:not supported|unsupported|invalid))/is,
    code: 'unsupported',
    message: 'The speech server does not know this language.',
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
      'There are no transcriptions at this address of the speech server; the operator must check SPEECH_OPENAI_URL, which mostly ends in /v1.',
  },
  { fragment: /^4/, code: 'internal', message: 'The speech server does not accept our request.' },
];

/** @param answer no transcription, without the key */
export function answerFailure({ statusCode, text, retryAtMs }: Answer): JobError {
  // What explains is at the beginning; the rows take too long over megabytes.
  const said = `${statusCode} ${text.slice(0, SEARCHED_CHARS)}`;
  const row = FAILURES.find(({ fragment }) => fragment.test(said));
  return new JobError(row?.code ?? 'upstream_error', row?.message ?? 'The speech server gives no transcription.', {
    cause: new Error(said.slice(0, EXCERPT_CHARS)),
    retryAtMs,
  });
}

/** @param error what the exchange threw. @returns itself when it is no failure of the connection */
export function exchangeFailure(error: unknown): unknown {
  if (error instanceof JobError || !(error instanceof Error)) return error;
  return error instanceof PostTimeoutError
    ? new JobError('upstream_timeout', 'The speech server did not answer in time.', { cause: error })
    : new JobError('upstream_error', 'The speech server could not be reached, or broke off.', { cause: error });
}
