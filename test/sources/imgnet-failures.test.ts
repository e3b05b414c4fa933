import { describe, expect, it } from 'vitest';
import type { FailureCode } from '../../contract/failures.ts';
import { connectionFailure } from '../../sources/imgnet/dataset-client.ts';
import { HTTP_FAILURES, httpFailure, ROW_OUTCOMES, rowFailure } from '../../sources/imgnet/dataset-failures.ts';

const ANSWERS: readonly [FailureCode, number, string][] = [
  ['tool_missing', 401, 'Invalid credentials'],
  ['tool_missing', 401, 'Credentials are missing'],
  ['tool_missing', 403, 'Forbidden'],
  ['tool_missing', 402, 'Payment required'],
  ['tool_missing', 400, 'Account is suspended'],
  ['tool_missing', 403, 'Your account does not have enough funds: insufficient balance'],
  ['rate_limited', 429, 'You have too many running jobs for this dataset. Running jobs: 100>=100'],
  ['tool_missing', 404, 'dataset does not exist'],
  ['tool_missing', 404, 'Collector not found'],
  ['tool_missing', 400, 'dataset missing'],
  ['tool_missing', 400, 'This dataset is not allowed for API'],
  ['tool_missing', 400, 'Incorrect discovery collector id'],
  [
    'unsupported',
    400,
    '{"error":"Invalid input provided","code":"validation_error","errors":[["url","must be a url"]]}',
  ],
  ['unsupported', 400, '{"error":"Parser cannot parse input","code":"parse_error"}'],
  ['unsupported', 400, 'No data to trigger'],
  ['upstream_timeout', 504, 'Gateway time-out'],
  ['upstream_timeout', 408, ''],
  ['upstream_error', 500, 'Internal server error'],
  ['upstream_error', 502, '<html>Bad gateway</html>'],
  ['upstream_error', 302, ''],
  ['upstream_error', 400, 'something nobody has seen before'],
];

const ROWS: readonly [FailureCode | 'empty', string][] = [
  ['empty', 'dead_page: There are no public posts in the profile for the specified period'],
  ['empty', 'dead_page: no posts found, please check pinned posts detection'],
  ['empty', 'failed: No data found in discovery'],
  ['empty', 'failed: Snapshot is empty'],
  ['private', 'dead_page: This account is private'],
  ['private', 'crawl_error: Private profile'],
  ['removed', "crawl_error: Crawler error: Cannot read properties of null (reading 'pk')"],
  ['removed', "dead_page: Sorry, this page isn't available."],
  ['removed', 'dead_page: Sorry, this page isn’t available.'],
  ['removed', 'crawl_error: Page not found'],
  ['removed', 'crawl_error: The post was removed'],
  ['removed', 'dead_page: '],
  ['tool_missing', 'failed: Account is suspended'],
  ['rate_limited', 'blocked: Too many requests'],
  ['upstream_timeout', 'crawl_error: Navigation timed out after 30000 ms'],
  ['upstream_timeout', 'timeout: '],
  ['unsupported', 'bad_input: wrong url'],
  ['unsupported', 'failed: Input validation failed: url'],
  ['upstream_error', 'blocked: the page asks for a login'],
  ['upstream_error', 'parse_error: Cannot read private member #x'],
  ['upstream_error', 'failed: Internal server error'],
  ['upstream_error', ': unreadable row'],
];

describe('answers of the dataset API', () => {
  it.each(ANSWERS)('are sorted as %s: %i %s', (code, statusCode, text) => {
    expect(httpFailure({ statusCode, text }).code).toBe(code);
  });

  it('are covered by a test for each row of the table', () => {
    const matched = ANSWERS.map(([, status, text]) =>
      HTTP_FAILURES.find(([fragment]) => fragment.test(`${String(status)} ${text}`)),
    );
    for (const row of HTTP_FAILURES) expect(matched).toContain(row);
  });

  it('name the setting that the operator must check', () => {
    expect(httpFailure({ statusCode: 401, text: 'Invalid credentials' }).message).toContain('IMGNET_API_TOKEN');
    expect(httpFailure({ statusCode: 404, text: 'dataset does not exist' }).message).toContain('IMGNET_DATASET_POSTS');
  });
});

describe('rows that tell an error, and failed snapshots', () => {
  it.each(ROWS)('are sorted as %s: %s', (code, text) => {
    const failure = rowFailure(text);
    expect(failure === 'empty' ? failure : failure.code).toBe(code);
  });

  it('are covered by a test for each row of the table', () => {
    const matched = ROWS.map(([, text]) => ROW_OUTCOMES.find(([fragment]) => fragment.test(text)));
    for (const row of ROW_OUTCOMES) expect(matched).toContain(row);
  });
});

describe('connections that fail', () => {
  const error = (code: string): Error => Object.assign(new Error('x'), { code });

  it.each([
    ['ECONNREFUSED', 'upstream_error'],
    ['ENOTFOUND', 'upstream_error'],
    ['CERT_HAS_EXPIRED', 'upstream_error'],
    ['ECONNRESET', 'upstream_error'],
    ['HPE_HEADER_OVERFLOW', 'upstream_error'],
    ['ETIMEDOUT', 'upstream_timeout'],
  ])('with %s are sorted as %s', (code, failure) => {
    expect(connectionFailure(error(code), false)).toMatchObject({ code: failure });
  });

  it('in the middle of an answer leave it incomplete', () => {
    expect(connectionFailure(error('ECONNRESET'), true)).toMatchObject({ code: 'incomplete' });
    expect(connectionFailure(error('ETIMEDOUT'), true)).toMatchObject({ code: 'upstream_timeout' });
  });

  it('are not what our own mistakes are', () => {
    const mistake = new TypeError('x is not a function');
    expect(connectionFailure(mistake, true)).toBe(mistake);
  });
});
