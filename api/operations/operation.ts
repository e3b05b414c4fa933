import type { z } from 'zod';
import type { Caller, Scope } from '../../contract/http/account-schemas.ts';
import type { ErrorCode } from '../../contract/http/api-error.ts';
import type { Failure } from '../../contract/failures.ts';
import type { RecordType } from '../../contract/download-record.ts';
import type { Streamable } from '../../contract/http/streams.ts';
import type { ServiceDeps } from '../service-deps.ts';

/** What a use case answers, before REST or tRPC dress it. */
export interface Answer<Body> {
  readonly body: Body;
  /** `pending`: 202 with `Retry-After`; `finished`: 200; `unavailable`: 503. */
  readonly state: 'finished' | 'pending' | 'unavailable';
  /** Why the job of a request failed: REST answers the status that its webhook tells, and tRPC the body alone. */
  readonly failure?: Failure | undefined;
  /** When to ask again, where that is not the usual time. */
  readonly pollSeconds?: number;
}

/** What serves a request, by whichever facade it came. It throws ApiError. */
export type UseCase<Input, Body> = (deps: ServiceDeps, caller: Caller, input: Input) => Promise<Answer<Body>>;

/** A text file as an answer. */
export interface ExportedText {
  readonly name: string;
  readonly contentType: string;
  /** The text, made as it is read. */
  readonly open: () => AsyncGenerator<string>;
}

/** An event of a stream: how something stands now. */
export interface StreamedEvent<Body> {
  /** Whoever comes again with it goes on from there. */
  readonly id: string;
  readonly body: Body;
}

/** What the reader of a stream is told. */
export interface EventFeed<Body> {
  readonly told: AsyncGenerator<StreamedEvent<Body>>;
  /** From where a reader goes on who comes again before it was told anything. */
  readonly from?: string;
}

/** A stream of events as an answer. */
export interface EventsAnswer<Body> {
  /**
   * Undefined when the reader was told everything before.
   *
   * @param left aborted when the reader has left
   */
  readonly events: ((left: AbortSignal) => EventFeed<Body>) | undefined;
}

/** Of these at most one is given; an answer without any is empty. */
interface OperationAnswer {
  readonly description: string;
  /** Of a JSON answer. */
  readonly schema?: z.ZodType;
  /** Of the JSON of each event, where the answer is a stream of them. */
  readonly event?: z.ZodType;
  /** Of an {@link ExportedText}. */
  readonly contentTypes?: readonly string[];
}

/** One operation as callers see it. */
interface Described {
  readonly method: 'get' | 'post' | 'delete';
  /** With parameters in braces, as OpenAPI writes them. */
  readonly path: string;
  /** Name of the tRPC procedure, such as `downloads.audio`: a query for GET, else a mutation; without one there is none. */
  readonly rpc?: string;
  readonly summary: string;
  /** What is read: the body, else the query, else the parameters in the path. */
  readonly body?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly params?: z.ZodObject;
  /** What REST says, with 404, of a parameter in the path that is none; the first that is wrong counts. */
  readonly unknown?: Readonly<Record<string, string>>;
  /** Of which types the jobs are that it starts, one of each; what it answers when they have ended, their webhooks bring too. */
  readonly jobs?: readonly RecordType[];
  /** Whether it waits for the result without `Prefer: wait=N` too; absent where that is not honoured. */
  readonly wait?: 'when asked' | 'by default';
  readonly answers: Readonly<Record<number, OperationAnswer>>;
  /** The bodies of errors that hold more than all errors do, by status. */
  readonly errorBodies?: Readonly<Record<number, z.ZodType>>;
  /** What an API key must be allowed to do; `none`: open to everyone. By default `read` for GET, else `jobs`. */
  readonly scope?: Scope | 'none';
  /** Those of its own, see {@link errorsOf}. */
  readonly errors?: readonly ErrorCode[];
}

export type AnyAnswer = Answer<unknown> | ExportedText | EventsAnswer<unknown>;

/** A row of the table that the routes, the procedures and the OpenAPI document are made from. */
export interface Operation extends Described {
  /** Takes what the schema of the row gives, see {@link InputOf}. */
  run(deps: ServiceDeps, caller: Caller, input: never): Promise<AnyAnswer>;
}

