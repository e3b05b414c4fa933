import type { ResponseConfig, RouteConfig } from '@asteasolutions/zod-to-openapi';
import { z } from 'zod';
import { ERROR_TABLE, errorBodySchema, type ErrorCode } from '../../contract/http/api-error.ts';
import { ulidSchema } from '../../contract/ids.ts';
import { UPLOADS_PATH } from '../../contract/kinds/upload.ts';
import { JSON_TYPE } from './operation-responses.ts';

const version = z.literal('1.0.0').describe('The version of tus');
const offset = z.coerce.number().int().min(0).describe('How many bytes have been received');
const length = z.coerce.number().int().min(1).describe('The size of the file in bytes');
const metadata = z.string().describe('Pairs of a name and a value in Base64, separated by commas');
const OFFSETS = { 'Upload-Offset': offset };

interface UploadRequest {
  readonly operationId: string;
  readonly method: 'post' | 'head' | 'patch' | 'delete';
  readonly summary: string;
  /** Beside the version. */
  readonly headers?: z.ZodRawShape;
  readonly answer: readonly [status: number, description: string, headers?: z.ZodRawShape];
  readonly errors: readonly ErrorCode[];
}

const REQUESTS: readonly UploadRequest[] = [
  {
    operationId: 'createUpload',
    method: 'post',
    summary: 'Begin to send a recording by tus 1.0',
    headers: {
      'Upload-Length': length,
      'Upload-Metadata': metadata.describe(
        '`filename` and `filetype` (such as `audio/mp4`), and optionally `include_webhook`: each a name and a value in Base64, separated by commas',
      ),
    },
    answer: [
      201,
      'The upload, to which the bytes are sent. Its ID is also that of its job',
      { Location: z.string().describe(`${UPLOADS_PATH}/{uploadId}`) },
    ],
    errors: ['invalid_input', 'body_too_large', 'webhook_target_forbidden'],
  },
  {
    operationId: 'getUploadOffset',
    method: 'head',
    summary: 'Get how much of a recording has been received, to continue after a cut',
    answer: [200, 'The state of the upload', { ...OFFSETS, 'Upload-Length': length, 'Upload-Metadata': metadata }],
    errors: ['not_found'],
  },
  {
    operationId: 'sendUpload',
    method: 'patch',
    summary: 'Send bytes of a recording. The last one starts its job, and a file that is no recording is refused',
    headers: OFFSETS,
    answer: [204, 'The bytes are stored', OFFSETS],
    errors: ['invalid_input', 'not_found', 'body_too_large', 'insufficient_credit'],
  },
  {
    operationId: 'deleteUpload',
    method: 'delete',
    summary: 'Remove an unfinished upload',
    answer: [204, 'The upload is removed'],
    errors: ['invalid_input', 'not_found'],
  },
];

/** Statuses of the protocol, whose code is `invalid_input`. */
const OF_TUS = { 412: 'The version of tus is not supported' };
const OF_PATCH = {
  ...OF_TUS,
  409: 'The offset is not that of the upload',
  415: 'The content type is not application/offset+octet-stream',
};
const ALWAYS: readonly ErrorCode[] = ['unauthorized', 'forbidden', 'rate_limited', 'internal', 'unavailable'];

/** The requests of tus 1.0, which have no JSON and so are no rows of the table of operations. */
export function uploadRoutes(security: RouteConfig['security']): readonly RouteConfig[] {
  return REQUESTS.map(({ operationId, method, summary, headers, answer: [status, description, sent], errors }) => ({
    ...{ operationId, method, summary, tags: ['Uploads'], ...(security && { security }) },
    path: method === 'post' ? UPLOADS_PATH : `${UPLOADS_PATH}/{uploadId}`,
    request: {
      headers: z.object({ 'Tus-Resumable': version, ...headers }),
      ...(method !== 'post' && { params: z.object({ uploadId: ulidSchema }) }),
      ...(method === 'patch' && {
        body: {
          required: true,
          content: { 'application/offset+octet-stream': { schema: { type: 'string' as const, format: 'binary' } } },
        },
      }),
    },
    responses: {
      [status]: { description, headers: z.object({ 'Tus-Resumable': version, ...sent }) },
      ...refusals(method, [...errors, ...ALWAYS]),
    },
  }));
}

function refusals(method: UploadRequest['method'], codes: readonly ErrorCode[]): Record<string, ResponseConfig> {
  const described = new Map<string, string>(Object.entries(method === 'patch' ? OF_PATCH : OF_TUS));
  for (const code of codes) {
    const status = String(ERROR_TABLE[code].http);
    described.set(status, [described.get(status) ?? [], code].flat().join(', '));
  }
  const content = { [JSON_TYPE]: { schema: errorBodySchema } };
  const rows = [...described].map(([status, description]) => [
    status,
    { description, ...(method !== 'head' && { content }) },
  ]);
  return Object.fromEntries(rows) as Record<string, ResponseConfig>;
}
