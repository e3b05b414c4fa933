import { extname } from 'node:path';
import type { JobResult } from '../contract/download-record.ts';
import type { FailureCode } from '../contract/failures.ts';
import type { UploadParameters } from '../contract/kinds/upload.ts';
import { JobError } from '../runtime/job-error.ts';
import { MissingFileError } from '../store/files/file-store.ts';
import type { Uploads } from '../store/files/uploads.ts';
import { fetchFile, type FetchJob, type MakerDeps } from './make-file.ts';

export interface UploadDeps extends MakerDeps {
  readonly uploads: Uploads;
}

/** An upload that fails with one of these codes is reported as unreadable, because their sentences are about platforms. */
const UNREADABLE: ReadonlySet<FailureCode> = new Set(['no_audio', 'no_video']);

export const createUploadActivity = ({ uploads, ...deps }: UploadDeps) => ({
  ingestUpload: ({ title, contentType, ...job }: FetchJob & UploadParameters): Promise<JobResult> =>
    fetchFile(deps, job, {
      format: contentType.startsWith('audio/') ? 'audio' : 'either',
      fetch: async ({ folder }) => {
        const path = await uploads.localCopy(job.recordId, folder, extensionOf(title)).catch((error: unknown) => {
          throw error instanceof MissingFileError ? new JobError('uploadMissing', { cause: error }) : error;
        });
        return { paths: [path], title, statedDurationSeconds: undefined, cameWhole: true };
      },
      asFailure: (error) =>
        error instanceof JobError && UNREADABLE.has(error.code)
          ? new JobError('uploadUnreadable', { cause: error })
          : error,
    }),
});

export const createUploadRemoval = ({ uploads }: Pick<UploadDeps, 'uploads'>) => ({
  /** Removes the received bytes, which the published file replaces. A second call changes nothing. */
  discardUpload: async (recordId: string): Promise<void> => uploads.remove(recordId),
});

/** The only sign of the format of raw sound. */
function extensionOf(name: string): string {
  return /^\.([a-z0-9]{1,8})$/i.exec(extname(name))?.[1]?.toLowerCase() ?? 'bin';
}
