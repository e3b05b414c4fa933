import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { ErrorBody } from '../../contract/http/api-error.ts';
import type { FaultBench, Order } from './fault-bench.ts';
import { until } from './until.ts';

/** What the api answered. */
export interface Answer {
  readonly request: string;
  /** 0: the connection broke, or two minutes went by. */
  readonly status: number;
  readonly retryAfter: string | null;
  readonly body: Partial<ErrorBody> & { readonly id?: string } & {
    readonly data?: { readonly id: string; readonly status: string; readonly audio_url?: string };
    readonly download_id?: string;
    readonly download?: { readonly id: string; readonly status: string };
  };
  readonly tookMs: number;
}

const GIVE_UP_MS = 120_000;
const POLL_EVERY_MS = 400;
/** Two cores do about a job a second. */
const POLLS_PER_ORDER = 4;

/** Asks a service for jobs and for how they do, and keeps all answers. */
export class FaultLoad {
  readonly answers: Answer[] = [];
  /** The jobs that were accepted: id of the record, and its order. */
  readonly accepted = new Map<string, Order>();
  /** Orders that were refused, to be repeated. */
  readonly refused: Order[] = [];
  readonly #bench: FaultBench;
  readonly #sums = new Set<string>();
  /** The first order, which is done before anything befalls a line. */
  #done: Order | undefined;
  readonly #next: () => Order;

  constructor(bench: FaultBench, next: () => Order) {
    this.#bench = bench;
    this.#next = next;
  }

  /** A first job, whose result is requested again later. */
  async begin(): Promise<void> {
    const order = this.#next();
    const id = await this.order(order);
    await until(async () => (await this.request('GET', `/downloads/${String(id)}`)).status === 200, {
      within: 120_000,
    });
    this.#done = order;
  }

  async request(method: 'GET' | 'POST', path: string, body?: unknown): Promise<Answer> {
    const startedMs = performance.now();
    const request = `${method} ${path}`;
    const tookMs = () => Math.round(performance.now() - startedMs);
    const init = body === undefined ? {} : { body: JSON.stringify(body) };
    const headers = { authorization: `Bearer ${this.#bench.key.text}`, prefer: 'wait=0' };
    const signal = AbortSignal.timeout(GIVE_UP_MS);
    let answer: Answer;
    try {
      const response = await fetch(this.#bench.service.stack.restUrl + path, { method, headers, signal, ...init });
      const read = (await response.json()) as Answer['body'];
      const retryAfter = response.headers.get('retry-after');
      answer = { request, status: response.status, retryAfter, body: read, tookMs: tookMs() };
    } catch (error) {
      answer = { request, status: 0, retryAfter: null, body: { error: String(error) }, tookMs: tookMs() };
    }
    this.answers.push(answer);
    return answer;
  }

  /** @returns the id of the record; undefined when the order was refused */
  async order(order = this.#next()): Promise<string | undefined> {
    const { status, body } = await this.request('POST', order.path, {
      ...order.body,
      include_webhook: this.#bench.webhookUrl,
    });
    // 409: it had been started by a request that got no good answer.
    const id = [200, 202].includes(status) ? (body.data?.id ?? body.download_id) : status === 409 ? body.id : undefined;
    if (id === undefined) this.refused.push(order);
    else this.accepted.set(id, order);
    return id;
  }

  /** Orders and polls for a while, whatever becomes of them. @returns a promise for all of them, in an array so as not to wait for it */
  async goOn(forMs: number): Promise<readonly [Promise<unknown>]> {
    const underWay: Promise<unknown>[] = [];
    const endMs = performance.now() + forMs;
    for (let round = 0; performance.now() < endMs; round += 1) {
      if (round % POLLS_PER_ORDER === 1) underWay.push(this.order());
      const known = [...this.accepted].at(-1);
      if (round % 2 === 0 || known === undefined) underWay.push(this.request('GET', '/ready'));
      else underWay.push(this.request('GET', `/downloads/${known[0]}`));
      if (round % POLLS_PER_ORDER === 3 && this.#done !== undefined) underWay.push(this.#askForDone(this.#done));
      await delay(POLL_EVERY_MS);
    }
    return [Promise.all(underWay)];
  }

  /**
   * Waits until a new job can be ordered and is done, its webhook has arrived, and the file of the first job is served, as
   * if nothing had been.
   */
  async untilAsBefore(within: number): Promise<void> {
    const order = this.#next();
    const deadline = Date.now() + within;
    const left = () => Math.max(0, deadline - Date.now());
    const id = await until(() => this.order(order), { within: left(), what: 'a new job to be accepted' });
    await until(async () => (await this.request('GET', '/ready')).status === 200, {
      within: left(),
      what: 'readiness',
    });
    await until(async () => (await this.request('GET', `/downloads/${id}`)).status === 200, {
      ...{ within: left(), what: `the end of the new job ${id}` },
    });
    const { posts } = this.#bench.receiver;
    await until(() => posts.some(({ body }) => body.includes(id)), { within: left(), what: `the webhook of ${id}` });
    const done = this.#done;
    if (done !== undefined) await until(() => this.#askForDone(done), { within: left(), what: 'the file of a job' });
  }

  /** Asks for what is there already: its file is looked for, and read. @returns whether all of it came */
  async #askForDone(order: Order): Promise<boolean> {
    const { status, body } = await this.request('POST', order.path, order.body);
    const link = status === 200 ? body.data?.audio_url : undefined;
    if (link === undefined) return false;
    const startedMs = performance.now();
    const response = await fetch(link, { signal: AbortSignal.timeout(GIVE_UP_MS) }).catch(() => undefined);
    if (response === undefined) return false;
    const { status: fileStatus, headers } = response;
    const answer = { request: 'GET file', status: fileStatus, retryAfter: headers.get('retry-after'), body: {} };
    this.answers.push({ ...answer, tookMs: Math.round(performance.now() - startedMs) });
    // A transfer that is cut must look cut.
    const bytes = await response.arrayBuffer().catch(() => undefined);
    if (fileStatus !== 200 || bytes === undefined) return false;
    const sum = createHash('sha256').update(Buffer.from(bytes)).digest('hex');
    this.#sums.add(sum);
    return true;
  }

  /** How many different contents a file was served with, whole by its length. */
  get servedContents(): number {
    return this.#sums.size;
  }

  /** Repeats refused orders, as a caller does. */
  async orderRefusedAgain(): Promise<void> {
    for (const order of this.refused.splice(0)) await this.order(order);
  }
}
