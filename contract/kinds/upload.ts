import { z } from 'zod';
import { durationOf, fileFields, recordFields, renderFiles, renderRecordFields } from '../http/download-schemas.ts';
import { ulidSchema } from '../ids.ts';
import type { JobInput } from '../job-input.ts';
import { inData, type Kind, type RenderRecord } from './kind.ts';
import { jobBaseSchema } from '../job-schema.ts';
import { labelsOfVideo } from './sound.ts';

/** Where uploads are accepted, by the protocol tus 1.0. */
export const UPLOADS_PATH = '/api/uploads';
export const UPLOAD_NAME_MAX_CHARS = 300;

export const uploadNameSchema = z.string().min(1).max(UPLOAD_NAME_MAX_CHARS);
export const uploadTypeSchema = z
  .string()
  .max(100)
  .regex(/^(?:audio|video)\/[\w.+-]+$/, 'must be the media type of a recording: audio/… or video/…');
const parametersSchema = z.object({ title: uploadNameSchema, contentType: uploadTypeSchema });
export type UploadParameters = Readonly<z.infer<typeof parametersSchema>>;
export type UploadJob = JobInput & { readonly parameters: UploadParameters };

export const uploadRecordSchema = z
  .object({
    ...recordFields,
    ...fileFields,
    type: z.literal('upload'),
    name: z.string().describe('The name of the uploaded file'),
    file_urls: recordFields.file_urls.describe(
      'One signed link to the file, as M4A or MP4; null until the status is success, and when the file was removed',
    ),
  })
  .meta({ id: 'UploadRecord' });
export type UploadRecord = z.infer<typeof uploadRecordSchema>;

export const uploadResultSchema = z.object({ data: uploadRecordSchema }).meta({ id: 'UploadResult' });
export type UploadResult = z.infer<typeof uploadResultSchema>;

const renderUpload: RenderRecord<UploadRecord> = (record, context, progress) => {
  const files = renderFiles(record, context);
  const isSound = record.status === 'success' && record.files[0]?.name.endsWith('.m4a') === true;
  return {
    ...renderRecordFields(record, progress),
    type: 'upload',
    name: (record.parameters as UploadParameters).title,
    duration: durationOf(record),
    ...files,
    audio_url: isSound ? files.audio_url : null,
    ...labelsOfVideo(record, context.prices),
  };
};

export const upload = {
  workflow: 'upload',
  endpoint: 'uploads',
  freshness: 'files',
  prices: { upload: { setting: 'PRICE_UPLOAD', default: '0.000', about: 'Price of an upload' } },
  job: jobBaseSchema.extend({ type: z.literal('upload'), mediaId: ulidSchema, parameters: parametersSchema }),
  sample: {
    mediaId: '01JD5Z3K6VQ0W8R9T2X4Y6B80U',
    price: 0,
    file: '01JD5Z3K6VQ0W8R9T2X4Y6B80U.m4a',
    progress: { stage: 'converting' },
    failure: ['unsupported', 'The media cannot be read: they are damaged or in an unknown format.'],
    parameters: { title: 'interview.wav', contentType: 'audio/wav' },
  },
  record: uploadRecordSchema,
  // The bytes are not kept, so no request repeats the job.
  requestOf: () => undefined,
  renderRecord: renderUpload,
  render: inData(renderUpload),
} as const satisfies Kind;
