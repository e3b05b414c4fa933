import type { z } from 'zod';
import type { DownloadRecord } from '../contract/download-record.ts';
import { formatMicroseconds } from '../contract/text/times.ts';
import type { removalSchema } from '../runtime/inputs/input-fields.ts';
import type { keptRemovalSchema } from '../runtime/inputs/input-fields.ts';
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
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** For how long this worker's configuration keeps files; undefined: for ever. */
  readonly retentionDays: number | undefined;
  readonly expiredDocuments: ExpiredDocuments;
  /** The same for what is kept beside the files; what is not named is kept for ever. */
  readonly keepDays: Readonly<Partial<Record<KeptKind, number>>>;
}

export type RetentionActivities = ReturnType<typeof createRetentionActivities>;

/** How many files were looked at and removed. */
export interface RetentionSummary {
  readonly seen: number;
  readonly expired: number;
  readonly orphans: number;
}

type SweepOrder = z.infer<typeof removalSchema> & { readonly after?: string };
type KeptOrder = z.infer<typeof keptRemovalSchema>;

const DAY_MS = 24 * 3_600_000;
/** A job that publishes its files one by one, and then ends its record, takes less. */
const ORPHAN_AFTER_MS = DAY_MS;
/** The longest attempt at a download is over after 10 hours. */
const WORK_FOLDER_AFTER_MS = 2 * DAY_MS;

/** Removes what is kept no longer. All may be repeated at will. */
export function createRetentionActivities(deps: RetentionDeps) {
  const { files, workFolders, now, retentionDays: configuredDays } = deps;
  return {
    /**
     * Looks at one page of the files, and removes those that are too old or that no record knows. What nobody has confirmed
     * removes nothing that this worker's own configuration keeps: a workflow can be started by whoever reaches Temporal.
     *
     * @returns what it came to, and where the listing goes on, unless this was the last page
     */
    sweepFiles: async (page: SweepOrder): Promise<RetentionSummary & { readonly next?: string }> => {
      const leastDays = page.confirmedBy === undefined ? configuredDays : page.retentionDays;
      if (leastDays === undefined) return { seen: 0, expired: 0, orphans: 0 };
      const retentionDays = Math.max(leastDays, page.retentionDays);
      const { entries, next } = await files.page(page.after);
      const swept = { seen: entries.length, expired: 0, orphans: 0 };
      for (const entry of entries) {
        const fate = await fateOf(deps, entry, retentionDays);
        if (fate === 'kept') continue;
        await files.remove(entry);
        swept[fate === 'expired' ? 'expired' : 'orphans'] += 1;
      }
      return { ...swept, ...(next === undefined ? {} : { next }) };
    },

    /**
     * Looks at one page of what is kept beside the files, and removes what belongs to jobs that ended too long ago. The same
     * holds of what nobody has confirmed.
     *
     * @returns how many documents, and where the next page begins, unless this was the last one
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
          if (!(await mayGo(deps, recordId, { kind, beforeMs }))) continue;
          for (const id of ids) {
            if (kind === 'deliveries' && !(await deps.expiredDocuments.isDelivered(id))) continue;
            await deps.expiredDocuments.remove(kind, id);
            removed += 1;
          }
        }
        return { removed, ...(next === undefined ? {} : { next }) };
      }),

    /** Removes what dead publications and dead attempts left behind. @returns how many of each */
    sweepLeftovers: async (): Promise<{ uploads: number; workFolders: number }> => ({
      uploads: await files.removeLeftovers(now() - ORPHAN_AFTER_MS),
      workFolders: (await workFolders.removeOlderThan(now() - WORK_FOLDER_AFTER_MS)).length,
    }),
  };
}

/** Whether a job has ended before a time. A success says from then on that its contents are gone: it answers no new request. */
async function mayGo(
  { records, now }: RetentionDeps,
  id: string,
  { kind, beforeMs }: { readonly kind: KeptKind; readonly beforeMs: number },
): Promise<boolean> {
  const record = await records.get(id);
  if (record === undefined) return true;
  if (record.status === 'pending' || Date.parse(record.finishedAt) >= beforeMs) return false;
  if (kind === 'contents') await records.noteContentsRemoved(id, formatMicroseconds(now() * 1000));
  return true;
}

/** `expired`: its record says so from now on, so that nobody is sent to a file that is about to go. */
async function fateOf(
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
  // Its job may be about to end the record, as soon as the database takes it.
  if (record?.status === 'pending' && (await isOpen(record.subjectId))) return 'kept';
  return 'orphan';
}

function owns(record: DownloadRecord & { readonly status: 'success' }, { name }: FileEntry): boolean {
  return record.files.some((file) => file.name === name);
}
