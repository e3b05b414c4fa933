import { z } from 'zod';
import { titleOf } from './download-schemas.ts';
import { FAILURE_FAULTS } from '../failures.ts';
import { countSchema, timestampSchema } from './fields.ts';
import { ulidSchema } from '../ids.ts';
import { failureCodeField } from './job-answers.ts';
import type { RequestForJob } from '../kinds/kind.ts';
import { kinds } from '../kinds/kinds.ts';
import { mayHaveSound, soundFileOf } from '../kinds/sound.ts';
import type { DownloadRecord } from '../download-record.ts';

/** A REST request without the fields that concern its caller only, such as a webhook. */
const requestForJobSchema = z
  .object({
    method: z.literal('POST'),
    path: z.string(),
    body: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'RequestForJob' });

/** Answer of GET /api/downloads/{downloadId}/job, an addition to the specification. */
export const jobDetailsSchema = z
  .object({
    download_id: ulidSchema,
    title: z.string().nullable().describe('The title on the platform; null until it is known'),
    finished_at: timestampSchema.nullable().describe('Null while the job runs'),
    failure: z
      .object({
        code: failureCodeField,
        fault: z
          .enum(['subject', 'upstream', 'internal'])
          .describe(
            'The origin of the failure: the subject (final), the platform (`upstream`, may recover) or the service (`internal`, the operator acts)',
          ),
        message: z.string(),
      })
      .nullable(),
    request: requestForJobSchema
      .nullable()
      .describe(
        'The request that starts the same job again; null for parts of lists, which need the `list_id` of a new profile',
      ),
    files: z.array(z.object({ name: z.string(), size_bytes: countSchema, sha256: z.string() })),
    transcription_seconds: countSchema
      .nullable()
      .describe('About how long its speaker labels take; null without sound, and until a speed was measured'),
    workflow: z.object({
      id: z.string(),
      url: z.url().nullable().describe('The page in the Temporal Web UI; null if its address is not configured'),
    }),
  })
  .meta({ id: 'JobDetails' });
export type JobDetails = z.infer<typeof jobDetailsSchema>;

/** @param speed the real-time factor of the speech engine, if it is known */
export function renderJobDetails(record: DownloadRecord, workflowUrl?: string, speed?: number): JobDetails {
  const request: RequestForJob | undefined = kinds[record.type].requestOf(record);
  return {
    download_id: record.id,
    title: titleOf(record) ?? null,
    finished_at: record.status === 'pending' ? null : record.finishedAt,
    failure: record.status === 'failed' ? { ...record.failure, fault: FAILURE_FAULTS[record.failure.code] } : null,
    request: request === undefined ? null : { method: 'POST', ...request },
    files:
      record.status === 'success'
        ? record.files.map(({ name, sizeBytes, sha256 }) => ({ name, size_bytes: sizeBytes, sha256 }))
        : [],
    transcription_seconds:
      speed !== undefined && record.status === 'success' && mayHaveSound(record) && soundFileOf(record) !== undefined
        ? Math.ceil((record.durationSeconds ?? 0) * speed)
        : null,
    workflow: { id: record.subjectId, url: workflowUrl ?? null },
  };
}
