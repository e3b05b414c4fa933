import type { Logger } from 'pino';
import { removeContentsOf, type RemovalDeps } from '../api/use-cases/remove-contents.ts';
import { ApiError } from '../contract/http/api-error.ts';
import type { SpeechAudio } from '../store/files/speech-audio.ts';
import { UPLOAD_KEPT_MS, type Uploads } from '../store/files/uploads.ts';
import type { WorkFolders } from '../store/files/work-folders.ts';
import type { TimedIds } from '../store/mongo/timed-ids.ts';
import type { RecordStore } from '../store/records/record-store.ts';

const MINUTE_MS = 60_000;

type SweepLog = Pick<Logger, 'info' | 'warn'>;

interface SweepDeps extends RemovalDeps {
  readonly removals: TimedIds;
  readonly folders: readonly Pick<WorkFolders, 'removeAbandoned'>[];
  readonly speechAudio: Pick<SpeechAudio, 'list' | 'remove'>;
  readonly uploads: Pick<Uploads, 'removeOlderThan'>;
  readonly now: () => number;
  readonly log: SweepLog;
}

/** Removes what jobs and ended workers leave behind, now and regularly. @throws if folders or audio cannot be removed now */
export async function startSweeps(deps: SweepDeps): Promise<{ readonly stop: () => void }> {
  const { folders, speechAudio, uploads, records, now, log } = deps;
  const isPending = async (id: string): Promise<boolean> => (await records.get(id))?.status === 'pending';
  const removeAbandoned = async () => (await Promise.all(folders.map((one) => one.removeAbandoned()))).flat();
  const removeUploads = () => uploads.removeOlderThan(now() - UPLOAD_KEPT_MS, isPending);
  const removeAudio = () => removeSpeechLeftovers(speechAudio, records);
  // A container that replaces another has another name, and cannot see yet that the other is gone.
  const ofFolders = keepRemoving('abandoned work folders', removeAbandoned, { everyMs: 5 * MINUTE_MS, log });
  // Other machines end jobs whose audio is on this one.
  const ofAudio = keepRemoving('audio of ended transcriptions', removeAudio, { everyMs: MINUTE_MS, log });
  const ofUploads = keepRemoving('old uploads', removeUploads, { everyMs: 15 * MINUTE_MS, log });
  const ofContents = keepRemoving('limited contents', () => removeLimitedContents(deps), { everyMs: MINUTE_MS, log });
  await ofFolders.sweep();
  await ofAudio.sweep();
  ofUploads.run();
  return {
    stop() {
      for (const { stop } of [ofFolders, ofAudio, ofUploads, ofContents]) stop();
    },
  };
}

/** Repeats a removal regularly, one run at a time. The timer does not keep the process alive. */
export function keepRemoving(
  what: string,
  remove: () => Promise<readonly string[] | number>,
  { everyMs, log }: { readonly everyMs: number; readonly log: SweepLog },
) {
  const sweep = async (): Promise<void> => {
    const removed = await remove();
    if (typeof removed === 'number' ? removed > 0 : removed.length > 0) log.info({ removed }, `removed ${what}`);
  };
  let isRunning = false;
  const run = (): void => {
    if (isRunning) return;
    isRunning = true;
    void sweep()
      .catch((error: unknown) => log.warn({ err: error }, `${what} could not be removed`))
      .finally(() => (isRunning = false));
  };
  const timer = setInterval(run, everyMs).unref();
  return { sweep, run, stop: () => clearInterval(timer) };
}

/** A workflow removes its prepared audio at its end, but only on one machine, and not if it is terminated. @returns record IDs */
export async function removeSpeechLeftovers(
  audio: Pick<SpeechAudio, 'list' | 'remove'>,
  records: Pick<RecordStore, 'get'>,
): Promise<readonly string[]> {
  const removed: string[] = [];
  for (const recordId of await audio.list()) {
    const record = await records.get(recordId);
    if (record?.status === 'pending') continue;
    await audio.remove(recordId);
    removed.push(recordId);
  }
  return removed;
}

/** Removes the contents that requests wanted to be kept for a limited time, unless others have requested them too. */
export async function removeLimitedContents(deps: RemovalDeps & Pick<SweepDeps, 'removals' | 'now'>): Promise<number> {
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
