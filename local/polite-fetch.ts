import { setTimeout as delay } from 'node:timers/promises';

const PATIENCE_MS = 60_000;

/** Like `fetch`, but retries after 503, because an engine may not respond for a while on a busy computer. */
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
