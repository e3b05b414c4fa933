import type { ReasonWith } from '../../contract/failures.ts';
import { JobError } from '../../runtime/job-error.ts';
import { PostTimeoutError, type FormResponse } from './post-form.ts';

const SEARCHED_CHARS = 4_000;
const EXCERPT_CHARS = 500;

/** Matched as `STATUS body`; the first row applies. The status is 200 with some versions of vLLM. */
const FAILURES: readonly { readonly fragment: RegExp; readonly reason: ReasonWith<never> }[] = [
  { fragment: /^403 .*model/is, reason: 'speechModelUnknown' },
  { fragment: /^40[13]/, reason: 'speechKeyRejected' },
  // The account has no credit left, so a retry does not help, although the status is that of too many requests.
  { fragment: /^402|insufficient_quota|exceeded your current quota/i, reason: 'speechQuotaExceeded' },
  { fragment: /^429/, reason: 'speechRateLimited' },
  { fragment: /^(?:408|504)/, reason: 'speechServerTimeout' },
  { fragment: /^5/, reason: 'speechServerFailed' },
  {
    fragment:
      /^(?:413|[24]\d\d .*(?:too large|too long|longer than|file ?size|maximum allowed duration|decode_duration))/is,
    reason: 'speechAudioTooLong',
  },
  {
    fragment: /^[24]\d\d .*(?:response_format|verbose_json|diarized_json|timestamp_granularities)/is,
    reason: 'speechFormatUnsupported',
  },
  {
    fragment:
      /^[24]\d\d .*(?:(?:unsupported|invalid|unknown)[\s_]language|"param": ?"language"|language[^.]{0,60}(?:not supported|unsupported|invalid))/is,
    reason: 'speechServerLanguageUnsupported',
  },
  {
    fragment: /^404 .*\bmodel\b|^[24]\d\d .*\bmodel\b.{1,200}(?:not (?:exist|found)|unknown)|model_not_found/is,
    reason: 'speechModelUnknown',
  },
  { fragment: /^(?:3|404|405)/, reason: 'speechEndpointMissing' },
  { fragment: /^4/, reason: 'speechRequestRejected' },
];

/** @param response an error response from which the API key has been removed */
export function responseError({ statusCode, text, retryAtMs }: FormResponse): JobError {
  // The explanation is at the beginning, and matching the rows takes too long with megabytes of text.
  const searched = `${statusCode} ${text.slice(0, SEARCHED_CHARS)}`;
  const row = FAILURES.find(({ fragment }) => fragment.test(searched));
  return new JobError(row?.reason ?? 'speechServerUnreadable', {
    cause: new Error(searched.slice(0, EXCERPT_CHARS)),
    retryAtMs,
  });
}

/** @returns the error itself if it is not a failure of the connection */
export function connectionError(error: unknown): unknown {
  if (error instanceof JobError || !(error instanceof Error)) return error;
  const reason = error instanceof PostTimeoutError ? 'speechServerTimeout' : 'speechServerUnreachable';
  return new JobError(reason, { cause: error });
}
