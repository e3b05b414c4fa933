import { setMaxListeners } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { parseJson } from '../../runtime/parse-json.ts';

const TIMEOUT_MS = 60_000;
const POLL_MS = 2_000;
/** The pause between two jobs. */
const PAUSE_MS = 1_000;
/** The pause before a stream is opened again. */
const STREAM_PAUSE_MS = 10_000;
const CANCELS_AT_ONCE = 20;
const CANCEL_TRIES = 60;

const acceptedSchema = z.object({ data: z.object({ id: z.string() }) });
const pendingSchema = z.object({ data: z.array(z.object({ id: z.string() })) });

export interface JobRequest {
  readonly path: string;
  readonly body: object;
}

export type HostileCaller = ReturnType<typeof createHostileCaller>;

/** A caller with a key that continues after any answer, and after none. */
export function createHostileCaller({ restUrl, authorization }: { restUrl: string; authorization: string }) {
  const left = new AbortController();
  setMaxListeners(0, left.signal);
  const jobs = new Set<string>();
  const answers: Record<string, number> = {};
  const count = (what: string): void => {
    answers[what] = (answers[what] ?? 0) + 1;
  };
  const request = async (
    method: string,
    path: string,
    { body, headers, signal }: { body?: object; headers?: Readonly<Record<string, string>>; signal?: AbortSignal } = {},
  ): Promise<{ readonly status: number; readonly text: string } | undefined> => {
    try {
      const response = await fetch(restUrl + path, {
        method,
        headers: { authorization, ...headers },
        signal: signal ?? AbortSignal.timeout(TIMEOUT_MS),
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      count(String(response.status));
      return { status: response.status, text };
    } catch {
      count('no answer');
      return undefined;
    }
  };
  const pause = (ms: number): Promise<unknown> => delay(ms, undefined, { signal: left.signal }).catch(() => undefined);
  const start = async ({ path, body }: JobRequest): Promise<string | undefined> => {
    const answer = await request('POST', path, { body });
    const id = acceptedSchema.safeParse(parseJson(answer?.text ?? '')).data?.data.id;
    if (id !== undefined) jobs.add(id);
    return id;
  };
  /** Polls until the job has ended, or the caller leaves. */
  const end = async (id: string): Promise<void> => {
    for (let answer; answer?.status !== 200 && !left.signal.aborted;) {
      await pause(POLL_MS);
      answer = await request('GET', `/downloads/${id}`);
    }
  };
  const cancel = async (id: string): Promise<void> => {
    for (let tries = 0; tries < CANCEL_TRIES; tries += 1) {
      const answer = await request('DELETE', `/downloads/${id}`);
      if (answer !== undefined && (answer.status === 200 || answer.status === 404 || answer.status === 409)) return;
      await delay(PAUSE_MS);
    }
  };
  return {
    /** The answers so far, counted by status, `no answer` and `streams`. */
    answers: answers as Readonly<Record<string, number>>,
    hasLeft: (): boolean => left.signal.aborted,
    request,
    start,
    pause,
    /** Keeps a number of jobs running until the caller leaves. */
    async holdJobs(atOnce: number, next: () => Promise<JobRequest>): Promise<void> {
      const lane = async (): Promise<void> => {
        while (!left.signal.aborted) {
          const id = await start(await next());
          if (id !== undefined) await end(id);
          await pause(PAUSE_MS);
        }
      };
      await Promise.all(Array.from({ length: atOnce }, lane));
    },
    /** Keeps a stream of events open until the caller leaves. @param onAnswer called with the first answer, and when there is none */
    async holdStream(path: string, onAnswer: () => void): Promise<void> {
      while (!left.signal.aborted) {
        try {
          const response = await fetch(restUrl + path, { headers: { authorization }, signal: left.signal });
          count(response.ok ? 'streams' : String(response.status));
          onAnswer();
          await response.body?.pipeTo(new WritableStream());
        } catch {
          onAnswer();
        }
        await pause(STREAM_PAUSE_MS);
      }
    },
    leave: (): void => left.abort(),
    /** Cancels all jobs of the key, also those whose acceptance was never received. */
    async cancelJobs(): Promise<void> {
      const listed = await request('GET', '/api/downloads?status=pending&limit=200');
      const pending = pendingSchema.safeParse(parseJson(listed?.text ?? '')).data?.data ?? [];
      const ids = new Set([...jobs, ...pending.map(({ id }) => id)]).values();
      const lane = async (): Promise<void> => {
        for (const id of ids) await cancel(id);
      };
      await Promise.all(Array.from({ length: CANCELS_AT_ONCE }, lane));
    },
  };
}
