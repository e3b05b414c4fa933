import { mkdtemp, readdir, rm, stat, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import type { FailureCode } from '../../../contract/failures.ts';
import { JobError } from '../../../runtime/job-error.ts';
import { isPlatformRefusal } from '../../../pacing/routes.ts';
import type { SourceCall } from '../../source-call-options.ts';
import type { PickedRelease, YtdlpRelease } from '../yt-dlp/yt-dlp-settings.ts';

/** Failures that an outdated release may report. A refusal of this service is not one of them. */
const OUTDATED_RELEASE_CODES: ReadonlySet<FailureCode> = new Set<FailureCode>([
  'upstream_error',
  'no_audio',
  'unsupported',
  'drm_protected',
  'removed',
  'tool_missing',
]);

export interface ReleaseRuns {
  readonly isPage: boolean;
  readonly run: (release: YtdlpRelease, call: SourceCall) => Promise<string>;
  /** Reads the page and downloads nothing. */
  readonly simulate: (release: YtdlpRelease, call: SourceCall) => Promise<string>;
}

/**
 * Runs a release. If it cannot read the page, the previous release is run, and the job continues with the result of that run. If
 * the newer release then fails again on the same page, it is reported as failed.
 *
 * @returns the result of the run that succeeded
 * @throws the errors of a run
 */
export async function runCompared(picked: PickedRelease, call: SourceCall, how: ReleaseRuns): Promise<string> {
  const { release, older } = picked;
  const untilMs = performance.now() + call.timeoutMs;
  const remainingCall = (folder: string): SourceCall => ({
    ...call,
    folder,
    timeoutMs: Math.max(1, untilMs - performance.now()),
  });
  try {
    const restore = older === undefined ? undefined : await snapshotFolder(call.folder);
    try {
      const result = await how.run(release, call);
      await picked.worked();
      return result;
    } catch (error) {
      if (older === undefined || restore === undefined || !mayBeOutdated(error)) throw error;
      await restore();
      const result = await how.run(older, remainingCall(call.folder)).catch((olderError: unknown) => {
        throw isConclusive(olderError) ? error : olderError;
      });
      // A run that reads no page says nothing about how the release copes with the platform.
      if (!how.isPage) return result;
      const again = await inTemporaryFolder(call.folder, (folder) => how.simulate(release, remainingCall(folder))).then(
        () => undefined,
        (reason: unknown) => reason,
      );
      if (mayBeOutdated(again)) await picked.failed(reasonOf(again));
      return result;
    }
  } finally {
    picked.done();
  }
}

/** A refusal or a timeout of the older release does not confirm the failure of the newer one. */
function isConclusive(error: unknown): boolean {
  return error instanceof JobError && !isPlatformRefusal(error.code) && error.code !== 'upstream_timeout';
}

function mayBeOutdated(error: unknown): error is JobError {
  return error instanceof JobError && OUTDATED_RELEASE_CODES.has(error.code);
}

/** yt-dlp's own error line, which says more than the sentence for callers. */
function reasonOf({ code, message, cause }: JobError): string {
  const errorLine =
    cause instanceof Error ? cause.message.split('\n').findLast((line) => line.startsWith('ERROR:')) : undefined;
  return `${code}: ${(errorLine ?? message).slice(0, 500)}`;
}

/** @returns a function that removes everything that runs added to the folder after this call */
async function snapshotFolder(folder: string): Promise<() => Promise<void>> {
  const before = new Map<string, number>();
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    before.set(entry.name, entry.isFile() ? (await stat(join(folder, entry.name))).size : 0);
  }
  return async () => {
    for (const entry of await readdir(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name);
      const size = before.get(entry.name);
      if (size === undefined) await rm(path, { recursive: true, force: true });
      // yt-dlp appends to a file that already exists.
      else if (entry.isFile()) await truncate(path, size);
    }
  };
}

async function inTemporaryFolder<Result>(parent: string, use: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = await mkdtemp(join(parent, 'simulate-'));
  try {
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