/** @returns the row; checks that what it runs takes what its schema gives, and answers what it says */
export function operation<const Row extends Described>(
  row: Row & { run(deps: ServiceDeps, caller: Caller, input: InputOf<Row>): Promise<AnswerOf<Row>> },
): Row {
  return row;
}

/** What a use case is asked: the fields that callers send, how long it may wait, and where a stream of events goes on. */
export type InputOf<Row> = FieldsOf<Row, 'output'> & {
  readonly waitMs: number;
  readonly lastEventId?: string | undefined;
};

/** @typeParam Side of the schema: what callers send is its input, what use cases get its output */
export type FieldsOf<Row, Side extends 'input' | 'output'> = Row extends { readonly body: infer Schema }
  ? SideOf<Schema, Side>
  : Row extends { readonly query: infer Schema }
    ? SideOf<Schema, Side>
    : Row extends { readonly params: infer Schema }
      ? { [Name in keyof SideOf<Schema, Side> as FieldName<Name & string>]: SideOf<Schema, Side>[Name] }
      : unknown;
type SideOf<Schema, Side> = Side extends 'input' ? z.input<Schema> : z.output<Schema>;

/** A parameter of a path as a field: `download_id` for `downloadId`. */
type FieldName<Name extends string> = Name extends `${infer Head}Id` ? `${Head}_id` : Name;
export function fieldNameOf(parameter: string): string {
  return parameter.replace(/Id$/, '_id');
}

type AnswersOf<Row extends Pick<Described, 'answers'>> = Row['answers'][keyof Row['answers']];
/** The JSON of all answers of an operation; never for a text. */
export type ResultOf<Row extends Pick<Described, 'answers'>> =
  AnswersOf<Row> extends { readonly schema: infer Schema } ? z.output<Schema> : never;
/** The JSON of each event of an operation; never for what is no stream of events. */
export type EventOf<Row> = Row extends { readonly answers: { readonly 200: { readonly event: infer Schema } } }
  ? SideOf<Schema, 'output'>
  : never;
type AnswerOf<Row extends Pick<Described, 'answers'>> = [EventOf<Row>] extends [never]
  ? AnswersOf<Row> extends { readonly schema: unknown }
    ? Answer<Streamable<ResultOf<Row>>>
    : ExportedText
  : EventsAnswer<Streamable<EventOf<Row>>>;

/** What a request answers whose job failed: what its webhook brings, with the status that this tells. */
export function failed<Result extends z.ZodObject>(schema: Result) {
  return {
    400: { description: 'The job failed, since what was asked for cannot be had', schema },
    500: { description: 'The job failed, through the platform or this service', schema },
  } as const;
}

/** Errors of an operation that starts a job. */
export const STARTS_JOB = ['webhook_target_forbidden', 'too_many_webhooks', 'insufficient_credit'] as const;
/** Errors of all operations that are not open to everyone. */
const ALWAYS = [
  'unauthorized',
  'forbidden',
  'method_not_allowed',
  'rate_limited',
  'answers_unread',
  'internal',
  'unavailable',
] as const;

/** All errors that an operation may answer. */
export function errorsOf({ body, params, scope, errors = [] }: Operation): readonly ErrorCode[] {
  if (scope === 'none') return errors;
  if (body !== undefined) return ['invalid_input', 'invalid_json', 'body_too_large', ...ALWAYS, ...errors];
  // A path that no percent-decoding makes sense of is no id that is unknown.
  return ['invalid_input', ...(params === undefined ? [] : (['not_found'] as const)), ...ALWAYS, ...errors];
}

/** Whether an operation answers with a stream of events. */
export function streamsEvents({ answers }: Pick<Operation, 'answers'>): boolean {
  return answers[200]?.event !== undefined;
}

/** How long an operation waits for the result when the caller does not say. */
export function waitSecondsOf({ wait }: Pick<Operation, 'wait'>, defaultWaitSeconds: number): number {
  return wait === 'by default' ? defaultWaitSeconds : 0;
}

export function scopeOf({ scope, method }: Pick<Operation, 'scope' | 'method'>): Scope | 'none' {
  return scope ?? (method === 'get' ? 'read' : 'jobs');
}
