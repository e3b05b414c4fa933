import type { DownloadRecord } from '../../contract/download-record.ts';

/** A webhook follows the end of its job within milliseconds, unless workers or receivers are busy. */
const KEPT_MS = 5_000;
const KEPT_MAX = 1_000;

/** Records that this process has just seen end. But for the note that files were removed, days later, they stay as they are. */
export function createEndedRecords(now = (): number => performance.now()) {
  const kept = new Map<string, { readonly record: DownloadRecord; readonly untilMs: number }>();
  const forgetOld = (most: number): void => {
    for (const [id, { untilMs }] of kept) {
      if (kept.size <= most && now() < untilMs) break;
      kept.delete(id);
    }
  };
  return {
    /** @returns the record */
    keep(record: DownloadRecord): DownloadRecord {
      if (record.status === 'pending') return record;
      kept.delete(record.id);
      forgetOld(KEPT_MAX - 1);
      kept.set(record.id, { record, untilMs: now() + KEPT_MS });
      return record;
    },
    get(id: string): DownloadRecord | undefined {
      forgetOld(KEPT_MAX);
      return kept.get(id)?.record;
    },
  };
}
