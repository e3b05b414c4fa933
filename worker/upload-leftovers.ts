import type { Logger } from 'pino';
import type { RecordStore } from '../store/records/record-store.ts';
import { UPLOAD_KEPT_MS, type Uploads } from '../store/files/uploads.ts';
import { repeatSweep } from './repeat-sweep.ts';

const EVERY_MS = 15 * 60_000;

/** Removes uploads that are a day old, now and regularly, except those whose job has not ended. */
export function keepRemovingUploads(
  uploads: Pick<Uploads, 'removeOlderThan'>,
  records: Pick<RecordStore, 'get'>,
  { log, everyMs = EVERY_MS }: { readonly log: Pick<Logger, 'info' | 'warn'>; readonly everyMs?: number },
): { readonly stop: () => void } {
  const isNeeded = async (id: string): Promise<boolean> => (await records.get(id))?.status === 'pending';
  const sweep = async (): Promise<void> => {
    const removed = await uploads.removeOlderThan(Date.now() - UPLOAD_KEPT_MS, isNeeded);
    if (removed > 0) log.info({ removed }, 'removed old uploads');
  };
  const onError = (error: unknown): void => log.warn({ err: error }, 'old uploads could not be removed');
  return repeatSweep(sweep, { everyMs, onError, startsNow: true });
}
