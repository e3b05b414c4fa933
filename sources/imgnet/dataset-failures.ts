import type { FailureCode } from '../../contract/failures.ts';
import { JobError } from '../../runtime/job-error.ts';

interface FailureRow {
  readonly fragment: RegExp;
  readonly code: FailureCode;
  readonly message: string;
}
/** `empty`: nothing was found, which is no failure. */
type RowOutcome = FailureRow | { readonly fragment: RegExp; readonly code: 'empty' };

const EXCERPT_CHARS = 500;
/** The patterns are applied to this many characters of a row's error. */
const SEARCHED_CHARS = 10_000;

/**
 * What the dataset API answers instead of a result, as `STATUS body`. Its errors are plain text or JSON. The first row
 * that matches counts.
 */
export const HTTP_FAILURES: readonly FailureRow[] = [
  {
    fragment: /^402|suspended|not enough (?:funds|balance)|insufficient (?:funds|balance|credit)|payment|billing/i,
    code: 'tool_missing',
    message:
      'The account at the dataset API is suspended or used up; the operator must check the account of IMGNET_API_TOKEN.',
  },
  {
    fragment: /^40[13]/,
    code: 'tool_missing',
    message: 'The dataset API refuses the token; the operator must check IMGNET_API_TOKEN.',
  },
  { fragment: /^429/, code: 'rate_limited', message: 'The dataset API asks us to slow down.' },
  {
    fragment:
      /^40\d .*(?:collector not found|dataset does not exist|dataset missing|not allowed for API|discovery collector id)/is,
    code: 'tool_missing',
    message:
      'The dataset API does not know the dataset; the operator must check IMGNET_DATASET_PROFILES, IMGNET_DATASET_POSTS and IMGNET_DATASET_REELS.',
  },
  {
    fragment: /^400 .*(?:validation_error|parse_error|No data to trigger)/is,
    code: 'unsupported',
    message: 'The dataset API cannot read this address.',
  },
  { fragment: /^(?:408|504)/, code: 'upstream_timeout', message: 'The dataset API did not answer in time.' },
];

/** A snapshot that is gone, as `STATUS body`. */
export const LOST_SNAPSHOT = /^(?:404|410)|^400 .*expired/is;
/** A snapshot without rows, as `STATUS body`. */
export const EMPTY_SNAPSHOT = /^400 .*snapshot is empty/is;

/**
 * Rows that tell an error, and snapshots that failed, as `code: text`. The code alone can't tell: an account without
 * posts in the wanted days has the same one as an account that is gone. The first row that matches counts.
 */
export const ROW_OUTCOMES: readonly RowOutcome[] = [
  {
    fragment:
      /no public posts|no posts (?:were )?found|no reels (?:were )?found|No data found in discovery|Snapshot is empty/i,
    code: 'empty',
  },
  {
    fragment: /(?:account|profile|user|page|post|content) is private|private (?:account|profile|user|post)/i,
    code: 'private',
    message: 'The account is private.',
  },
  {
    fragment:
      /this page isn.?t available|page (?:was )?not found|(?:account|profile|user|post|reel|media|content) (?:was |is |has been )?(?:not found|removed|deleted|unavailable|does not exist)|reading .pk.\)/i,
    code: 'removed',
    message: 'The account or post was removed or does not exist.',
  },
  {
    fragment: /account is suspended/i,
    code: 'tool_missing',
    message: 'The account at the dataset API is suspended; the operator must check the account of IMGNET_API_TOKEN.',
  },
  {
    fragment: /rate.?limit|too many requests/i,
    code: 'rate_limited',
    message: 'The platform asks the dataset API to slow down.',
  },
  {
    fragment: /timed? ?out/i,
    code: 'upstream_timeout',
    message: 'The platform did not answer the dataset API in time.',
  },
  {
    fragment: /^bad_input|Input validation failed/i,
    code: 'unsupported',
    message: 'The dataset API cannot read this address.',
  },
  { fragment: /^dead_page/i, code: 'removed', message: 'The account or post was removed or does not exist.' },
];

/** @param answer what the API said, without secrets */
export function httpFailure(
  answer: { readonly statusCode: number; readonly text: string },
  retryAtMs?: number,
): JobError {
  const said = `${String(answer.statusCode)} ${answer.text}`;
  const row = HTTP_FAILURES.find(({ fragment }) => fragment.test(said));
  return new JobError(row?.code ?? 'upstream_error', row?.message ?? 'The dataset API could not be used.', {
    cause: new Error(said.slice(0, EXCERPT_CHARS)),
    ...(retryAtMs === undefined ? {} : { retryAtMs }),
  });
}

/** @param error as `code: text` @returns `empty` when it only says that there is nothing */
export function rowFailure(error: string): JobError | 'empty' {
  const searched = error.slice(0, SEARCHED_CHARS);
  const row = ROW_OUTCOMES.find(({ fragment }) => fragment.test(searched));
  if (row?.code === 'empty') return 'empty';
  return new JobError(row?.code ?? 'upstream_error', row?.message ?? 'The dataset API could not collect this.', {
    cause: new Error(error.slice(0, EXCERPT_CHARS)),
  });
}
