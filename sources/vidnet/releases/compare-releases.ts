import { mkdtemp, readdir, rm, stat, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import type { FailureCode } from '../../../contract/failures.ts';
import { JobError } from '../../../runtime/job-error.ts';
import { isPlatformRefusal } from '../../../pacing/routes.ts';
import type { SourceCall } from '../../source-call-options.ts';
import type { PickedRelease, YtdlpRelease } from '../yt-dlp/yt-dlp-settings.ts';

/** What a release says that does not know the platform any more. A refusal of this service is no such thing. */
const MAY_BE_ITS_FAULT: ReadonlySet<FailureCode> = new Set<FailureCode>([
  'upstream_error',
  'no_audio',
  'unsupported',
  'drm_protected',
  'removed',
  'tool_missing',
]);

export interface ComparedRun {
  readonly isPage: boolean;
  readonly run: (release: YtdlpRelease, call: SourceCall) => Promise<string>;
  /** The same, and downloads nothing. */
  readonly look: (release: YtdlpRelease, call: SourceCall) => Promise<string>;
}

/**
 * Runs a release. Where it can't read the page, the one before is asked: if that one can, the job goes on with what it brought. If
 * the newer one then fails at the same page again, it was no chance, and it is told.
 *
 * @returns what the run returned that went well
 * @throws as the run
 */
export async function runCompared(picked: PickedRelease, call: SourceCall, how: ComparedRun): Promise<string> {
  const { release, older } = picked;
  const untilMs = performance.now() + call.timeoutMs;
  const restOf = (folder: string): SourceCall => ({
    ...call,
    folder,
    timeoutMs: Math.max(1, untilMs - performance.now()),
  });
  try {
    const undo = older === undefined ? undefined : await remember(call.folder);
    try {
      const result = await how.run(release, call);
      await picked.worked();
      return result;
    } catch (error) {
      if (older === undefined || undo === undefined || !mayBeItsFault(error)) throw error;
      await undo();
      const result = await how.run(older, restOf(call.folder)).catch((olderError: unknown) => {
        throw isAnswer(olderError) ? error : olderError;
      });
      // Of what is no page, only the job matters.
      if (!how.isPage) return result;
      const again = await inOwnFolder(call.folder, (folder) => how.look(release, restOf(folder))).then(
        () => undefined,
        (reason: unknown) => reason,
      );
      if (mayBeItsFault(again)) await picked.failed(wordsOf(again));
      return result;
    }
  } finally {
    picked.done();
  }
}

/** One that was sent away, or heard nothing, can't say that the other one is right. */
function isAnswer(error: unknown): boolean {
  return error instanceof JobError && !isPlatformRefusal(error.code) && error.code !== 'upstream_timeout';
}

function mayBeItsFault(error: unknown): error is JobError {
  return error instanceof JobError && MAY_BE_ITS_FAULT.has(error.code);
}

/** What yt-dlp itself said, since our own sentence tells callers less. */
function wordsOf({ code, message, cause }: JobError): string {
  const told =
    cause instanceof Error ? cause.message.split('\n').findLast((line) => line.startsWith('ERROR:')) : undefined;
  return `${code}: ${(told ?? message).slice(0, 500)}`;
}

/** @returns what brings a folder back to how it is now, as far as a run adds to it */
async function remember(folder: string): Promise<() => Promise<void>> {
  const before = new Map<string, number>();
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    before.set(entry.name, entry.isFile() ? (await stat(join(folder, entry.name))).size : 0);
  }
  return async () => {
    for (const entry of await readdir(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name);
      const size = before.get(entry.name);
      if (size === undefined) await rm(path, { recursive: true, force: true });
      // yt-dlp appends to a file that was made for it.
      else if (entry.isFile()) await truncate(path, size);
    }
  };
}

async function inOwnFolder<Result>(parent: string, use: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = await mkdtemp(join(parent, 'look-'));
  try {
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
