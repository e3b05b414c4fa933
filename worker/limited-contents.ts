import type { Client } from '@temporalio/client';
import type { Db } from 'mongodb';
import type { Logger } from 'pino';
import { removeContentsOf, type RemovalDeps } from '../api/use-cases/remove-contents.ts';
import { ApiError } from '../contract/http/api-error.ts';
import { createJobHistories } from '../runtime/temporal/job-histories.ts';
import { createKeyDownloadStore } from '../store/accounts/key-downloads.ts';
import { createKeyStore } from '../store/accounts/key-store.ts';
import { createTimedIds, type TimedIds } from '../store/mongo/timed-ids.ts';
import { createExpiredDocuments } from '../store/records/expired-documents.ts';
import { repeatSweep } from './repeat-sweep.ts';

const EVERY_MS = 60_000;

/** Removes the contents that requests wanted to be kept for a limited time, unless others have requested them too. */
export async function removeLimitedContents(
  deps: RemovalDeps & { readonly removals: TimedIds; readonly now: () => number },
): Promise<number> {
  let removed = 0;
  for await (const { entry, id } of deps.removals.before(deps.now())) {
    const record = await deps.records.get(id);
    try {
      if (record !== undefined) await removeContentsOf(deps, record, record.startedBy);
      removed += 1;
    } catch (error) {
      // Until its webhooks are delivered, it is tried again.
      if (error instanceof ApiError && error.code === 'not_ready') continue;
      if (!(error instanceof ApiError) || error.code !== 'contents_in_use') throw error;
    }
    await deps.removals.remove(entry);
  }
  return removed;
}

interface SweepDeps extends Pick<RemovalDeps, 'records' | 'files'> {
  readonly db: Db;
  readonly client: Client;
  readonly now: () => number;
  readonly log: Pick<Logger, 'info' | 'warn'>;
}

export function keepRemovingLimitedContents({ db, client, log, ...given }: SweepDeps): { readonly stop: () => void } {
  const deps = {
    ...{ ...given, keys: createKeyStore(db), keyDownloads: createKeyDownloadStore(db) },
    ...{ removals: createTimedIds(db, 'planned_removals'), expiredDocuments: createExpiredDocuments(db) },
    histories: createJobHistories(client),
  };
  const sweep = async (): Promise<void> => {
    const removed = await removeLimitedContents(deps);
    if (removed > 0) log.info({ removed }, 'removed contents as their requests wanted');
  };
  const onError = (error: unknown): void => log.warn({ err: error }, 'contents could not be removed');
  return repeatSweep(sweep, { everyMs: EVERY_MS, onError });
}
