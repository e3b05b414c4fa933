import * as trpc from '@trpc/server';
import { z } from 'zod';
import type { Caller } from '../../contract/http/account-schemas.ts';
import { ApiError, ERROR_TABLE, type ErrorCode } from '../../contract/http/api-error.ts';
import { optionalField } from '../../contract/http/fields.ts';
import { PREFER_WAIT_MAX_SECONDS } from '../../contract/request-limits.ts';
import { TextStream } from '../../contract/http/streams.ts';
import type { ServiceDeps } from '../service-deps.ts';
import { LONGEST_STREAM_MS } from '../edge/event-stream.ts';
import { invalidInput, toApiError } from '../http/to-api-error.ts';
import type { OnAnswered } from '../api-metrics.ts';
import { streamsEvents, waitSecondsOf } from '../operations/operation.ts';
import type { EventOf, EventsAnswer, FieldsOf, Operation, ResultOf } from '../operations/operation.ts';
import { asFields, inputSchemaOf } from '../operations/input-schema.ts';
import { operations } from '../operations/operations.ts';
import type { RpcStreams } from './rpc-streams.ts';

interface Context {
  readonly deps: ServiceDeps;
  readonly streams: RpcStreams;
  readonly onAnswered?: OnAnswered | undefined;
  readonly inSpan?: (<Result>(name: string, work: () => Promise<Result>) => Promise<Result>) | undefined;
}

const t = trpc.initTRPC.context<Context>().create({
  sse: {
    ping: { enabled: true, intervalMs: 15_000 },
    client: { reconnectAfterInactivityMs: 45_000 },
    maxDurationMs: LONGEST_STREAM_MS,
  },
  errorFormatter: ({ shape, error }) => {
    // The body is that of REST, beside the fields of tRPC; `cause` is not sent.
    const { stack: _secret, ...data } = shape.data;
    const known = documented(error);
    return { ...shape, message: known.message, data: { ...data, body: known.toBody() } };
  },
});

function documented(error: trpc.TRPCError): ApiError {
  const { cause } = error;
  if (cause instanceof ApiError) return cause;
  if (cause instanceof z.ZodError && error.code === 'BAD_REQUEST') return invalidInput(cause);
  if (cause instanceof SyntaxError) return new ApiError('invalid_json', 'The input is not valid JSON.');
  const [code, message] = REFUSED_BY_TRPC[error.code] ?? [];
  return code === undefined || message === undefined ? toApiError(cause ?? error) : new ApiError(code, message);
}

const REFUSED_BY_TRPC: Partial<Record<trpc.TRPCError['code'], readonly [ErrorCode, string]>> = {
  BAD_REQUEST: ['invalid_input', 'The request is not valid.'],
  PARSE_ERROR: ['invalid_json', 'The input is not valid JSON.'],
  UNSUPPORTED_MEDIA_TYPE: ['invalid_input', 'The content type must be application/json.'],
  NOT_FOUND: ['not_found', 'There is no such procedure.'],
  METHOD_NOT_SUPPORTED: ['method_not_allowed', 'Queries take GET, mutations take POST.'],
  PAYLOAD_TOO_LARGE: ['body_too_large', 'The body is larger than 64 KiB.'],
};

const measured = t.middleware(async ({ ctx: { deps, onAnswered, inSpan }, path, next }) => {
  const startedMs = performance.now();
  const result = await (inSpan?.(path, () => next()) ?? next());
  const error = result.ok ? undefined : documented(result.error);
  const status = error === undefined ? 200 : ERROR_TABLE[error.code].http;
  // Internal errors are logged with their cause, as over REST.
  if (error !== undefined && status >= 500)
    deps.log.error({ err: error.cause ?? error, procedure: path }, error.message);
  const ms = performance.now() - startedMs;
  deps.log.info({ procedure: path, status, ms: Math.round(ms) }, 'request');
  onAnswered?.({ facade: 'rpc', operation: path, status, seconds: ms / 1000 });
  return result;
});

const procedure = t.procedure.use(measured).use(async ({ next }) => {
  const result = await next();
  // Errors of tRPC itself (invalid input, a body that is too large) keep their code.
  if (result.ok || result.error.code !== 'INTERNAL_SERVER_ERROR') return result;
  const error = toApiError(result.error.cause ?? result.error);
  throw new trpc.TRPCError({ code: ERROR_TABLE[error.code].trpc, message: error.message, cause: error });
});

interface Exported {
  readonly name: string;
  readonly contentType: string;
  readonly text: string;
}

type Row = (typeof operations)[keyof typeof operations];
type RowWithProcedure = Extract<Row, { readonly rpc: string }>;
type WaitOf<One> = One extends { readonly wait: string }
  ? { readonly wait_seconds?: number | null | undefined }
  : unknown;
