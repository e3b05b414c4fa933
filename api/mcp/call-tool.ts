import { randomBytes } from 'node:crypto';
import type { CallToolResult } from '@modelcontextprotocol/server';
import type { H3Event } from 'h3';
import { z } from 'zod';
import { ERROR_TABLE, type ErrorCode } from '../../contract/http/api-error.ts';
import type { Caller } from '../../contract/http/account-schemas.ts';
import type { Progress } from '../../contract/http/fields.ts';
import { ulidSchema } from '../../contract/ids.ts';
import { callerOf, rateLimitKeyOf, refuseRevoked } from '../access/access-middleware.ts';
import type { OnAnswered } from '../api-metrics.ts';
import { checked, toApiError } from '../http/to-api-error.ts';
import { inputSchemaOf, withoutWebhooks } from '../operations/input-schema.ts';
import { scopeOf, type Answer, type Operation } from '../operations/operation.ts';
import { operations } from '../operations/operations.ts';
import type { ServiceDeps } from '../service-deps.ts';
import { cursorIn, cursorOf, pageOf } from './pages.ts';
import { extraSchema, isResult, type Tool } from './tools.ts';

export interface CallContext {
  readonly deps: ServiceDeps;
  /** The request that carries the call: it determines the caller. */
  readonly event: H3Event;
  readonly onAnswered?: OnAnswered | undefined;
  /** Aborted when the caller has left. */
  readonly left: AbortSignal;
  /** @param message in words of the service */
  readonly onProgress: (message: string) => void;
}

/** Sentences about what a caller can do after an error that does not say it itself. */
const ADVICE: Partial<Record<ErrorCode, string>> = {
  unauthorized: 'The user must give the client an API key.',
  invalid_input: 'Correct the fields that are named, and call the tool again.',
  insufficient_credit: 'get_account shows the credit. Only the operator of the service can grant more.',
  forbidden: 'Use a key that has this right, or tell the user.',
  not_found: 'list_jobs, list_batches and list_subscriptions show what there is.',
  not_ready: 'Wait with get_result, and call the tool again.',
  already_finished: 'get_result shows the result.',
  list_id_expired: 'Call get_profile again: it returns a new list_id.',
  answers_unread: 'Let other calls end first.',
  unavailable: 'Call the tool again in some seconds.',
  internal: 'Call the tool again later. If it fails again, the operator finds the cause in the log.',
};

/** Runs the operation of a tool as REST does, for the same caller, and writes its answer as text. */
export async function callTool(tool: Tool, given: unknown, context: CallContext): Promise<CallToolResult> {
  const { deps, onAnswered } = context;
  const startedMs = performance.now();
  let status = 200;
  try {
    return await answerOf(tool, given, context);
  } catch (thrown) {
    const error = toApiError(thrown);
    status = ERROR_TABLE[error.code].http;
    if (status >= 500) deps.log.error({ err: error.cause ?? error, tool: tool.listed.name }, error.message);
    const advice = [error.code, ADVICE[error.code]].filter(Boolean).join(': ');
    return { isError: true, content: textsOf([advice, untrusted(JSON.stringify(error.toBody()))]) };
  } finally {
    const ms = performance.now() - startedMs;
    deps.log.info(
      { tool: tool.listed.name, caller: rateLimitKeyOf(context.event), status, ms: Math.round(ms) },
      'tool call',
    );
    onAnswered?.({ facade: 'mcp', operation: tool.operation, status, seconds: ms / 1000 });
  }
}

