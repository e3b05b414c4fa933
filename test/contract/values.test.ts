import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { vidnetVideoIdSchema, ulidSchema } from '../../contract/ids.ts';
import { costOf } from '../../contract/kinds/charges.ts';
import type { FailureCode } from '../../contract/failures.ts';
import type { DownloadRecord } from '../../contract/download-record.ts';
import { formatMoney, parseMoney } from '../../contract/money.ts';
import { listPrice, splitListPrice } from '../../contract/kinds/list-price.ts';
import { priceTable } from '../../contract/kinds/configured-prices.ts';
import { speakerLabelsPrice } from '../../contract/kinds/speaker-labels.ts';
import { subjectIdOf } from '../../contract/kinds/subjects.ts';
import { formatDuration, formatMicroseconds } from '../../contract/text/times.ts';

describe('money', () => {
  it.each([
    [0, '0.000'],
    [5, '0.005'],
    [1234, '1.234'],
    [100_000, '100.000'],
  ])('writes %i thousandths as %s', (amount, text) => {
    expect(formatMoney(amount)).toBe(text);
  });

  it('parses what it formats', () => {
    fc.assert(fc.property(fc.nat(1_000_000_000), (amount) => parseMoney(formatMoney(amount)) === amount));
  });

  it.each([
    [1, 6],
    [60, 6],
    [60.6, 12],
    [3600.003, 360],
  ])('charges each started minute of %f s', (seconds, thousandths) => {
    expect(speakerLabelsPrice(priceTable({ PRICE_AUDIO: undefined }), seconds)).toBe(thousandths);
  });

  it.each([
    [undefined, 10],
    [0, 10],
    [10, 10],
    [11, 11],
    [22_000, 22_000],
  ])('prices a list of %s posts, and both its parts together', (postsCount, thousandths) => {
    const price = listPrice(priceTable({}), postsCount);
    expect(price).toBe(thousandths);
    const { posts, reels } = splitListPrice(price);
    expect(posts + reels).toBe(price);
    expect(posts - reels).toBe(price % 2);
  });

  it('uses an overridden price', () => {
    expect(priceTable({ PRICE_AUDIO: '1.250' }).audio).toBe(1250);
  });
});

describe('the cost of a download', () => {
  const begun = {
    ...({ id: '01JD5Z3K6VQ0W8R9T2X4Y6B8CD', type: 'imgnet_post', subjectId: 'imgnet_post/p/D1' } as const),
    ...{
      startedBy: 'anonymous',
      mediaId: 'D1',
      createdAt: '2026-11-21T09:30:00.123456Z',
      price: 15,
      parameters: { profilePrice: 10 },
    },
  };
  const finishedAt = begun.createdAt;
  const failed = (code: FailureCode, providerCalls?: Readonly<Record<string, true>>): DownloadRecord => ({
    ...{ ...begun, finishedAt, status: 'failed' as const, failure: { code, message: 'No.' } },
    ...(providerCalls && { providerCalls: providerCalls }),
  });
  const called = { content: true } as const;
  const all = { ...called, 'owner-profile': true } as const;

  it.each<[string, DownloadRecord, number]>([
    ['while it runs, its price', { ...begun, status: 'pending' }, 15],
    ['of a success, its charge', { ...begun, status: 'success', finishedAt, charge: 5, files: [] }, 5],
    ['of a failure, nothing, even if a provider was called', failed('upstream_error', called), 0],
    ['of a job cancelled before a provider was called, nothing', failed('cancelled'), 0],
    ['of a job cancelled afterwards, the price of the called parts', failed('cancelled', called), 5],
    ['of a job cancelled after all calls, its price', failed('cancelled', all), 15],
  ])('is, %s', (_when, record, cost) => {
    expect(costOf(record)).toBe(cost);
  });
});

describe('times', () => {
  it('keeps microseconds', () => {
    expect(formatMicroseconds(1_795_262_095_867_123)).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.867123Z$/);
  });

  it.each([
    [0, '00:00:00'],
    [59.6, '00:01:00'],
    [3661, '01:01:01'],
    [360_000, '100:00:00'],
  ])('writes %f s as %s', (seconds, text) => {
    expect(formatDuration(seconds)).toBe(text);
  });
});

describe('ids', () => {
  it.each(['--exec', '../x', '', 'a'.repeat(12), 'abcdefghij ', 'abcdefghij\n', 'äbcdefghijk', 'abc/efghijk'])(
    'rejects %j as a video ID',
    (id) => {
      expect(vidnetVideoIdSchema.safeParse(id).success).toBe(false);
    },
  );

  it.each(['k3fP0aTz9Qw', '-abcdefghij', '___________'])('accepts %j as a video ID', (id) => {
    expect(vidnetVideoIdSchema.safeParse(id).success).toBe(true);
  });

  it('accepts a ULID in its canonical spelling only', () => {
    const id = '01JD5Z3K6VQ0W8R9T2X4Y6B8CD';
    expect(ulidSchema.safeParse(id).success).toBe(true);
    for (const other of [id.toLowerCase(), `8${id.slice(1)}`, `${id} `, id.replace('V', 'U')]) {
      expect(ulidSchema.safeParse(other).success).toBe(false);
    }
    expect(ulidSchema.safeParse(id.toLowerCase()).error?.issues[0]?.message).toContain('upper case');
  });

  it('gives each kind of job on one video its own subject', () => {
    expect(subjectIdOf('audio', 'k3fP0aTz9Qw')).not.toBe(subjectIdOf('vidnet_video', 'k3fP0aTz9Qw'));
  });
});
