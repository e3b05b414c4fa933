import type { z } from 'zod';
import type { DownloadRecord } from '../contract/download-record.ts';
import { formatMicroseconds } from '../contract/text/times.ts';
import type { keptRemovalSchema, removalSchema } from '../runtime/inputs/input-fields.ts';
import type { FileEntry, FileStore } from '../store/files/file-store.ts';
import type { KeptKind, ExpiredDocuments } from '../store/records/expired-documents.ts';
import type { RecordStore } from '../store/records/record-store.ts';
import type { WorkFolders } from '../store/files/work-folders.ts';
import { withHeartbeat } from './heartbeat.ts';

export interface RetentionDeps {
  readonly records: RecordStore;
  readonly files: FileStore;
  readonly workFolders: WorkFolders;
  /** Whether a workflow with this ID is open. */
  readonly isOpen: (workflowId: string) => Promise<boolean>;
  readonly now: () => number;
  /** For how long this worker's configuration keeps files; undefined: forever. */
  readonly retentionDays: number | undefined;
  readonly expiredDocuments: ExpiredDocuments;
  /** The same for other stored data, by kind. */
  readonly keepDays: Readonly<Partial<Record<KeptKind, number>>>;
}

export type RetentionActivities = ReturnType<typeof createRetentionActivities>;

export interface RetentionSummary {
  readonly seen: number;
  readonly expired: number;
  readonly orphans: number;
}

type SweepOrder = z.infer<typeof removalSchema> & { readonly after?: string };
type KeptOrder = z.infer<typeof keptRemovalSchema>;

const DAY_MS = 24 * 3_600_000;
/** Longer than a job takes from its first published file to the end of its record. */
const ORPHAN_AFTER_MS = DAY_MS;
/** The longest attempt takes 10 hours. */
const WORK_FOLDER_AFTER_MS = 2 * DAY_MS;

/** Removes expired data. All activities are idempotent. */
export function createRetentionActivities(deps: RetentionDeps) {
  const { files, workFolders, now, retentionDays: configuredDays } = deps;
  return {
    /**
     * Checks one page of files, and removes expired files and files without a record. Without a confirmation, files are kept
     * as long as this worker's configuration says, because anyone with access to Temporal can start a workflow.
     *
     * @returns `next`: the position of the next page; absent after the last one
     */
    sweepFiles: async (page: SweepOrder): Promise<RetentionSummary & { readonly next?: string }> => {
      const leastDays = page.confirmedBy === undefined ? configuredDays : page.retentionDays;
      if (leastDays === undefined) return { seen: 0, expired: 0, orphans: 0 };
      const retentionDays = Math.max(leastDays, page.retentionDays);
      const { entries, next } = await files.page(page.after);
      const swept = { seen: entries.length, expired: 0, orphans: 0 };
      for (const entry of entries) {
        const decision = await decideOn(deps, entry, retentionDays);
        if (decision === 'kept') continue;
        await files.remove(entry);
        swept[decision === 'expired' ? 'expired' : 'orphans'] += 1;
      }
      return { ...swept, ...(next === undefined ? {} : { next }) };
    },

    /**
     * Removes expired documents of one page, under the same condition.
     *
     * @returns the number of documents, and the position of the next page; absent after the last one
     */
    sweepKept: ({ kind, days, after, confirmedBy }: KeptOrder): Promise<{ removed: number; next?: string }> =>
      withHeartbeat(async (_report, signal) => {
        const leastDays = confirmedBy === undefined ? deps.keepDays[kind] : days;
        if (leastDays === undefined) return { removed: 0 };
        const beforeMs = now() - Math.max(leastDays, days) * DAY_MS;
        const { records: found, next } = await deps.expiredDocuments.page(kind, { after, beforeMs });
        let removed = 0;
        for (const [recordId, ids] of found) {
          signal.throwIfAborted();
          if (!(await isExpired(deps, recordId, { kind, beforeMs }))) continue;
          for (const id of ids) {
            if (kind === 'deliveries' && !(await deps.expiredDocuments.isDelivered(id))) continue;
            await deps.expiredDocuments.remove(kind, id);
            removed += 1;
          }
        }
        return { removed, ...(next === undefined ? {} : { next }) };
      }),

    /** Removes unfinished uploads and work folders of attempts that died. @returns the number of each */
    sweepLeftovers: async (): Promise<{ uploads: number; workFolders: number }> => ({
      uploads: await files.removeLeftovers(now() - ORPHAN_AFTER_MS),
      workFolders: (await workFolders.removeOlderThan(now() - WORK_FOLDER_AFTER_MS)).length,
    }),
  };
}

/** Whether a job or a batch ended before a time. A success then records that its contents are removed, and answers no new request. */
async function isExpired(
  { records, expiredDocuments, now }: RetentionDeps,
  id: string,
  { kind, beforeMs }: { readonly kind: KeptKind; readonly beforeMs: number },
): Promise<boolean> {
  if (kind === 'batches') return expiredDocuments.isBatchEnded(id, beforeMs);
  const record = await records.get(id);
  if (record === undefined) return true;
  if (record.status === 'pending' || Date.parse(record.finishedAt) >= beforeMs) return false;
  if (kind === 'contents') await records.noteContentsRemoved(id, formatMicroseconds(now() * 1000));
  return true;
}

/** Decides about a file. The record of an `expired` file is updated first, so that no answer links to it. */
async function decideOn(
  { records, isOpen, now }: RetentionDeps,
  entry: FileEntry,
  retentionDays: number,
): Promise<'kept' | 'expired' | 'orphan'> {
  const record = await records.get(entry.recordId);
  if (record?.status === 'success' && owns(record, entry)) {
    if (now() < Date.parse(record.finishedAt) + retentionDays * DAY_MS) return 'kept';
    await records.noteFilesRemoved(record.id, formatMicroseconds(now() * 1000));
    return 'expired';
  }
  if (now() < entry.modifiedMs + ORPHAN_AFTER_MS) return 'kept';
  // The job may be about to finish its record.
  if (record?.status === 'pending' && (await isOpen(record.subjectId))) return 'kept';
  return 'orphan';
}

function owns(record: DownloadRecord & { readonly status: 'success' }, { name }: FileEntry): boolean {
  return record.files.some((file) => file.name === name);
}
