import type { DownloadRecord } from '../../contract/download-record.ts';

/** Webhooks read the record within milliseconds after the end of its job, unless workers or receivers are busy. */
const KEPT_MS = 5_000;
const KEPT_MAX = 1_000;

/** Caches records whose end this process has just stored. They change again days later, when their files are removed. */
export function createEndedRecords(now = (): number => performance.now()) {
  const kept = new Map<string, { readonly record: DownloadRecord; readonly untilMs: number }>();
  const evict = (maxSize: number): void => {
    for (const [id, { untilMs }] of kept) {
      if (kept.size <= maxSize && now() < untilMs) break;
      kept.delete(id);
    }
  };
  return {
    keep(record: DownloadRecord): DownloadRecord {
      if (record.status === 'pending') return record;
      kept.delete(record.id);
      evict(KEPT_MAX - 1);
      kept.set(record.id, { record, untilMs: now() + KEPT_MS });
      return record;
    },
    get(id: string): DownloadRecord | undefined {
      evict(KEPT_MAX);
      return kept.get(id)?.record;
    },
  };
}
