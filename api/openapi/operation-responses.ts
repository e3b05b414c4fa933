import type { ResponseConfig } from '@asteasolutions/zod-to-openapi';
import { z } from 'zod';
import { ERROR_TABLE, errorBodySchema } from '../../contract/http/api-error.ts';
import { optional } from '../../runtime/optional.ts';
import { EVENT_STREAM } from '../edge/answer-budget.ts';
import { operationLinks } from './operation-links.ts';
import { errorsOf, type Operation } from '../operations/operation.ts';
import type { AnswerExamples } from './render-examples.ts';

type HeadersObject = Readonly<
  Record<string, { description: string; required: boolean; schema: { type: 'integer' | 'string'; minimum?: number } }>
>;

export const JSON_TYPE = 'application/json';
const RETRY_AFTER = {
  description: 'When to send the request again, in seconds',
  required: true,
  schema: { type: 'integer', minimum: 1 },
} as const;
/** Headers of errors. A platform that is not configured has no `Retry-After`, because only the operator can change that. */
const ERROR_HEADERS: Readonly<Record<number, HeadersObject>> = {
  401: { 'WWW-Authenticate': { description: 'RFC 6750', required: true, schema: { type: 'string' } } },
  405: { Allow: { description: 'The methods of this path', required: true, schema: { type: 'string' } } },
  429: { 'Retry-After': RETRY_AFTER },
  503: { 'Retry-After': { ...RETRY_AFTER, required: false } },
};

interface Shown {
  readonly id: string;
  readonly operation: Operation;
  readonly examples: AnswerExamples;
}

export function responsesOf(shown: Shown): Record<string, ResponseConfig> {
  const answers = Object.keys(shown.operation.answers).map(
    (status) => [status, answerOf(shown, Number(status))] as const,
  );
  return { ...Object.fromEntries(answers), ...refusalsOf(shown) };
}

function answerOf({ id, operation, examples }: Shown, status: number): ResponseConfig {
  const { description = '', schema, event, contentTypes = [], isBinary } = operation.answers[status] ?? {};
  const text = { type: 'string' as const, ...(isBinary && { format: 'binary' }) };
  const content = {
    ...(schema && { [JSON_TYPE]: { schema, examples: { ...examples[status] } } }),
    ...(event && { [EVENT_STREAM]: { schema: eventsOf(event), examples: { ...examples[EVENT_STREAM] } } }),
    ...Object.fromEntries(contentTypes.map((type) => [type, { schema: text, examples: { ...examples[type] } }])),
  };
  return {
    description,
    ...(status === 202 || status === 503 ? { headers: { 'Retry-After': RETRY_AFTER } } : {}),
    ...(Object.keys(content).length === 0 ? {} : { content }),
    ...optional('links', operationLinks[id]?.[status]),
  };
}

/** OpenAPI 3.1 cannot describe an event stream: the schema is that of the JSON in `data`. */
function eventsOf(event: z.ZodType) {
  return {
    type: 'string' as const,
    description: 'Server-sent events (WHATWG HTML, section 9.2). The `data` of each event is JSON of this schema.',
    contentMediaType: JSON_TYPE,
    contentSchema: { $ref: `#/components/schemas/${String(event.meta()?.id)}` },
  };
}

/** Errors with the same status are one response, described by their codes, together with other answers with that status. */
function refusalsOf({ operation, examples }: Shown): Record<string, ResponseConfig> {
  const errors = errorsOf(operation);
  const { errorBodies = {} } = operation;
  const statuses = [...new Set(errors.map((code) => ERROR_TABLE[code].http))];
  return Object.fromEntries(
    statuses.map((status) => {
      const codes = errors.filter((code) => ERROR_TABLE[code].http === status);
      const { description, schema } = operation.answers[status] ?? {};
      const bodies = [schema, errorBodies[status]].filter((one) => one !== undefined);
      const references = codes.map((code) => [code, { $ref: `#/components/examples/${code}` }]);
      return [
        String(status),
        {
          description: [...(description === undefined ? [] : [description]), codes.join(', ')].join('; or '),
          ...optional('headers', ERROR_HEADERS[status]),
          content: {
            [JSON_TYPE]: {
              schema: bodies.length === 0 ? errorBodySchema : z.union([errorBodySchema, ...bodies]),
              examples: { ...examples[status], ...(Object.fromEntries(references) as object) },
            },
          },
        },
      ];
    }),
  );
}
