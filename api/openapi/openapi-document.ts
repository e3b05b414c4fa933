import { OpenAPIRegistry, OpenApiGeneratorV31 } from '@asteasolutions/zod-to-openapi';
import { z } from 'zod';
import { batchEventSchema } from '../../contract/batches/batch-answers.ts';
import { jobResultSchema } from '../../contract/kinds/kinds.ts';
import { failedRecordOf } from '../../contract/http/download-schemas.ts';
import { UPLOADS_PATH, uploadRecordSchema, uploadResultSchema } from '../../contract/kinds/upload.ts';
import { AUTHORIZATION_IGNORED } from '../access/access-middleware.ts';
import { errorExamples } from './error-examples.ts';
import { answersOfJobs, merged, otherAnswers } from './answer-examples.ts';
import { sampleRendering } from './render-examples.ts';
import { JSON_TYPE, responsesOf } from './operation-responses.ts';
import { webhooksOf } from './openapi-webhooks.ts';
import { uploadRoutes } from './upload-paths.ts';
import { errorsOf, isRepeatable, scopeOf, streamsEvents, waitSecondsOf } from '../operations/operation.ts';
import type { Operation } from '../operations/operation.ts';
import { operationGroups, operations } from '../operations/operations.ts';

type Document = ReturnType<OpenApiGeneratorV31['generateDocument']>;

const KEY_SCHEME = 'ApiKey';
const optionalText = z.string().optional();
const preferHeader = (defaultSeconds: number) =>
  optionalText.meta({
    description: `RFC 7240: \`wait=N\` waits up to N seconds (at most 60, by default ${String(defaultSeconds)}) for the result`,
    examples: ['wait=5'],
  });
const idempotencyHeader = z
  .string()
  .min(1)
  .max(255)
  .optional()
  .meta({
    description:
      'A request that is repeated with the same key within a day starts nothing more and gets the same answer',
    examples: ['8e03978e-40d5-43e8-bc93-6894a57f9324'],
  });
const lastEventHeader = optionalText.describe(
  'The ID of the last event that was received: the stream continues after it',
);

/** The jobs of uploads end with a webhook like all others. */
const UPLOADS = {
  method: 'post',
  path: UPLOADS_PATH,
  summary: 'Send a recording by tus 1.0',
  jobs: ['upload'],
  answers: {
    200: { description: 'The record', schema: uploadResultSchema },
    400: { description: 'The job failed', schema: failedRecordOf('UploadFailed', uploadRecordSchema) },
  },
} as const satisfies Pick<Operation, 'method' | 'path' | 'summary' | 'jobs' | 'answers'>;

const UPLOADS_TAG = { name: 'Uploads', description: 'Recordings of your own, by the protocol tus 1.0' };

export async function openApiDocument(
  publicUrl: string,
  { allowsAnonymous, defaultWaitSeconds }: { allowsAnonymous: boolean; defaultWaitSeconds: number },
): Promise<Document> {
  const rendering = sampleRendering(publicUrl);
  const others = await otherAnswers(rendering);
  const registry = new OpenAPIRegistry();
  registry.registerComponent('securitySchemes', KEY_SCHEME, {
    type: 'http',
    scheme: 'bearer',
    description: [
      'An API key, which the operator creates with `npm run keys`.',
      `Where keys are optional, an \`Authorization\` header without a key is ignored, and the answer has the header \`${AUTHORIZATION_IGNORED}\`.`,
    ].join(' '),
  });
  const rows: Readonly<Record<string, Operation>> = operations;
  for (const code of new Set(Object.values(rows).flatMap(errorsOf))) {
    registry.registerComponent('examples', code, { summary: code, value: errorExamples[code] });
  }
  const keyed = [{ [KEY_SCHEME]: [] }, ...(allowsAnonymous ? [{}] : [])];
  for (const { tag, rows: group } of operationGroups) {
    for (const [id, operation] of Object.entries<Operation>(group)) {
      const ofJobs = await answersOfJobs(rendering, operation.jobs ?? []);
      const examples = merged(ofJobs, others[id as keyof typeof operations] ?? {});
      const headers = z.object({
        ...(operation.wait && { prefer: preferHeader(waitSecondsOf(operation, defaultWaitSeconds)) }),
        ...(isRepeatable(operation) && { 'idempotency-key': idempotencyHeader }),
        ...(streamsEvents(operation) && { 'last-event-id': lastEventHeader }),
      });
      registry.registerPath({
        operationId: id,
        tags: [tag],
        method: operation.method,
        path: operation.path,
        summary: operation.summary,
        security: scopeOf(operation) === 'none' ? [] : keyed,
        request: {
          params: operation.params,
          query: operation.query,
          headers,
          ...(operation.body && {
            body: {
              required: operation.isBodyOptional !== true,
              content: { [JSON_TYPE]: { schema: operation.body } },
            },
          }),
        },
        responses: responsesOf({ id, operation, examples }),
      });
    }
  }
  for (const route of uploadRoutes(keyed)) registry.registerPath(route);
  for (const webhook of await webhooksOf({ ...rows, createUpload: UPLOADS }, rendering))
    registry.registerWebhook(webhook);
  // The generator does not find these schemas by itself, because only the schemas of events refer to them.
  const ofEvents = [jobResultSchema, batchEventSchema].map((schema) => ({ type: 'schema' as const, schema }));
  const definitions = [...registry.definitions, ...ofEvents];
  return new OpenApiGeneratorV31(definitions).generateDocument({
    openapi: '3.1.0',
    info: {
      title: 'Tapedeck',
      version: '1.0',
      description:
        'Public media and metadata as durable jobs. Poll, wait with `Prefer: wait=N`, follow events, or get a webhook.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: publicUrl }],
    tags: [...operationGroups.map(({ tag, about }) => ({ name: tag, description: about })), UPLOADS_TAG],
  });
}
