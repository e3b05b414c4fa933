import { statfs } from 'node:fs/promises';
import { MongoError } from 'mongodb';
import { JobError } from '../../runtime/job-error.ts';
import { watchFor } from '../../runtime/subprocess/folder-watch.ts';

export type SpaceGuard = ReturnType<typeof createSpaceGuard>;

export interface SpaceGuardSettings {
  /** Existing folders on the file systems to check. */
  readonly folders: readonly string[];
  /** The free space that a download needs to start; it needs half of that to continue. 0 disables the checks. */
  readonly minFreeBytes: number;
  readonly freeBytes?: (folder: string) => Promise<number>;
  readonly checkEveryMs?: number;
}

/** Downloads are stopped one at a time, because the space of one may be enough for the others. */
const STOP_INTERVAL_MS = 5_000;
/** With less, no download can be written. */
const LEAST_BYTES = 1024 ** 2;

export function createSpaceGuard(settings: SpaceGuardSettings) {
  const { folders, minFreeBytes, freeBytes = freeBytesOf, checkEveryMs = 1_000 } = settings;
  const leastFree = async (): Promise<number> => Math.min(...(await Promise.all(folders.map(freeBytes))));
  const shortBelow = Math.max(minFreeBytes / 2, LEAST_BYTES);
  // An unknown amount stops nothing: a write to a full disk fails by itself.
  const isShort = async (): Promise<boolean> => (await leastFree().catch(() => Infinity)) < shortBelow;
  let stoppedAtMs = -Infinity;
  return {
    /** @throws JobError `disk_full` when too little is left to start a download */
    async require(): Promise<void> {
      if ((await leastFree()) < minFreeBytes) throw diskFull();
    },
    /** @param onShort called once, when so little is left that the download must stop */
    watch(onShort: (error: JobError) => void): () => void {
      if (minFreeBytes === 0) return () => undefined;
      return watchFor(checkEveryMs, async () => {
        if (!(await isShort()) || performance.now() - stoppedAtMs <= STOP_INTERVAL_MS) return undefined;
        return () => {
          stoppedAtMs = performance.now();
          onShort(diskFull());
        };
      });
    },
    /** Whether so little is left that it explains an error that has just occurred. */
    isShort,
  };
}

export function diskFull(cause?: unknown): JobError {
  return new JobError('diskFull', cause === undefined ? {} : { cause });
}

/** Whether an error is about a full disk or a quota, of this machine or of the database. */
export function isDiskFull(error: unknown): boolean {
  for (let one = error; one instanceof Error; one = one.cause) {
    if ('code' in one && (one.code === 'ENOSPC' || one.code === 'EDQUOT')) return true;
    if (one instanceof MongoError && isOfFullDatabase(one)) return true;
  }
  return false;
}

/** `OutOfDiskSpace`: mongod cannot write temporary files. It exits when it cannot write its data. */
const OUT_OF_DISK_SPACE = 14031;
/** `UserWritesBlocked`: a managed cluster refuses writes. */
const WRITES_BLOCKED = 371;
/** SQLITE_FULL, SQLITE_IOERR_WRITE (a quota) and SQLITE_IOERR_SHMSIZE (no room for the index of the log). */
const SQLITE_FULL_MESSAGE = /(?:database or disk is full \(13\)|disk I\/O error \((?:778|4874)\))$/;
const INTERNAL_ERROR = 1;

function isOfFullDatabase({ code, message }: MongoError): boolean {
  if (code === WRITES_BLOCKED) return message.includes('DiskUseThresholdExceeded');
  return code === OUT_OF_DISK_SPACE || (code === INTERNAL_ERROR && SQLITE_FULL_MESSAGE.test(message));
}

async function freeBytesOf(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}
