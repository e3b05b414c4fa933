import { setTimeout as delay } from 'node:timers/promises';
import { jobsIn, type Answer, type Client } from './client.ts';
import { isSettled, type CallEntry, type CallersLedger } from './ledger.ts';

/** Before a request is repeated where nothing says how long to wait. */
const REPEAT_MS = 1_000;
const POLL_MS = 3_000;

export interface CallersDeps {
  readonly client: Client;
  readonly ledger: CallersLedger;
  readonly nowMs: () => number;
  readonly goHome: AbortSignal;
}

type Settled = ReadonlyMap<string, Promise<CallEntry>>;

/** Starts each caller at its time. Resolves when all have their results, or when `goHome` aborts. */
export async function sendCallers(deps: CallersDeps): Promise<void> {
  const { ledger, nowMs, goHome } = deps;
  const settled = new Map<string, Promise<CallEntry>>();
  for (const entry of ledger.entries) {
    const run = async (): Promise<CallEntry> => {
      await delay(Math.max(0, entry.call.atMs - nowMs()), undefined, { signal: goHome });
      await follow(deps, entry, settled);
      return entry;
    };
    // Callers wait for others, so none starts before all are in the map.
    settled.set(entry.call.id, Promise.resolve().then(run));
  }
  const ends = await Promise.allSettled(settled.values());
  for (const end of ends) if (end.status === 'rejected' && !goHome.aborted) throw end.reason;
  if (!goHome.aborted && !ledger.entries.every(isSettled)) throw new Error('a caller left too early');
}

/** One caller: retries until it is answered, then polls until its jobs have ended. @throws the reason of `goHome` */
async function follow(deps: CallersDeps, entry: CallEntry, settled: Settled): Promise<void> {
  const body = await bodyOf(entry, settled);
  if (body === undefined) {
    entry.problem = `what it needs (${entry.call.after?.callId ?? ''}) could not be had`;
    return;
  }
  await ask(deps, entry, body);
  while (!isSettled(entry)) {
    await delay(POLL_MS, undefined, { signal: deps.goHome });
    await poll(deps.client, entry);
  }
}

async function bodyOf({ call, webhookUrl }: CallEntry, settled: Settled): Promise<object | undefined> {
  const own = { ...call.body, include_webhook: webhookUrl };
  if (call.after === undefined) return own;
  const needed = await settled.get(call.after.callId);
  if (needed === undefined) throw new Error(`there is no call ${call.after.callId}`);
  const [job] = needed.jobs;
  return job?.status === 'success' ? { ...own, [call.after.field]: needed.listId ?? job.id } : undefined;
}

async function ask({ client, goHome }: CallersDeps, entry: CallEntry, body: object): Promise<void> {
  for (;;) {
    entry.tries += 1;
    const answer = await client.request('POST', entry.call.path, { body });
    if (answer !== undefined && note(entry, answer)) return;
    await delay(answer?.retryAfterMs ?? REPEAT_MS, undefined, { signal: goHome });
  }
}

/** @returns whether the caller need not repeat the request */
function note(entry: CallEntry, { status, body, text }: Answer): boolean {
  // A request that waited for the job has the failure as status.
  const isFailure = (status === 400 || status === 500) && jobsIn(body).some((job) => job.status === 'failed');
  if (status === 200 || status === 202 || isFailure) {
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

/** Requests each job that has not ended yet. */
async function poll(client: Client, entry: CallEntry): Promise<void> {
  for (const job of entry.jobs.filter(({ status }) => status === 'pending')) {
    const answer = await client.request('GET', `/downloads/${job.id}`);
    if (answer?.status === 404) entry.forgotten.push(job.id);
    const [seen] = answer?.status === 200 || answer?.status === 202 ? jobsIn(answer.body) : [];
    if (seen !== undefined) job.status = seen.status;
  }
}
