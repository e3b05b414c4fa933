import { z } from 'zod';
import { moneySchema } from './fields.ts';

export const ERROR_TABLE = {
  invalid_input: { http: 400, trpc: 'BAD_REQUEST' },
  invalid_json: { http: 400, trpc: 'PARSE_ERROR' },
  webhook_target_forbidden: { http: 400, trpc: 'BAD_REQUEST' },
  audio_failed: { http: 400, trpc: 'BAD_REQUEST' },
  unauthorized: { http: 401, trpc: 'UNAUTHORIZED' },
  insufficient_credit: { http: 402, trpc: 'PAYMENT_REQUIRED' },
  forbidden: { http: 403, trpc: 'FORBIDDEN' },
  link_invalid: { http: 403, trpc: 'FORBIDDEN' },
  not_found: { http: 404, trpc: 'NOT_FOUND' },
  method_not_allowed: { http: 405, trpc: 'METHOD_NOT_SUPPORTED' },
  request_timeout: { http: 408, trpc: 'TIMEOUT' },
  pending_duplicate: { http: 409, trpc: 'CONFLICT' },
  already_finished: { http: 409, trpc: 'CONFLICT' },
  not_ready: { http: 409, trpc: 'CONFLICT' },
  contents_in_use: { http: 409, trpc: 'CONFLICT' },
  delivery_pending: { http: 409, trpc: 'CONFLICT' },
  idempotency_key_in_use: { http: 409, trpc: 'CONFLICT' },
  too_many_webhooks: { http: 409, trpc: 'CONFLICT' },
  list_id_expired: { http: 410, trpc: 'PRECONDITION_FAILED' },
  precondition_failed: { http: 412, trpc: 'PRECONDITION_FAILED' },
  body_too_large: { http: 413, trpc: 'PAYLOAD_TOO_LARGE' },
  encoding_not_supported: { http: 415, trpc: 'UNSUPPORTED_MEDIA_TYPE' },
  range_not_satisfiable: { http: 416, trpc: 'BAD_REQUEST' },
  idempotency_key_reused: { http: 422, trpc: 'UNPROCESSABLE_CONTENT' },
  answers_unread: { http: 429, trpc: 'TOO_MANY_REQUESTS' },
  rate_limited: { http: 429, trpc: 'TOO_MANY_REQUESTS' },
  internal: { http: 500, trpc: 'INTERNAL_SERVER_ERROR' },
  unavailable: { http: 503, trpc: 'SERVICE_UNAVAILABLE' },
} as const satisfies Record<string, { http: number; trpc: string }>;

export type ErrorCode = keyof typeof ERROR_TABLE;

export const errorBodySchema = z
  .object({
    error: z.string().describe('A sentence for people'),
    code: z.enum(Object.keys(ERROR_TABLE) as [ErrorCode, ...ErrorCode[]]).describe('Stable, for programs'),
    id: z.string().optional().describe('The download that conflicts with the request'),
    price: moneySchema.optional().describe('The price of the request, with status 402'),
    credit: moneySchema.optional().describe('The available credit of the key, with status 402'),
    details: z
      .array(z.object({ path: z.string(), message: z.string() }))
      .optional()
      .describe('The invalid fields with their reasons'),
  })
  .meta({ id: 'Error' });
export type ErrorBody = z.infer<typeof errorBodySchema>;

interface ErrorExtras {
  readonly id?: string | undefined;
  /** Decimal strings, for the code `insufficient_credit`. */
  readonly money?: { readonly price: string; readonly credit: string };
  readonly details?: readonly { path: string; message: string }[];
  /** The field that the message is about, instead of details. */
  readonly field?: string;
  readonly retryAfterSeconds?: number;
  /** The fields of every answer of an operation, including its errors. */
  readonly fields?: Readonly<Record<string, string | number>> | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  readonly cause?: unknown;
}

export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly code: ErrorCode;
  readonly extras: ErrorExtras;

  constructor(code: ErrorCode, message: string, extras: ErrorExtras = {}) {
    super(message, { cause: extras.cause });
    this.code = code;
    const { field } = extras;
    this.extras = field === undefined ? extras : { ...extras, details: [{ path: field, message }] };
  }

  toBody(): ErrorBody {
    const { id, money, details, fields } = this.extras;
    return { error: this.message, code: this.code, id, ...money, details: details && [...details], ...fields };
  }
}
