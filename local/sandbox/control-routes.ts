import { z } from 'zod';
import type { DatasetApi } from './dataset-api/dataset-api.ts';
import { readJson, refusal, type Answer, type Exchange } from './json-http.ts';
import type { Library } from './library.ts';
import { switchSchema, type Switchboard } from './switches.ts';
import type { Stats } from './stats.ts';

export interface SandboxParts {
  readonly library: Library;
  readonly switchboard: Switchboard;
  readonly stats: Stats;
  readonly baseUrl: () => string;
  /** The stand-in for the other platform. */
  readonly dataset: DatasetApi;
}

const forDataset = z.looseObject({ target: z.literal('dataset') });

/**
 * What people and tests use to look into the sandbox and to steer it: the list of contents, counters, switches.
 *
 * @returns undefined for an address that is none of these
 */
export function createControl(parts: SandboxParts): (exchange: Exchange) => Promise<Answer | undefined> {
  const { switchboard, stats, dataset } = parts;
  const counters = (): Answer => ok({ ...stats.snapshot(), dataset: dataset.stats() });
  const switches = (): Answer => ok({ switches: [...switchboard.list(), ...dataset.switches()] });

  const misbehave = (body: unknown): Answer => {
    if (body === undefined) return refusal(400, 'The body is no JSON of at most 64 KiB.');
    if (forDataset.safeParse(body).success) {
      const told = dataset.misbehave(body);
      return told.status === 200 ? switches() : told;
    }
    const parsed = switchSchema.safeParse(body);
    if (!parsed.success) return refusal(400, z.prettifyError(parsed.error));
    const { video, mode, target } = parsed.data;
    // Everything off means everything, whatever it was switched on for.
    if (video === '*' && mode === 'off' && target === undefined) dataset.behave();
    const refused = switchboard.set(parsed.data);
    return refused === undefined ? switches() : refusal(400, refused);
  };

  return async ({ req, url }) => {
    if (req.method === 'POST') {
      if (url.pathname === '/misbehave') return misbehave(await readJson(req));
      if (url.pathname !== '/stats/reset') return refusal(405, 'POST is for /misbehave and /stats/reset.');
      stats.reset();
      dataset.resetStats();
      return counters();
    }
    if (req.method !== 'GET' && req.method !== 'HEAD') return refusal(405, 'Only GET, HEAD and POST are known here.');
    if (url.pathname === '/') return ok(contentsOf(parts));
    if (url.pathname === '/stats') return counters();
    return url.pathname === '/misbehave' ? switches() : undefined;
  };
}

const ok = (body: object): Answer => ({ status: 200, body });

/** The list of contents for people and tests. */
function contentsOf({ library, dataset, baseUrl }: SandboxParts): object {
  const { videos, channels } = library.catalogue;
  return {
    // JSON leaves out what is undefined: the length of a video that has none yet.
    videos: videos.map(({ id, title, case: kind, durationSeconds: duration }) => ({ id, title, case: kind, duration })),
    channels: channels.map((channel) => ({ url: `${baseUrl()}/${channel.handle}`, case: channel.case })),
    accounts: dataset.accounts(),
    posts: dataset.posts(),
  };
}
