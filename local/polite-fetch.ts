import { setTimeout as delay } from 'node:timers/promises';

const PATIENCE_MS = 60_000;

/**
 * As fetch, but told 503 it comes again when it is told to, as a good caller does: on a computer that does other things too an
 * engine may keep silent for a while. A job that is asked for twice is one.
 */
export async function politeFetch(url: string, init: RequestInit = {}): Promise<Response> {
  const deadlineMs = Date.now() + PATIENCE_MS;
  for (;;) {
    const answer = await fetch(url, init);
    if (answer.status !== 503 || Date.now() > deadlineMs) return answer;
    await answer.text();
    const waitMs = 1_000 * Number(answer.headers.get('retry-after') ?? 1);
    await delay(waitMs, undefined, { signal: init.signal ?? undefined });
  }
}
