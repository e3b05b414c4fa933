import type { ReasonWith } from '../../contract/failures.ts';
import { JobError } from '../../runtime/job-error.ts';
import type { TextAnswer } from './dataset-client.ts';

interface FailureRow {
  readonly fragment: RegExp;
  readonly reason: ReasonWith<never>;
}
/** `empty`: nothing was found, which is not a failure. */
type RowOutcome = FailureRow | { readonly fragment: RegExp; readonly reason: 'empty' };

const EXCERPT_CHARS = 500;
/** The patterns are applied to this many characters of a row's error. */
const SEARCHED_CHARS = 10_000;

/** Errors of the dataset API, as `STATUS body`. The first row that matches counts. */
export const HTTP_FAILURES: readonly FailureRow[] = [
  {
    fragment: /^402|suspended|not enough (?:funds|balance)|insufficient (?:funds|balance|credit)|payment|billing/i,
    reason: 'datasetAccountExhausted',
  },
  { fragment: /^40[13]/, reason: 'datasetTokenRejected' },
  { fragment: /^429/, reason: 'datasetRateLimited' },
  {
    fragment:
      /^40\d .*(?:collector not found|dataset does not exist|dataset missing|not allowed for API|discovery collector id)/is,
    reason: 'datasetUnknown',
  },
  { fragment: /^400 .*(?:validation_error|parse_error|No data to trigger)/is, reason: 'datasetAddressUnreadable' },
  { fragment: /^(?:408|504)/, reason: 'datasetTimeout' },
];

/** A snapshot that no longer exists, as `STATUS body`. */
export const LOST_SNAPSHOT = /^(?:404|410)|^400 .*expired/is;
/** A snapshot without rows, as `STATUS body`. */
export const EMPTY_SNAPSHOT = /^400 .*snapshot is empty/is;

/**
 * Errors of rows and of failed snapshots, as `code: text`. The code alone is ambiguous: an account without posts in the requested
 * days has the code of a removed account. The first row that matches counts.
 */
export const ROW_OUTCOMES: readonly RowOutcome[] = [
  {
    fragment:
      /no public posts|no posts (?:were )?found|no reels (?:were )?found|No data found in discovery|Snapshot is empty/i,
    reason: 'empty',
  },
  {
    fragment: /(?:account|profile|user|page|post|content) is private|private (?:account|profile|user|post)/i,
    reason: 'accountIsPrivate',
  },
  {
    fragment:
      /this page isn.?t available|page (?:was )?not found|(?:account|profile|user|post|reel|media|content) (?:was |is |has been )?(?:not found|removed|deleted|unavailable|does not exist)|reading .pk.\)/i,
    reason: 'accountRemoved',
  },
  { fragment: /account is suspended/i, reason: 'datasetAccountSuspended' },
  { fragment: /rate.?limit|too many requests/i, reason: 'datasetPlatformRateLimited' },
  { fragment: /timed? ?out/i, reason: 'datasetPlatformTimeout' },
  { fragment: /^bad_input|Input validation failed/i, reason: 'datasetAddressUnreadable' },
  { fragment: /^dead_page/i, reason: 'accountRemoved' },
];

/** The text to which the patterns of answers are applied. */
export function saidBy({ statusCode, text }: Pick<TextAnswer, 'statusCode' | 'text'>): string {
  return `${String(statusCode)} ${text}`;
}

export function httpFailure(answer: TextAnswer): JobError {
  const said = saidBy(answer);
  const row = HTTP_FAILURES.find(({ fragment }) => fragment.test(said));
  const cause = new Error(said.slice(0, EXCERPT_CHARS));
  return new JobError(row?.reason ?? 'datasetFailed', { cause, retryAtMs: answer.retryAtMs });
}

/** @param error as `code: text` @returns `empty` when nothing was found */
export function rowFailure(error: string): JobError | 'empty' {
  const searched = error.slice(0, SEARCHED_CHARS);
  const row = ROW_OUTCOMES.find(({ fragment }) => fragment.test(searched));
  if (row?.reason === 'empty') return 'empty';
  return new JobError(row?.reason ?? 'datasetCollectionFailed', {
    cause: new Error(error.slice(0, EXCERPT_CHARS)),
  });
}
