import { ulid } from 'ulid';
import { describe, expect, it } from 'vitest';
import type { DownloadRecord } from '../../contract/download-record.ts';
import { createEndedRecords } from '../../store/records/ended-record-cache.ts';

const aRecord = (status: DownloadRecord['status']): DownloadRecord =>
  ({ id: ulid(), type: 'audio', status }) as DownloadRecord;

describe('records that have just ended', () => {
  it('are known for five seconds, and a pending one never', () => {
    let nowMs = 0;
    const justEnded = createEndedRecords(() => nowMs);
    const [ended, pending] = [aRecord('success'), aRecord('pending')];
    expect(justEnded.keep(ended)).toBe(ended);
    justEnded.keep(pending);
    nowMs = 4_999;
    expect(justEnded.get(ended.id)).toBe(ended);
    expect(justEnded.get(pending.id)).toBeUndefined();
    nowMs = 5_000;
    expect(justEnded.get(ended.id)).toBeUndefined();
  });

  it('make room for newer ones', () => {
    const justEnded = createEndedRecords(() => 0);
    const oldest = justEnded.keep(aRecord('failed'));
    const others = Array.from({ length: 1_000 }, () => justEnded.keep(aRecord('failed')));
    expect(justEnded.get(oldest.id)).toBeUndefined();
    expect(others.every(({ id }) => justEnded.get(id) !== undefined)).toBe(true);
  });
});
