import { z } from 'zod';
import type { Caller, Scope } from '../../contract/http/account-schemas.ts';
import type { ErrorCode } from '../../contract/http/api-error.ts';
import { ulidSchema } from '../../contract/ids.ts';
import type { Failure } from '../../contract/failures.ts';
import type { RecordType } from '../../contract/download-record.ts';
import type { Streamable } from '../../contract/http/streams.ts';
import type { LimitedCaller } from '../access/access-middleware.ts';
import type { ServiceDeps } from '../service-deps.ts';

export interface Answer<Body> {
  readonly body: Body;
  /** `pending`: 202 with `Retry-After`; `finished`: 200; `unavailable`: 503. */
  readonly state: 'finished' | 'pending' | 'unavailable';
  /** Why the requested job failed. REST answers with the status that the job's webhook reports, tRPC with the body alone. */
  readonly failure?: Failure | undefined;
  readonly pollSeconds?: number;
}

/** Serves a request of either facade. It throws ApiError. */
export type UseCase<Input, Body> = (deps: ServiceDeps, caller: Caller, input: Input) => Promise<Answer<Body>>;

export interface ExportedText {
  readonly name: string;
  readonly contentType: string;
  readonly open: () => AsyncGenerator<string>;
}

export interface ExportedFile {
  readonly name: string;
  readonly contentType: string;
  readonly isBinary: true;
  readonly open: () => AsyncGenerator<Uint8Array>;
}

export interface StreamedEvent<Body> {
  /** A reader that reconnects with this ID continues after this event. */
  readonly id: string;
  readonly body: Body;
}

export interface EventFeed<Body> {
  readonly stream: AsyncGenerator<StreamedEvent<Body>>;
  /** The ID with which a reader continues that reconnects before the first event. */
  readonly from?: string;
}

export interface EventsAnswer<Body> {
  /** Undefined when the reader has received the last event already. @param left aborted when the reader has left */
  readonly events: ((left: AbortSignal) => EventFeed<Body>) | undefined;
}

/** An answer has at most one of these; without any it is empty. */
interface OperationAnswer {
  readonly description: string;
  readonly schema?: z.ZodType;
  readonly event?: z.ZodType;
  readonly contentTypes?: readonly string[];
  readonly isBinary?: true;
}

interface Described {
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  readonly path: string;
  /** The tRPC procedure, if there is one, such as `downloads.audio`: a query for GET, otherwise a mutation. */
  readonly rpc?: string;
  /** The tool of the MCP server, if there is one. */
  readonly tool?: string;
  readonly summary: string;
  /** The input has the fields of all three. */
  readonly body?: z.ZodObject;
  /** Whether a request without a body counts as one with an empty object. */
  readonly isBodyOptional?: boolean;
  /** The largest body; by default that of all operations. */
  readonly maxBodyBytes?: number;
  readonly query?: z.ZodObject;
  readonly params?: z.ZodObject;
  /** The message of the 404 for an invalid parameter of the path; the first invalid one counts. */
  readonly unknown?: Readonly<Record<string, string>>;
  /** The types of the jobs that the operation starts, one of each. Their webhooks have the answers for ended jobs as bodies. */
  readonly jobs?: readonly RecordType[];
  /** Whether the operation waits for the result without `Prefer: wait=N` too; absent if it cannot wait. */
  readonly wait?: 'on request' | 'by default';
  readonly answers: Readonly<Record<number, OperationAnswer>>;
  readonly errorBodies?: Readonly<Record<number, z.ZodType>>;
  /** The scope that an API key needs; `none`: open to everyone. The default is `read` for GET, otherwise `jobs`. */
  readonly scope?: Scope | 'none';
  readonly errors?: readonly ErrorCode[];
}

export type AnyAnswer = Answer<unknown> | ExportedText | ExportedFile | EventsAnswer<unknown>;

export interface Operation extends Described {
  run(deps: ServiceDeps, caller: LimitedCaller, input: never): Promise<AnyAnswer>;
}

type Routed<Route> = Route extends `${infer Method} ${infer Path}`
  ? { readonly method: Lowercase<Method>; readonly path: Path }
  : never;

/** @returns the row with its route; the compiler checks that the types of `run` agree with its schemas */
export function operation<
  const Route extends `${Uppercase<Operation['method']>} /${string}`,
  const Row extends Omit<Described, 'method' | 'path'>,
>(
  route: Route,
  row: Row & { run(deps: ServiceDeps, caller: Caller, input: InputOf<Row>): Promise<AnswerOf<Row>> },
): Row & Routed<Route> {
  const [method = '', path = ''] = route.split(' ');
  return { ...row, ...({ method: method.toLowerCase(), path } as Routed<Route>) };
}