type OrNull<Fields> = unknown extends Fields
  ? Fields
  : { [Name in keyof Fields]: undefined extends Fields[Name] ? Fields[Name] | null : Fields[Name] };
type Otherwise<Type, None> = unknown extends Type ? None : Type;
interface TypesOf<One extends Row> {
  input: Otherwise<OrNull<FieldsOf<One, 'input'>> & WaitOf<One>, void>;
  output: [ResultOf<One>] extends [never] ? Exported : ResultOf<One>;
  meta: object;
}
interface Followed<Body> {
  readonly id: string;
  readonly data: Body;
}
interface FollowedTypes<One extends Row> {
  input: unknown extends FieldsOf<One, 'input'> ? LastEvent | undefined : OrNull<FieldsOf<One, 'input'>> & LastEvent;
  output: AsyncIterable<Followed<EventOf<One>>>;
  meta: object;
}
interface LastEvent {
  readonly lastEventId?: string | null | undefined;
}
type ProcedureOf<One extends Row> = [EventOf<One>] extends [never]
  ? One extends { readonly method: 'get' }
    ? trpc.TRPCQueryProcedure<TypesOf<One>>
    : trpc.TRPCMutationProcedure<TypesOf<One>>
  : trpc.TRPCSubscriptionProcedure<FollowedTypes<One>>;
type Procedures = { [One in RowWithProcedure as One['rpc']]: ProcedureOf<One> };
/** The procedures nested by the parts of their names: `downloads.audio` is `audio` in `downloads`. */
type Tree = {
  [
    Name in keyof Procedures as Name extends `${infer Group}.${string}` ? Group : Name
  ]: Name extends `${infer Group}.${string}`
    ? { [Other in keyof Procedures as Other extends `${Group}.${infer Last}` ? Last : never]: Procedures[Other] }
    : Procedures[Name];
};

const SERVICE: Caller = { kind: 'service' };
const lastEvent = { lastEventId: optionalField(z.string()) };
const wait = { wait_seconds: optionalField(z.number().int().min(0).max(PREFER_WAIT_MAX_SECONDS)) };

function procedureOf(row: Operation) {
  if (streamsEvents(row)) return subscriptionOf(row);
  const schema = inputSchemaOf(row);
  const waiting = row.wait === undefined ? schema : schema?.safeExtend(wait);
  const taking = procedure.input(waiting ?? z.unknown());
  const run = async ({ ctx, input }: { ctx: Context; input: unknown }) => {
    const { wait_seconds: seconds, ...fields } = (input ?? {}) as { readonly wait_seconds?: number };
    const waitMs = (seconds ?? waitSecondsOf(row, ctx.deps.defaultWaitSeconds)) * 1000;
    const answer = await row.run(ctx.deps, SERVICE, { ...fields, waitMs } as never);
    if ('events' in answer || 'isBinary' in answer) throw new Error(`${row.path} does not answer with JSON`);
    if ('body' in answer) return ctx.streams.hold(answer.body);
    const { open, ...file } = answer;
    return ctx.streams.hold<Exported>({ ...file, text: new TextStream(open) });
  };
  return row.method === 'get' ? taking.query(run) : taking.mutation(run);
}

function subscriptionOf(row: Operation) {
  const { params } = row;
  const fields = z.object({ ...(params && asFields(params.shape)), ...lastEvent });
  const taking = procedure.input(params === undefined ? fields.nullish() : fields);
  return taking.subscription(async ({ ctx: { deps, streams }, input, signal }) => {
    streams.beginEvents();
    const answer = await row.run(deps, SERVICE, { ...input, waitMs: 0 } as never);
    if (!('events' in answer)) throw new Error(`${row.path} does not answer with events`);
    return trackedEvents(answer, streams, signal ?? new AbortController().signal);
  });
}

/** For tRPC an AbortError is not the end of a subscription, so that clients reconnect. */
async function* trackedEvents(
  { events }: EventsAnswer<unknown>,
  streams: RpcStreams,
  left: AbortSignal,
): AsyncGenerator<trpc.TrackedEnvelope<unknown>> {
  if (events === undefined) return;
  for await (const { id, body } of events(left).stream) yield trpc.tracked(id, await streams.holdNext(body, left));
}

function treeOf(rows: readonly Operation[]): Tree {
  const tree: Record<string, object> = {};
  for (const row of rows) {
    const [group, name] = row.rpc?.split('.') ?? [];
    if (group === undefined) continue;
    tree[group] = name === undefined ? procedureOf(row) : { ...tree[group], [name]: procedureOf(row) };
  }
  return tree as Tree;
}

/** The procedures for internal services: the same use cases, inputs and outputs as REST. Lists are complete here. */
export const appRouter = t.router(treeOf(Object.values(operations)));

export type AppRouter = typeof appRouter;