async function answerOf(tool: Tool, given: unknown, context: CallContext): Promise<CallToolResult> {
  const { row } = tool;
  const { deps, event } = context;
  const caller = callerOf(event, scopeOf(row));
  const fields = withoutWebhooks(checked(z.record(z.string(), z.unknown()), given ?? {}));
  const { cursor, ...others } = fields;
  const isPaged = isResult(row);
  const extra = checked(extraSchema, isPaged ? fields : others);
  const input = checked(
    inputSchemaOf(row) ?? z.object(),
    isPaged ? { ...others, limit: undefined } : { ...fields, on_duplicate: 'join' },
  );
  const waitMs = row.wait === undefined ? 0 : extra.wait_seconds * 1000;
  // A call that waits counts as an event stream.
  const release = waitMs === 0 ? undefined : deps.answerBudget.openStream(rateLimitKeyOf(event));
  const { body, state } = await endOf(row, { ...context, caller, input, waitMs }).finally(release);
  await refuseRevoked(event);
  const ids = idsOf(body);
  const [id] = ids;
  const from = { line: 0, offset: 0, ...extra, ...(id !== undefined && extra.cursor && cursorIn(id, extra.cursor)) };
  const { text, next } = await pageOf(body, from);
  const { limit } = input as { readonly limit?: number };
  if (next !== undefined && row.method === 'get' && limit !== undefined && limit > 1) {
    // Fewer items are read instead, whose cursor leads to the others.
    return answerOf(tool, { ...fields, limit: Math.floor(limit / 2) }, context);
  }
  const { status, data } = body as Named;
  const isFailed = (row.jobs !== undefined || isPaged) && (status ?? data?.status) === 'failed';
  const notes: string[] = [];
  if (isFailed) notes.push('The job failed for the reason below. The same request would start a new job.');
  if (next !== undefined && id === undefined) notes.push('The rest is left out, because it is too long.');
  for (const one of ids) {
    const call = `Call get_result with download_id "${one}"`;
    if (state === 'pending') notes.push(`The job has not ended. ${call} to wait for it.`);
    const position = next === undefined || ids.length > 1 ? '' : ` and cursor "${cursorOf(one, next)}"`;
    if (next !== undefined) notes.push(`There is more. ${call}${position}.`);
  }
  return { content: textsOf([...notes, untrusted(text)]), ...(isFailed && { isError: true }) };
}

interface Run extends CallContext {
  readonly caller: Caller;
  readonly input: object;
  readonly waitMs: number;
}

/** Runs the operation, and follows its job until the end or until the time is over. */
async function endOf(row: Operation, run: Run): Promise<Answer<unknown>> {
  const { deps, caller, input, waitMs } = run;
  const answerAfter = async (ms: number): Promise<Answer<unknown>> => {
    const answer = await row.run(deps, caller, { ...input, waitMs: ms } as never);
    if (!('body' in answer)) throw new Error(`${row.path} does not answer with JSON`);
    return answer;
  };
  // A request for the two parts of a list waits for both, which have no events in common.
  if (row.jobs?.length === 2) return answerAfter(waitMs);
  const first = await answerAfter(0);
  const [id] = idsOf(first.body);
  if (first.state !== 'pending' || id === undefined || waitMs === 0) return first;
  await follow(id, run);
  // Another POST would start a new job if this one has failed.
  return row.method === 'get' ? answerAfter(0) : operations.getResult.run(deps, caller, { download_id: id, waitMs: 0 });
}

async function follow(id: string, { deps, caller, waitMs, left, onProgress }: Run): Promise<void> {
  onProgress(`job ${id}`);
  try {
    const { events } = await operations.followDownload.run(deps, caller, { download_id: id });
    const over = AbortSignal.any([left, AbortSignal.timeout(waitMs)]);
    for await (const { body } of events?.(over).stream ?? []) {
      const { progress = (body as Named).data?.progress } = body as Named;
      const percent = progress?.percent === undefined ? undefined : `${String(progress.percent)} %`;
      if (progress !== undefined) onProgress([progress.stage, percent, progress.reason].filter(Boolean).join(', '));
    }
  } catch (error) {
    // A process that stops answers with the current state.
    if (!deps.stopping.aborted) throw error;
  }
}

interface Named {
  readonly status?: string;
  readonly download_id?: string;
  readonly download?: { readonly id: string };
  readonly progress?: Progress;
  readonly data?: Pick<Named, 'status' | 'progress'> & { readonly id?: string };
  readonly downloads?: Readonly<Record<string, { readonly id: string }>>;
}

/** @returns the jobs of an answer: one, or those of the two parts of a list */
function idsOf(body: unknown): readonly string[] {
  const { data, download, downloads, download_id: id } = body as Named;
  const parts = downloads === undefined || Array.isArray(downloads) ? [] : Object.values(downloads);
  const found = [download?.id ?? id ?? data?.id ?? parts.map((part) => part.id)].flat();
  // They stand outside the marks of texts from strangers.
  return found.filter((one) => ulidSchema.safeParse(one).success);
}

/** Marks a text with words of strangers, such as a transcript. The name of the mark is random, so that the text cannot end it. */
function untrusted(text: string): string {
  const mark = `untrusted-${randomBytes(8).toString('hex')}`;
  return `<${mark}>\n${text}\n</${mark}>`;
}

function textsOf(texts: readonly string[]): CallToolResult['content'] {
  return texts.map((text) => ({ type: 'text', text }));
}
