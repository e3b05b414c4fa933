import { z } from 'zod';
import type { Exchange, Handled } from './exchange.ts';
import type { FurtherPlatform } from './further-platform.ts';
import { indexPage } from './index-page.ts';
import { answer, readJson, refusal, type JsonAnswer } from './json-http.ts';
import type { Library } from './library.ts';
import { SwitchError, switchSchema, type Switchboard } from './misbehaviour.ts';
import type { Stats } from './stats.ts';

export interface ControlParts {
  readonly library: Library;
  readonly switchboard: Switchboard;
  readonly stats: Stats;
  readonly baseUrl: () => string;
  readonly platforms: readonly FurtherPlatform[];
}

const aimed = z.looseObject({ target: z.string() });
const allOff = z.looseObject({ video: z.literal('*'), mode: z.literal('off'), target: z.undefined().optional() });

/**
 * What people and tests use to look into the sandbox and to steer it: the list of contents, counters, switches.
 *
 * @returns undefined for an address that is none of these
 */
export function createControl(parts: ControlParts): (exchange: Exchange) => Handled {
  const { library, switchboard, stats, platforms } = parts;

  const counters = (): JsonAnswer =>
    answer(200, { ...stats.snapshot(), ...Object.fromEntries(platforms.map((one) => [one.name, one.stats()])) });
  const switches = (): JsonAnswer =>
    answer(200, { switches: [...switchboard.list(), ...platforms.flatMap((one) => one.switches())] });

  const misbehave = (body: unknown): JsonAnswer => {
    if (body === undefined) return refusal(400, 'The body is no JSON of at most 64 KiB.');
    const target = aimed.safeParse(body).data?.target;
    const platform = platforms.find((one) => one.name === target);
    if (platform !== undefined) {
      const told = platform.misbehave(body);
      return told.status === 200 ? switches() : told;
    }
    const parsed = switchSchema.safeParse(body);
    if (!parsed.success) return refusal(400, z.prettifyError(parsed.error));
    // Everything off means everything, whatever it was switched on for.
    if (allOff.safeParse(body).success) for (const one of platforms) one.behave();
    try {
      switchboard.set(parsed.data);
      return switches();
    } catch (error) {
      if (error instanceof SwitchError) return refusal(400, error.message);
      throw error;
    }
  };

  return async ({ req, url }) => {
    if (req.method === 'POST') {
      if (url.pathname === '/misbehave') return misbehave(await readJson(req));
      if (url.pathname !== '/stats/reset') return refusal(405, 'POST is for /misbehave and /stats/reset.');
      stats.reset();
      for (const one of platforms) one.resetStats();
      return counters();
    }
    if (req.method !== 'GET' && req.method !== 'HEAD') return refusal(405, 'Only GET, HEAD and POST are known here.');
    if (url.pathname === '/') return answer(200, indexPage(library.catalogue, platforms, parts.baseUrl()));
    if (url.pathname === '/stats') return counters();
    return url.pathname === '/misbehave' ? switches() : undefined;
  };
}
