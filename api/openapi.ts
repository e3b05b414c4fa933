import { OpenAPIRegistry, OpenApiGeneratorV31 } from '@asteasolutions/zod-to-openapi';
import { z } from 'zod';
import { ERROR_TABLE, errorBodySchema } from '../contract/errors.ts';
import { scopeOf, type Operation } from './operation.ts';
import { operations } from './operations.ts';

type Document = ReturnType<OpenApiGeneratorV31['generateDocument']>;

const KEY_SCHEME = 'ApiKey';
const JSON_TYPE = 'application/json';
const preferHeader = (defaultSeconds: number) =>
  z.object({
    prefer: z
      .string()
      .optional()
      .meta({
        description: `RFC 7240: \`wait=N\` waits up to N seconds (at most 60, by default ${String(defaultSeconds)}) for the result`,
        examples: ['wait=25'],
      }),
  });

/** The OpenAPI 3.1 document of the REST facade, made from the table that also makes the routes. */
export function openApiDocument(publicUrl: string, { allowsAnonymous }: { allowsAnonymous: boolean }): Document {
  const registry = new OpenAPIRegistry();
  registry.registerComponent('securitySchemes', KEY_SCHEME, {
    type: 'http',
    scheme: 'bearer',
    description: 'An API key; the operator makes it with `npm run keys`',
  });
  const keyed = [{ [KEY_SCHEME]: [] }, ...(allowsAnonymous ? [{}] : [])];
  for (const [operationId, operation] of Object.entries<Operation>(operations)) {
    registry.registerPath({
      operationId,
      method: operation.method,
      path: operation.path,
      summary: operation.summary,
      security: scopeOf(operation) === 'none' ? [] : keyed,
      request: {
        ...(operation.params === undefined ? {} : { params: operation.params }),
        ...(operation.query === undefined ? {} : { query: operation.query }),
        ...(operation.waitSeconds === undefined ? {} : { headers: preferHeader(operation.waitSeconds) }),
        ...(operation.body === undefined
          ? {}
          : { body: { required: true, content: { [JSON_TYPE]: { schema: operation.body } } } }),
      },
      responses: { ...answersOf(operation), ...errorsOf(operation) },
    });
  }
  return new OpenApiGeneratorV31(registry.definitions).generateDocument({
    openapi: '3.1.0',
    info: {
      title: 'Tapedeck',
      version: '1.0',
      description: 'Public media and metadata as durable jobs. Poll, wait with `Prefer: wait=N`, or get a webhook.',
    },
    servers: [{ url: publicUrl }],
  });
}

function answersOf(operation: Operation) {
  return Object.fromEntries(
    Object.entries(operation.answers).map(([status, { description, schema, contentTypes }]) => [
      status,
      {
        description,
        content: Object.fromEntries(
          (contentTypes ?? [JSON_TYPE]).map((type) => [type, { schema: schema ?? z.string() }]),
        ),
      },
    ]),
  );
}

/** Errors that share a status are one response, described by their codes. */
function errorsOf(operation: Operation) {
  const statuses = [...new Set(operation.errors.map((code) => ERROR_TABLE[code].http))];
  return Object.fromEntries(
    statuses.map((status) => {
      const codes = operation.errors.filter((code) => ERROR_TABLE[code].http === status);
      return [status, { description: codes.join(', '), content: { [JSON_TYPE]: { schema: errorBodySchema } } }];
    }),
  );
}
