import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { Pool } from 'undici';
import { atOnce, quantile } from './rounds.ts';

const PROGRAM = fileURLToPath(new URL('./bare-server.ts', import.meta.url));

/** Starts bare-server.ts in its own process, as the api has one. */
export async function startBareServer(mongodbUri: string, database: string) {
  const child = spawn(process.execPath, [PROGRAM, mongodbUri, database], { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(child, 'close');
  const lines = createInterface({ input: child.stdout });
  const line = await Promise.race([once(lines, 'line'), ended.then(() => undefined)]);
  if (line === undefined) throw new Error('the bare server did not come up');
  return {
    url: String(line[0]).replace(/\/$/, ''),
    async stop() {
      child.stdin.end();
      await ended;
    },
  };
}

const LANES = 16;

/**
 * Sends requests to one address and reads each answer to its end.
 *
 * @param body of a POST; without one it is a GET
 */
export async function loadOf(
  url: string,
  requests: number,
  { body, headers = {}, lanes = LANES }: { body?: string; headers?: Record<string, string>; lanes?: number } = {},
) {
  const { origin, pathname, search } = new URL(url);
  const pool = new Pool(origin, { connections: lanes });
  const tookMs: number[] = [];
  try {
    const begunMs = performance.now();
    await atOnce(Array.from({ length: requests }), lanes, async () => {
      const startedMs = performance.now();
      const method = body === undefined ? 'GET' : 'POST';
      const answer = await pool.request({ method, path: pathname + search, headers, body: body ?? null });
      let bytes = 0;
      for await (const chunk of answer.body as AsyncIterable<Buffer>) bytes += chunk.length;
      if (answer.statusCode !== 200 && answer.statusCode !== 202) {
        throw new Error(`${url} answered ${String(answer.statusCode)}`);
      }
      if (bytes === 0) throw new Error(`${url} answered nothing`);
      tookMs.push(performance.now() - startedMs);
    });
    const seconds = (performance.now() - begunMs) / 1000;
    return { perSecond: requests / seconds, p99Ms: quantile(tookMs, 0.99) };
  } finally {
    await pool.close();
  }
}
export type Load = Awaited<ReturnType<typeof loadOf>>;
