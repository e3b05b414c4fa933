import { statfs } from 'node:fs/promises';
import { MongoError } from 'mongodb';
import { JobError } from '../../runtime/job-error.ts';

/** What is left on the file systems that downloads fill. */
export type SpaceGuard = ReturnType<typeof createSpaceGuard>;

export interface SpaceGuardSettings {
  /** Folders that exist, on the file systems that are watched. */
  readonly folders: readonly string[];
  /** Needed to begin; half of it to go on. 0: nobody looks ahead. */
  readonly minFreeBytes: number;
  /** Free bytes of the file system of a folder, as an ordinary user sees them. */
  readonly freeBytes?: (folder: string) => Promise<number>;
  readonly lookEveryMs?: number;
}

const LOOK_EVERY_MS = 1_000;
/** One download is stopped at a time: what it gives back may be enough for the others. */
const STOP_APART_MS = 5_000;
/** With less nothing can be written that is worth it. */
const NOTHING_BYTES = 1024 ** 2;

export function createSpaceGuard(settings: SpaceGuardSettings) {
  const { folders, minFreeBytes, freeBytes = freeBytesOf, lookEveryMs = LOOK_EVERY_MS } = settings;
  const leastFree = async (): Promise<number> => Math.min(...(await Promise.all(folders.map(freeBytes))));
  const shortBelow = Math.max(minFreeBytes / 2, NOTHING_BYTES);
  // What can't be looked at is no reason to stop: a disk that is full says so itself.
  const isShort = async (): Promise<boolean> => (await leastFree().catch(() => Infinity)) < shortBelow;
  let stoppedAtMs = -Infinity;
  return {
    /** @throws JobError `disk_full` when there is too little to begin */
    async require(): Promise<void> {
      if ((await leastFree()) < minFreeBytes) throw diskFull();
    },
    /**
     * Looks again and again while a download runs.
     *
     * @param onShort told once, when so little is left that the download must stop
     * @returns what ends the looking
     */
    watch(onShort: (error: JobError) => void): () => void {
      if (minFreeBytes === 0) return () => undefined;
      let isOver = false;
      let timer: NodeJS.Timeout | undefined;
      const look = async (): Promise<void> => {
        const isStop = await isShort();
        if (isOver) return;
        if (isStop && performance.now() - stoppedAtMs > STOP_APART_MS) {
          stoppedAtMs = performance.now();
          onShort(diskFull());
          return;
        }
        timer = setTimeout(() => void look(), lookEveryMs);
      };
      timer = setTimeout(() => void look(), lookEveryMs);
      return () => {
        isOver = true;
        clearTimeout(timer);
      };
    },
    /** Whether so little is left that whatever went wrong just now went wrong for that. */
    isShort,
  };
}

/** The failure of a job for which there is no space; where it was not seen ahead, with what the system said. */
export function diskFull(cause?: unknown): JobError {
  return new JobError('diskFull', cause === undefined ? {} : { cause });
}

/** Whether a full disk, or a quota, is what an error is about: ours, or that of the database. */
export function isDiskFull(error: unknown): boolean {
  for (let one = error; one instanceof Error; one = one.cause) {
    if ('code' in one && (one.code === 'ENOSPC' || one.code === 'EDQUOT')) return true;
    if (one instanceof MongoError && isOfFullDatabase(one)) return true;
  }
  return false;
}

/** `OutOfDiskSpace`: mongod refuses what it would have to write beside its data. When it cannot write those, it ends. */
const OUT_OF_DISK_SPACE = 14031;
/** `UserWritesBlocked`: a managed cluster takes no more writes. */
const WRITES_BLOCKED = 371;
/**
 * What the embedded server passes on of SQLite: SQLITE_FULL, SQLITE_IOERR_WRITE (a quota, a limit on the size of files), and
 * SQLITE_IOERR_SHMSIZE (no room for the index of its log).
 */
const OF_SQLITE = /(?:database or disk is full \(13\)|disk I\/O error \((?:778|4874)\))$/;
const INTERNAL_ERROR = 1;

function isOfFullDatabase({ code, message }: MongoError): boolean {
  if (code === WRITES_BLOCKED) return message.includes('DiskUseThresholdExceeded');
  return code === OUT_OF_DISK_SPACE || (code === INTERNAL_ERROR && OF_SQLITE.test(message));
}

async function freeBytesOf(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}
