import { setTimeout as delay } from 'node:timers/promises';
import { jobsIn } from './answers.ts';
import type { Answer, Client } from './client.ts';
import { isSettled, type CallEntry } from './ledger.ts';

/** Before asking again where nothing says how long. */
const AGAIN_MS = 1_000;
/** Between two looks at a job. */
const LOOK_MS = 3_000;

export interface CallerDeps {
  readonly client: Client;
  /** The entry of another call, once it is settled; rejects when the callers are sent home. */
  readonly settled: (callId: string) => Promise<CallEntry>;
  /** Ends everything that a caller does. */
  readonly goHome: AbortSignal;
}

/**
 * One caller: asks until it is answered, as often as the service cannot be reached or says to come back, and then looks
 * until its jobs have ended.
 *
 * @throws the reason of `goHome`
 */
export async function follow(deps: CallerDeps, entry: CallEntry): Promise<void> {
  const body = await bodyOf(deps, entry);
  if (body === undefined) {
    entry.problem = `what it needs (${entry.call.after?.callId ?? ''}) could not be had`;
    return;
  }
  await ask(deps, entry, body);
  while (!isSettled(entry)) {
    await delay(LOOK_MS, undefined, { signal: deps.goHome });
    await look(deps, entry);
  }
}

async function bodyOf(deps: CallerDeps, { call, webhookUrl }: CallEntry): Promise<object | undefined> {
  const own = { ...call.body, include_webhook: webhookUrl };
  if (call.after === undefined) return own;
  const needed = await deps.settled(call.after.callId);
  const [job] = needed.jobs;
  return job?.status === 'success' ? { ...own, [call.after.field]: needed.listId ?? job.id } : undefined;
}

async function ask({ client, goHome }: CallerDeps, entry: CallEntry, body: object): Promise<void> {
  for (;;) {
    entry.tries += 1;
    const answer = await client.request('POST', entry.call.path, body);
    if (answer !== undefined && note(entry, answer)) return;
    await delay(answer?.retryAfterMs ?? AGAIN_MS, undefined, { signal: goHome });
  }
}

/** @returns whether the caller need not ask again */
function note(entry: CallEntry, { status, body, text }: Answer): boolean {
  if (status === 200 || status === 202) {
    entry.jobs = jobsIn(body).map((job) => ({ ...job, isOwedWebhook: job.status === 'pending' }));
    entry.listId = body.list_id;
    return entry.jobs.length > 0;
  }
  if (status === 409 && body.code === 'pending_duplicate' && body.id !== undefined) {
    entry.jobs = [{ id: body.id, status: 'pending', isOwedWebhook: false }];
    return true;
  }
  // Later the job has ended, and its result is answered.
  const isTooEarly = body.code === 'not_ready' || body.code === 'too_many_webhooks';
  if (status >= 500 || status === 429 || isTooEarly) return false;
  entry.problem = `answered ${String(status)}: ${text.slice(0, 200)}`;
  return true;
}

/** Looks once at each job that was not seen to end. */
export async function look({ client }: Pick<CallerDeps, 'client'>, entry: CallEntry): Promise<void> {
  for (const job of entry.jobs.filter(({ status }) => status === 'pending')) {
    const answer = await client.request('GET', `/downloads/${job.id}`);
    if (answer?.status === 404) entry.forgotten.push(job.id);
    const [told] = answer?.status === 200 || answer?.status === 202 ? jobsIn(answer.body) : [];
    if (told !== undefined) job.status = told.status;
  }
}
