import type { Logger } from 'pino';
import type { WorkFolders } from '../store/files/work-folders.ts';
import { repeatSweep } from './repeat-sweep.ts';

const EVERY_MS = 5 * 60_000;

/** Removes the work folders that ended workers left behind, now and regularly. */
export async function keepRemovingAbandoned(
  folders: readonly Pick<WorkFolders, 'removeAbandoned'>[],
  log: Pick<Logger, 'info' | 'warn'>,
): Promise<void> {
  const remove = async (): Promise<void> => {
    const removed = (await Promise.all(folders.map((one) => one.removeAbandoned()))).flat();
    if (removed.length > 0) log.info({ removed }, 'removed what an earlier worker left behind');
  };
  await remove();
  // A container that replaces another has another name, and cannot see yet that the other is gone.
  const onError = (error: unknown): void => log.warn({ err: error }, 'old work folders could not be removed');
  repeatSweep(remove, { everyMs: EVERY_MS, onError });
}
