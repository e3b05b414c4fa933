import { z } from 'zod';
import type { DatasetApi } from './dataset-api/dataset-api.ts';
import { changeChannel, changeSchema } from './channel-changes.ts';
import { readJson, refusal, type Answer, type Exchange } from './json-http.ts';
import type { Library } from './library.ts';
import { switchSchema, type Switchboard } from './switches.ts';
import type { Stats } from './stats.ts';

export interface SandboxParts {
  readonly library: Library;
  readonly switchboard: Switchboard;
  readonly stats: Stats;
  readonly baseUrl: () => string;
  readonly dataset: DatasetApi;
}

const forDataset = z.looseObject({ target: z.literal('dataset') });

export function createControl(parts: SandboxParts): (exchange: Exchange) => Promise<Answer | undefined> {
  const { switchboard, stats, dataset } = parts;
  const counters = (): Answer => ok({ ...stats.snapshot(), dataset: dataset.stats() });
  const switches = (): Answer => ok({ switches: [...switchboard.list(), ...dataset.switches()] });

  const misbehave = (body: unknown): Answer => {
    if (body === undefined) return refusal(400, 'The body is no JSON of at most 64 KiB.');
    if (forDataset.safeParse(body).success) {
      const answer = dataset.misbehave(body);
      return answer.status === 200 ? switches() : answer;
    }
    const parsed = switchSchema.safeParse(body);
    if (!parsed.success) return refusal(400, z.prettifyError(parsed.error));
    const { video, mode, target } = parsed.data;
    if (video === '*' && mode === 'off' && target === undefined) dataset.behave();
    const refused = switchboard.set(parsed.data);
    return refused === undefined ? switches() : refusal(400, refused);
  };

  const change = (body: unknown): Answer => {
    const parsed = changeSchema.safeParse(body);
    if (!parsed.success) return refusal(400, z.prettifyError(parsed.error));
    const id = changeChannel(parts.library, parsed.data);
    return id === undefined ? refusal(404, 'There is no such channel or video.') : ok({ id });
  };

  return async ({ req, url }) => {
    if (req.method === 'POST') {
      if (url.pathname === '/change') return change(await readJson(req));
      if (url.pathname === '/misbehave') return misbehave(await readJson(req));
      if (url.pathname !== '/stats/reset') return refusal(405, 'POST is for /change, /misbehave and /stats/reset.');
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

function contentsOf({ library, dataset, baseUrl }: SandboxParts): object {
  const { videos, channels } = library.catalogue;
  return {
    videos: videos.map(({ id, title, case: kind, durationSeconds: duration }) => ({ id, title, case: kind, duration })),
    channels: channels.map((channel) => ({ url: `${baseUrl()}/${channel.handle}`, case: channel.case })),
    accounts: dataset.accounts(),
    posts: dataset.posts(),
  };
}
