import { Pool } from 'undici';
import { atOnce } from './rounds.ts';
import { quantile } from './statistics.ts';

const LANES = 16;

/** How one address answers when it is asked again and again, 16 at once, each answer read to its end. */
export async function loadOf(url: string, requests: number) {
  const { origin, pathname, search } = new URL(url);
  const pool = new Pool(origin, { connections: LANES });
  const tookMs: number[] = [];
  try {
    const begunMs = performance.now();
    await atOnce(Array.from({ length: requests }), LANES, async () => {
      const askedMs = performance.now();
      const { statusCode, body } = await pool.request({ method: 'GET', path: pathname + search });
      let bytes = 0;
      for await (const chunk of body as AsyncIterable<Buffer>) bytes += chunk.length;
      if (statusCode >= 300 || bytes === 0) throw new Error(`${url} answered ${String(statusCode)}`);
      tookMs.push(performance.now() - askedMs);
    });
    const seconds = (performance.now() - begunMs) / 1000;
    return { perSecond: requests / seconds, p99Ms: quantile(tookMs, 0.99) };
  } finally {
    await pool.close();
  }
}
export type Load = Awaited<ReturnType<typeof loadOf>>;
