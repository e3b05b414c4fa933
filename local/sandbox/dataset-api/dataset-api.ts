import type { IncomingMessage, ServerResponse } from 'node:http';
import { z } from 'zod';
import { answer, readJson, refusal, type JsonAnswer } from '../json-http.ts';
import { count } from '../stats.ts';
import { makeAccounts, type AccountOptions } from './accounts.ts';
import { collect, type Wanted } from './collect.ts';
import { readFormat, readPart, sendRows, slice } from './download.ts';
import { createMediaHost } from './media.ts';
import { createArchive, type Publication } from './publications.ts';
import { accountUrl, publicationUrl, type DatasetRecord } from './records.ts';
import { createSnapshots, type Snapshot } from './snapshots.ts';
import { DatasetSwitches, datasetSwitchSchema, type DatasetSwitch, type Occasion } from './switches.ts';
import { readTrigger } from './trigger-input.ts';

/** The only token that the sandbox takes. */
export const SANDBOX_API_TOKEN = 'sandbox-token';

const PREFIX = '/datasets/v3/';
const HOUR_MS = 3_600_000;
const COLLECT_MS = 1_000;
const BUILD_MS = 300;
/** The platform's links live that long after they were collected. */
const LINKS_LIVE_MS = 24 * HOUR_MS;

export interface DatasetApiParts extends AccountOptions {
  /** Without a slash at the end; asked for when it is needed. */
  readonly baseUrl: () => string;
  readonly ffmpeg: string;
  /** What is derived from media is kept there. */
  readonly cacheDir: string;
  /** How long a snapshot collects; 1 s. */
  readonly collectMs?: number | undefined;
  /** How long downloads of a ready one answer 202; 0.3 s. */
  readonly buildMs?: number | undefined;
  /** Milliseconds since 1970; the clock. */
  readonly now?: (() => number) | undefined;
}

export type DatasetApi = ReturnType<typeof createDatasetApi>;

