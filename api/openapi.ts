import { OpenAPIRegistry, OpenApiGeneratorV31 } from '@asteasolutions/zod-to-openapi';
import { z } from 'zod';
import { ERROR_TABLE, errorBodySchema } from '../contract/errors.ts';
import { optional } from '../runtime/optional.ts';
import { AUTHORIZATION_IGNORED } from './access/access-middleware.ts';
import { operationLinks } from './links.ts';
import { errorsOf, scopeOf, waitSecondsOf, type Operation } from './operation.ts';
import { operations } from './operations.ts';

type Document = ReturnType<OpenApiGeneratorV31['generateDocument']>;
type HeadersObject = Readonly<
  Record<string, { description: string; required: boolean; schema: { type: 'integer' | 'string'; minimum?: number } }>
>;

const KEY_SCHEME = 'ApiKey';
const JSON_TYPE = 'application/json';
const RETRY_AFTER = {
  description: 'When to ask again, in seconds',
  required: true,
  schema: { type: 'integer', minimum: 1 },
} as const;
/** What errors tell besides their body. A source that is not set up says no time: only the operator can help. */
const ERROR_HEADERS: Readonly<Record<number, HeadersObject>> = {
  401: { 'WWW-Authenticate': { description: 'RFC 6750', required: true, schema: { type: 'string' } } },
  405: { Allow: { description: 'The methods of this path', required: true, schema: { type: 'string' } } },
  429: { 'Retry-After': RETRY_AFTER },
  503: { 'Retry-After': { ...RETRY_AFTER, required: false } },
};
const preferHeader = (defaultSeconds: number) =>
  z.object({
    prefer: z
      .string()
      .optional()
      .meta({
        description: `RFC 7240: \`wait=N\` waits up to N seconds (at most 60, by default ${String(defaultSeconds)}) for the result`,
        examples: ['wait=5'],
      }),
  });

/** The OpenAPI 3.1 document of the REST facade, made from the table that also makes the routes. */
export function openApiDocument(
  publicUrl: string,
  { allowsAnonymous, defaultWaitSeconds }: { allowsAnonymous: boolean; defaultWaitSeconds: number },
): Document {
  const registry = new OpenAPIRegistry();
  registry.registerComponent('securitySchemes', KEY_SCHEME, {
    type: 'http',
    scheme: 'bearer',
    description: [
      'An API key; the operator makes it with `npm run keys`.',
      `Where none is needed, an \`Authorization\` header that holds no key is ignored; \`${AUTHORIZATION_IGNORED}\` says so.`,
    ].join(' '),
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
        params: operation.params,
        query: operation.query,
        headers: operation.wait && preferHeader(waitSecondsOf(operation, defaultWaitSeconds)),
        ...(operation.body === undefined
          ? {}
          : { body: { required: true, content: { [JSON_TYPE]: { schema: operation.body } } } }),
      },
      responses: { ...answersOf(operationId, operation), ...refusalsOf(operation) },
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

function answersOf(operationId: string, operation: Operation) {
  return Object.fromEntries(
    Object.entries(operation.answers).map(([status, { description, schema, contentTypes }]) => [
      status,
      {
        description,
        ...(status === '202' || status === '503' ? { headers: { 'Retry-After': RETRY_AFTER } } : {}),
        content: Object.fromEntries(
          (contentTypes ?? [JSON_TYPE]).map((type) => [type, { schema: schema ?? z.string() }]),
        ),
        ...optional('links', operationLinks[operationId]?.[status]),
      },
    ]),
  );
}

/** Errors that share a status are one response, described by their codes, with what else is answered by that status. */
function refusalsOf(operation: Operation) {
  const errors = errorsOf(operation);
  const { answers, errorBodies = {} } = operation;
  const statuses = [...new Set(errors.map((code) => ERROR_TABLE[code].http))];
  return Object.fromEntries(
    statuses.map((status) => {
      const codes = errors.filter((code) => ERROR_TABLE[code].http === status);
      const headers = ERROR_HEADERS[status];
      const { description, schema } = answers[status] ?? {};
      const bodies = [schema, errorBodies[status]].filter((one) => one !== undefined);
      return [
        status,
        {
          description: [...(description === undefined ? [] : [description]), codes.join(', ')].join('; or '),
          ...optional('headers', headers),
          content: {
            [JSON_TYPE]: { schema: bodies.length === 0 ? errorBodySchema : z.union([errorBodySchema, ...bodies]) },
          },
        },
      ];
    }),
  );
}