export type InputOf<Row> = FieldsOf<Row, 'output'> & {
  readonly waitMs: number;
  readonly lastEventId?: string | undefined;
};

/** @typeParam Side callers send the input of a schema, use cases get its output */
export type FieldsOf<Row, Side extends 'input' | 'output'> = PartOf<Row, 'body', Side> &
  PartOf<Row, 'query', Side> &
  ParamsOf<Row, Side>;
type PartOf<Row, Part extends 'body' | 'query', Side> = Row extends { readonly [Name in Part]: infer Schema }
  ? SideOf<Schema, Side>
  : unknown;
type ParamsOf<Row, Side> = Row extends { readonly params: infer Schema }
  ? { [Name in keyof SideOf<Schema, Side> as FieldName<Name & string>]: SideOf<Schema, Side>[Name] }
  : unknown;
type SideOf<Schema, Side> = Side extends 'input' ? z.input<Schema> : z.output<Schema>;

/** A parameter of a path as a field: `download_id` for `downloadId`. */
type FieldName<Name extends string> = Name extends `${infer Head}Id` ? `${Head}_id` : Name;
export function fieldNameOf(parameter: string): string {
  return parameter.replace(/Id$/, '_id');
}

type AnswersOf<Row extends Pick<Described, 'answers'>> = Row['answers'][keyof Row['answers']];
export type ResultOf<Row extends Pick<Described, 'answers'>> =
  AnswersOf<Row> extends { readonly schema: infer Schema } ? z.output<Schema> : never;
export type EventOf<Row> = Row extends { readonly answers: { readonly 200: { readonly event: infer Schema } } }
  ? SideOf<Schema, 'output'>
  : never;
type AnswerOf<Row extends Pick<Described, 'answers'>> = [EventOf<Row>] extends [never]
  ? AnswersOf<Row> extends { readonly schema: unknown }
    ? Answer<Streamable<ResultOf<Row>>>
    : ExportedText | ExportedFile
  : EventsAnswer<Streamable<EventOf<Row>>>;

export const downloadIdParams = z.object({ downloadId: ulidSchema });
export const UNKNOWN_DOWNLOAD = { downloadId: 'There is no download with this id.' };
export const BY_DOWNLOAD_ID = { params: downloadIdParams, unknown: UNKNOWN_DOWNLOAD } as const;

export function failed<Result extends z.ZodObject>(schema: Result) {
  return {
    400: { description: 'The job failed, because its subject is not available', schema },
    500: { description: 'The job failed, because of the platform or this service', schema },
  } as const;
}

export const STARTS_JOB = {
  wait: 'on request',
  errors: ['webhook_target_forbidden', 'too_many_webhooks', 'insufficient_credit'],
} as const;
const BODY_ERRORS = ['invalid_json', 'body_too_large', 'encoding_not_supported'] as const;
const IDEMPOTENCY_ERRORS = ['idempotency_key_in_use', 'idempotency_key_reused'] as const;
const ALWAYS = [
  'unauthorized',
  'forbidden',
  'method_not_allowed',
  'rate_limited',
  'answers_unread',
  'internal',
  'unavailable',
] as const;

export function errorsOf(operation: Operation): readonly ErrorCode[] {
  const { body, params, scope, errors = [] } = operation;
  if (scope === 'none') return errors;
  const bodyErrors = body === undefined ? [] : BODY_ERRORS;
  // A path with invalid percent-encoding is invalid input, not an unknown ID.
  return [
    'invalid_input',
    ...bodyErrors,
    ...(params === undefined ? [] : (['not_found'] as const)),
    ...ALWAYS,
    ...errors,
    ...(isRepeatable(operation) ? IDEMPOTENCY_ERRORS : []),
  ];
}

/** Whether the operation starts something, so that it takes an `Idempotency-Key`. */
export function isRepeatable({ method, answers }: Pick<Operation, 'method' | 'answers'>): boolean {
  return method === 'post' && 202 in answers;
}

export function streamsEvents({ answers }: Pick<Operation, 'answers'>): boolean {
  return answers[200]?.event !== undefined;
}

export function waitSecondsOf({ wait }: Pick<Operation, 'wait'>, defaultWaitSeconds: number): number {
  return wait === 'by default' ? defaultWaitSeconds : 0;
}

export function scopeOf({ scope, method }: Pick<Operation, 'scope' | 'method'>): Scope | 'none' {
  return scope ?? (method === 'get' ? 'read' : 'jobs');
}
