import { isDeepStrictEqual } from 'node:util';
import { failureFor } from '../contract/failures.ts';
import { JobError } from '../runtime/job-error.ts';
import { UnreadableMediaError } from '../media/media-guard.ts';
import { DownloadError, type DownloadProblem } from '../outbound/download.ts';

/** The statuses with which a media host answers an expired link. */
const EXPIRED = new Set([403, 404, 410]);

export function hasExpired(error: unknown): boolean {
  return error instanceof DownloadError && error.problem.kind === 'status' && EXPIRED.has(error.problem.statusCode);
}

/** How ffmpeg reports a container or codec that is not in the lists of media/media-guard.ts, or that it does not know. */
const UNKNOWN_FORMAT = /not on whitelist|no decoder found|Decoder .*not found|could not find codec parameters/i;
/** The name of the container or codec. */
const NAMED_FORMAT = /\[([\w,]+) @ \w+\] (?:Format|Codec \(\w+\)) not on whitelist/;

interface Fetched {
  readonly sizes: readonly number[];
  /** Undefined if nothing states the size of a file. */
  readonly cameWhole: boolean | undefined;
}

/** Fetches media and reads them. If they seem cut off, they are fetched again: if the sizes are the same, all bytes came. */
export async function fetchAndRead<Media extends Fetched, Result>(
  fetch: () => Promise<Media>,
  read: (media: Media, cameWhole: boolean) => Promise<Result>,
  earlierSizes?: readonly number[],
): Promise<Result> {
  const media = await fetch();
  const cameWhole = media.cameWhole ?? isDeepStrictEqual(media.sizes, earlierSizes);
  try {
    return await readingMedia(cameWhole, () => read(media, cameWhole));
  } catch (error) {
    const seemsCutOff = error instanceof JobError && error.code === 'incomplete';
    if (!seemsCutOff || media.cameWhole !== undefined || earlierSizes !== undefined) throw error;
  }
  return fetchAndRead(fetch, read, media.sizes);
}

/**
 * Media in a format that is not converted, and unreadable media that arrived completely are the subject's fault, because another
 * download would bring the same. Unreadable media that is incomplete is the upstream's fault.
 */
async function readingMedia<Result>(isWhole: boolean, read: () => Promise<Result>): Promise<Result> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof UnreadableMediaError)) throw error;
    const report = error.cause instanceof Error ? error.cause.message : '';
    const [, format] = NAMED_FORMAT.exec(report) ?? [];
    if (format !== undefined) throw new JobError(failureFor('mediaFormatNamed', { format }), { cause: error.cause });
    if (UNKNOWN_FORMAT.test(report)) throw new JobError('mediaFormatUnsupported', { cause: error.cause });
    if (!isWhole) throw error;
    throw new JobError('mediaUnreadable', { cause: error.cause });
  }
}

const DOWNLOAD_FAILURES = {
  forbidden: 'addressForbidden',
  too_large: 'videoTooLarge',
  too_slow: 'mediaTooSlow',
  incomplete: 'mediaHostIncomplete',
} as const;

/** @returns the failure of a job for an error of a download; any other error unchanged */
export function mediaFailure(error: unknown): unknown {
  return error instanceof DownloadError ? new JobError(reasonOf(error.problem), { cause: error }) : error;
}

function reasonOf(problem: DownloadProblem) {
  if (problem.kind === 'status') return problem.statusCode === 429 ? 'mediaHostRateLimited' : 'mediaHostFailed';
  if (problem.kind !== 'unreachable') return DOWNLOAD_FAILURES[problem.kind];
  return problem.error === 'timeout' ? 'mediaHostTimeout' : 'mediaHostUnreachable';
}
