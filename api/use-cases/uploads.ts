import type { Upload } from '@tus/server';
import { z } from 'zod';
import type { Caller } from '../../contract/http/account-schemas.ts';
import { webhookUrlSchema } from '../../contract/http/fields.ts';
import type { DownloadRecord } from '../../contract/download-record.ts';
import { FAILURE_FAULTS } from '../../contract/failures.ts';
import { subjectIdOf } from '../../contract/kinds/subjects.ts';
import { uploadNameSchema, uploadTypeSchema } from '../../contract/kinds/upload.ts';
import type { LimitedCaller } from '../access/access-middleware.ts';
import { invalidField } from '../http/to-api-error.ts';
import type { ServiceDeps } from '../service-deps.ts';
import { currentJob } from './current-job.ts';
import { startOrJoin } from './start-or-join.ts';
import { assertWebhookTarget, subscriberOf } from './subscribers.ts';

/** The fields of `Upload-Metadata`, which tus clients fill with what a browser knows about a file. */
const metadataSchema = z.object({
  filename: uploadNameSchema,
  filetype: uploadTypeSchema,
  include_webhook: webhookUrlSchema.exactOptional(),
});
/** If reading a file takes longer, the upload is answered as received, and its job may fail later. */
const READ_WITHIN_MS = 10_000;
type Metadata = Readonly<Record<string, string | null>>;

/** @returns the metadata to keep, with the owner @throws ApiError that names the field */
export function checkedMetadata(deps: ServiceDeps, caller: Caller, given: Metadata | undefined): Metadata {
  const parsed = metadataSchema.safeParse(given ?? {});
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw invalidField(`Upload-Metadata.${String(issue?.path[0])}`, issue?.message ?? 'is not valid');
  }
  const { include_webhook: url } = parsed.data;
  if (url !== undefined) assertWebhookTarget(deps, { url, field: 'Upload-Metadata.include_webhook' });
  return { ...parsed.data, owner: subscriberOf(caller) };
}

export function isOwner(caller: Caller, { metadata }: Upload): boolean {
  return metadata?.['owner'] === subscriberOf(caller);
}

/**
 * Starts the job of an upload whose last byte has arrived. The job has the ID of the upload, so a repetition changes nothing.
 *
 * @returns the record of the job
 */
export async function startUploadJob(
  deps: ServiceDeps,
  caller: LimitedCaller,
  { id, metadata }: Pick<Upload, 'id' | 'metadata'>,
): Promise<DownloadRecord> {
  const { filename: title, filetype: contentType, include_webhook: webhookUrl } = metadataSchema.parse(metadata);
  const { record } = await startOrJoin(deps, caller, {
    ...{ type: 'upload', recordId: id, mediaId: id, subjectId: subjectIdOf('upload', id) },
    parameters: { title, contentType },
    price: deps.rendering.prices.upload,
    webhookUrl,
  });
  return record;
}

/** Waits briefly for a job, because it fails soon if its file is no recording. @throws ApiError that names the field */
export async function rejectUnreadable(deps: ServiceDeps, pending: DownloadRecord): Promise<void> {
  const { record } = await currentJob(deps, pending, READ_WITHIN_MS);
  if (record.status === 'failed' && FAILURE_FAULTS[record.failure.code] === 'subject') {
    throw invalidField('file', record.failure.message);
  }
}
