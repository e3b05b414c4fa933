import { ulid } from 'ulid';
import { describe, expect, it } from 'vitest';
import type { DownloadRecord } from '../../contract/download-record.ts';
import { createEndedRecords } from '../../store/records/ended-record-cache.ts';

const aRecord = (status: DownloadRecord['status']): DownloadRecord =>
  ({ id: ulid(), type: 'audio', status }) as DownloadRecord;

describe('the cache of ended records', () => {
  it('keeps a record that has ended for five seconds, and never a pending one', () => {
    let nowMs = 0;
    const cache = createEndedRecords(() => nowMs);
    const [ended, pending] = [aRecord('success'), aRecord('pending')];
    expect(cache.keep(ended)).toBe(ended);
    cache.keep(pending);
    nowMs = 4_999;
    expect(cache.get(ended.id)).toBe(ended);
    expect(cache.get(pending.id)).toBeUndefined();
    nowMs = 5_000;
    expect(cache.get(ended.id)).toBeUndefined();
  });

  it('evicts the oldest record when it is full', () => {
    const cache = createEndedRecords(() => 0);
    const oldest = cache.keep(aRecord('failed'));
    const others = Array.from({ length: 1_000 }, () => cache.keep(aRecord('failed')));
    expect(cache.get(oldest.id)).toBeUndefined();
    expect(others.every(({ id }) => cache.get(id) !== undefined)).toBe(true);
  });
});
