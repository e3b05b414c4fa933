import type { ReasonWith } from '../../contract/failures.ts';
import { JobError } from '../../runtime/job-error.ts';
import type { TextAnswer } from './dataset-client.ts';

/** A fragment of an error, and its reason. */
type Row<Reason> = readonly [fragment: RegExp, reason: Reason];

const EXCERPT_CHARS = 500;
/** The patterns are applied to this many characters of a row's error. */
const SEARCHED_CHARS = 10_000;

/** Errors of the dataset API, as `STATUS body`. The first row that matches counts. */
export const HTTP_FAILURES: readonly Row<ReasonWith<never>>[] = [
  [
    /^402|suspended|not enough (?:funds|balance)|insufficient (?:funds|balance|credit)|payment|billing/i,
    'datasetAccountExhausted',
  ],
  [/^40[13]/, 'datasetTokenRejected'],
  [/^429/, 'datasetRateLimited'],
  [
    /^40\d .*(?:collector not found|dataset does not exist|dataset missing|not allowed for API|discovery collector id)/is,
    'datasetUnknown',
  ],
  [/^400 .*(?:validation_error|parse_error|No data to trigger)/is, 'datasetAddressUnreadable'],
  [/^(?:408|504)/, 'datasetTimeout'],
];

/** A snapshot that no longer exists, as `STATUS body`. */
export const LOST_SNAPSHOT = /^(?:404|410)|^400 .*expired/is;
/** A snapshot without rows, as `STATUS body`. */
export const EMPTY_SNAPSHOT = /^400 .*snapshot is empty/is;

/**
 * Errors of rows and of failed snapshots, as `code: text`. The code alone is ambiguous: an account without posts in the requested
 * days has the code of a removed account. The first row that matches counts. `empty`: nothing was found, which is not a failure.
 */
export const ROW_OUTCOMES: readonly Row<ReasonWith<never> | 'empty'>[] = [
  [
    /no public posts|no posts (?:were )?found|no reels (?:were )?found|No data found in discovery|Snapshot is empty/i,
    'empty',
  ],
  [/(?:account|profile|user|page|post|content) is private|private (?:account|profile|user|post)/i, 'accountIsPrivate'],
  [
    /this page isn.?t available|page (?:was )?not found|(?:account|profile|user|post|reel|media|content) (?:was |is |has been )?(?:not found|removed|deleted|unavailable|does not exist)|reading .pk.\)/i,
    'accountRemoved',
  ],
  [/account is suspended/i, 'datasetAccountSuspended'],
  [/rate.?limit|too many requests/i, 'datasetPlatformRateLimited'],
  [/timed? ?out/i, 'datasetPlatformTimeout'],
  [/^bad_input|Input validation failed/i, 'datasetAddressUnreadable'],
  [/^dead_page/i, 'accountRemoved'],
];

/** The text to which the patterns of answers are applied. */
export function saidBy({ statusCode, text }: Pick<TextAnswer, 'statusCode' | 'text'>): string {
  return `${String(statusCode)} ${text}`;
}

export function httpFailure(answer: TextAnswer): JobError {
  const said = saidBy(answer);
  const cause = new Error(said.slice(0, EXCERPT_CHARS));
  return new JobError(reasonOf(HTTP_FAILURES, said) ?? 'datasetFailed', { cause, retryAtMs: answer.retryAtMs });
}

/** @param error as `code: text` @returns `empty` when nothing was found */
export function rowFailure(error: string): JobError | 'empty' {
  const reason = reasonOf(ROW_OUTCOMES, error.slice(0, SEARCHED_CHARS)) ?? 'datasetCollectionFailed';
  return reason === 'empty' ? reason : new JobError(reason, { cause: new Error(error.slice(0, EXCERPT_CHARS)) });
}

function reasonOf<Reason>(rows: readonly Row<Reason>[], text: string): Reason | undefined {
  return rows.find(([fragment]) => fragment.test(text))?.[1];
}