/** A stand-in for the dataset API of the photo platform's data, and for the media that its records link to. */
export function createDatasetApi(parts: DatasetApiParts) {
  const now = parts.now ?? Date.now;
  const accounts = makeAccounts(parts);
  const archive = createArchive(accounts, { nowMs: now(), idSalt: parts.idSalt ?? '' });
  const find = (shortcode: string): Publication | undefined => archive.find(shortcode);
  const media = createMediaHost({ ...parts, find, now });
  const switches = new DatasetSwitches();
  const snapshots = createSnapshots(now);
  let counts = zero();

  const rowsOf = (snapshot: Snapshot): Iterable<DatasetRecord> =>
    collect(snapshot.dataset, snapshot.wanted, {
      accounts,
      archive,
      media,
      baseUrl: parts.baseUrl,
      collectedAtMs: snapshot.readyAtMs,
      expiresAtMs: snapshot.linksExpireAtMs,
    });
  const accountOf = (wanted: Wanted): string =>
    wanted.kind === 'single' ? (find(wanted.shortcode)?.owner.userName ?? '') : wanted.account;

  /** @returns true when the request was spoilt */
  const spoil = (res: ServerResponse, occasion: Occasion, modes: readonly DatasetSwitch['mode'][]): boolean => {
    const wrong = switches.take(occasion, modes);
    if (wrong === undefined) return false;
    if (wrong.retry_after_seconds !== undefined) res.setHeader('Retry-After', wrong.retry_after_seconds);
    if (wrong.mode === '429') send(res, 429, TOO_MANY_JOBS);
    if (wrong.mode === '500') send(res, 500, 'Internal server error');
    if (wrong.mode === 'lost') send(res, 404, 'Snapshot does not exist');
    return true;
  };

  const trigger = async (req: IncomingMessage, res: ServerResponse, url: URL): Promise<void> => {
    const asked = readTrigger(url.searchParams, await readJson(req));
    if ('status' in asked) {
      send(res, asked.status, asked.body);
      return;
    }
    const { dataset, wanted } = asked;
    const occasion: Occasion = { step: 'trigger', dataset, accounts: wanted.map(accountOf) };
    counts.triggers[dataset] += 1;
    if (spoil(res, occasion, ['429', '500', 'hang'])) return;
    for (const one of wanted)
      count(counts.started, `${dataset} ${one.kind === 'single' ? one.shortcode : one.account}`);
    const seconds = (mode: DatasetSwitch['mode']): number | undefined => switches.take(occasion, [mode])?.seconds;
    const failing = switches.take(occasion, ['fail_snapshot']);
    const slowSeconds = seconds('slow');
    const linkSeconds = seconds('media_ttl');
    const snapshot = snapshots.start(
      {
        dataset,
        wanted,
        accounts: occasion.accounts,
        failure: failing === undefined ? undefined : (failing.message ?? 'Internal server error'),
      },
      {
        collectMs: slowSeconds === undefined ? (parts.collectMs ?? COLLECT_MS) : slowSeconds * 1000,
        buildMs: parts.buildMs ?? BUILD_MS,
        linksLiveMs: linkSeconds === undefined ? LINKS_LIVE_MS : linkSeconds * 1000,
      },
    );
    send(res, 200, { snapshot_id: snapshot.id });
  };

  const progress = (res: ServerResponse, snapshot: Snapshot): void => {
    counts.progress_polls += 1;
    if (spoil(res, { step: 'progress', ...snapshot }, ['429', '500', 'hang', 'lost'])) return;
    send(res, 200, snapshots.progress(snapshot));
  };

  const download = async (res: ServerResponse, snapshot: Snapshot, query: URLSearchParams): Promise<void> => {
    counts.download_requests += 1;
    const occasion: Occasion = { step: 'snapshot', ...snapshot };
    if (spoil(res, occasion, ['429', '500', 'hang', 'lost'])) return;
    if (now() < snapshot.downloadableAtMs) {
      const status = now() < snapshot.readyAtMs ? 'running' : 'building';
      const what = status === 'running' ? 'is not ready yet' : 'is building';
      send(res, 202, { status, message: `Snapshot ${what}, try again in 10s` });
      return;
    }
    const format = readFormat(query);
    const part = readPart(query);
    if (snapshot.failure !== undefined) send(res, 400, 'Snapshot is empty');
    else if (format === undefined) send(res, 400, 'The sandbox has the formats json, ndjson and jsonl');
    else if (typeof part === 'string') send(res, 400, part);
    else {
      const cut = switches.take(occasion, ['cut']) !== undefined;
      if (await sendRows(res, slice(rowsOf(snapshot), part), { format, cut })) counts.downloads += 1;
    }
  };

  const partsOf = (res: ServerResponse, snapshot: Snapshot, query: URLSearchParams): void => {
    const part = readPart(query);
    if (typeof part === 'string') send(res, 400, part);
    else send(res, 200, { parts: Math.ceil([...rowsOf(snapshot)].length / part.rows) || 1 });
  };

  return {
    /** @returns false when the request is for something else */
    async handle(req: IncomingMessage, res: ServerResponse, url: URL): Promise<boolean> {
      if (await media.handle(req, res, url)) return true;
      if (!url.pathname.startsWith(PREFIX)) return false;
      const refused = unauthorised(req);
      if (refused !== undefined) {
        send(res, 401, refused);
        return true;
      }
      const [what, id = '', third] = url.pathname.slice(PREFIX.length).split('/');
      if (what === 'trigger' && req.method === 'POST') {
        await trigger(req, res, url);
        return true;
      }
      const snapshot = snapshots.find(id);
      if (req.method !== 'GET' || (what !== 'progress' && what !== 'snapshot')) send(res, 404, 'Not found');
      else if (snapshot === undefined) send(res, 404, 'Snapshot does not exist');
      else if (what === 'progress') progress(res, snapshot);
      else if (third === 'parts') partsOf(res, snapshot, url.searchParams);
      else await download(res, snapshot, url.searchParams);
      return true;
    },
    accounts: () =>
      accounts.map((account) => ({
        url: accountUrl(account, parts.baseUrl()),
        user_name: account.userName,
        case: account.case,
      })),
    posts: () =>
      archive.featured().map((publication) => ({
        url: publicationUrl(publication, parts.baseUrl()),
        case: publication.case,
      })),
    stats: () => {
      const { requests, expired } = media.stats();
      return { ...counts, snapshots: snapshots.count(), media_requests: requests, expired_media_requests: expired };
    },
    resetStats(): void {
      counts = zero();
      media.resetStats();
    },
    /** Sets a switch whose target is `dataset`. */
    misbehave(body: unknown): JsonAnswer {
      const parsed = datasetSwitchSchema.safeParse(body);
      if (!parsed.success) return refusal(400, z.prettifyError(parsed.error));
      switches.set(parsed.data);
      return answer(200, { switches: switches.list() });
    },
    switches: () => switches.list(),
    behave: () => switches.off(),
    /** Settings that point the service at it. */
    env: () => ({
      IMGNET_API_URL: parts.baseUrl(),
      IMGNET_API_TOKEN: SANDBOX_API_TOKEN,
      IMGNET_PLATFORM_URL: parts.baseUrl(),
    }),
  };
}

const TOO_MANY_JOBS =
  'You have too many running jobs for this dataset. Please wait until some of them end. Running jobs: 100>=100';

const zero = () => ({
  /** Requests that asked for a snapshot, by dataset; refused ones too. */
  triggers: { profiles: 0, posts: 0, reels: 0 },
  /** Snapshots by dataset and what they were about, such as `posts sandbox.garden`. */
  started: {} as Record<string, number>,
  progress_polls: 0,
  download_requests: 0,
  /** Those that were sent to their end. */
  downloads: 0,
});

function unauthorised(req: IncomingMessage): string | undefined {
  const given = req.headers.authorization;
  if (given === undefined) return 'Credentials are missing';
  if (!given.startsWith('Bearer ')) return 'Auth method is not supported';
  return given === `Bearer ${SANDBOX_API_TOKEN}` ? undefined : 'Invalid credentials';
}

/** Errors are plain text, everything else is JSON. */
function send(res: ServerResponse, status: number, body: string | object): void {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  res.writeHead(status, { 'Content-Type': typeof body === 'string' ? 'text/plain' : 'application/json' }).end(text);
}
