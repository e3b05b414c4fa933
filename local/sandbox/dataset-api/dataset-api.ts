import type { IncomingMessage, ServerResponse } from 'node:http';
import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { readJson, Refusal, refusal, send, sendRefusal, type Answer, type Exchange } from '../json-http.ts';
import { count } from '../stats.ts';
import { DatasetSwitches, datasetSwitchSchema, type DatasetSwitch, type Occasion } from '../switches.ts';
import { makeAccounts, type AccountOptions, createArchive } from './publications.ts';
import { collect, DATASET_IDS, type Wanted } from './collect.ts';
import { readPart, sendRows, slice, inputsOf, listOf, statusOf, type Snapshot } from './snapshots.ts';
import { createMediaHost } from './media.ts';
import { accountUrl, publicationUrl, type DatasetRecord } from './records.ts';
import { readDataset, readTrigger } from './trigger-input.ts';

export const SANDBOX_API_TOKEN = 'sandbox-token';

const PREFIX = '/datasets/v3/';
const COLLECT_MS = 1_000;
const BUILD_MS = 300;
/** Links expire this long after they were collected. */
const LINKS_LIVE_MS = 24 * 3_600_000;

export interface DatasetApiParts extends AccountOptions {
  /** Without a trailing slash. */
  readonly baseUrl: () => string;
  readonly ffmpeg: string;
  readonly cacheDir: string;
  /** How long a snapshot collects; default 1 s. */
  readonly collectMs?: number | undefined;
  /** How long downloads of a ready snapshot answer 202; default 0.3 s. */
  readonly buildMs?: number | undefined;
  readonly now?: (() => number) | undefined;
}

export type DatasetApi = ReturnType<typeof createDatasetApi>;

/** A stand-in for the dataset API of the photo platform's data, and for the media that its records link to. */
export function createDatasetApi(parts: DatasetApiParts) {
  const { baseUrl, now = Date.now, collectMs = COLLECT_MS, buildMs = BUILD_MS } = parts;
  const accounts = makeAccounts(parts);
  const archive = createArchive(accounts, { nowMs: now(), idSalt: parts.idSalt ?? '' });
  let counts = zero();
  const countMedia = (expired: boolean): void => {
    counts.media_requests += 1;
    if (expired) counts.expired_media_requests += 1;
  };
  const media = createMediaHost({ ...parts, find: archive.find, now, onRequest: countMedia });
  const switches = new DatasetSwitches();
  const snapshots = new Map<string, Snapshot>();

  const rowsOf = (snapshot: Snapshot): Iterable<DatasetRecord> =>
    collect(snapshot.dataset, snapshot.wanted, {
      accounts,
      archive,
      media,
      baseUrl,
      collectedAtMs: snapshot.readyAtMs,
      expiresAtMs: snapshot.linksExpireAtMs,
    });
  const accountOf = (wanted: Wanted): string =>
    wanted.kind === 'single' ? (archive.find(wanted.shortcode)?.owner.userName ?? '') : wanted.account;

  /** @returns true when the request must hang */
  const spoil = (res: ServerResponse, occasion: Occasion): boolean => {
    const lost = occasion.step === 'trigger' ? [] : (['lost'] as const);
    const wrong = switches.take(occasion, ['429', '500', 'hang', ...lost]);
    if (wrong?.retry_after_seconds !== undefined) res.setHeader('Retry-After', wrong.retry_after_seconds);
    if (wrong?.mode === '429') throw new Refusal(429, TOO_MANY_JOBS);
    if (wrong?.mode === '500') throw new Refusal(500, 'Internal server error');
    if (wrong?.mode === 'lost') throw noSnapshot();
    return wrong !== undefined;
  };

  const trigger = async ({ req, res, url }: Exchange): Promise<Answer | undefined> => {
    const { dataset, wanted } = readTrigger(url.searchParams, await readJson(req));
    const occasion: Occasion = { step: 'trigger', dataset, accounts: wanted.map(accountOf) };
    counts.triggers[dataset] += 1;
    if (spoil(res, occasion)) return undefined;
    for (const one of wanted)
      count(counts.started, `${dataset} ${one.kind === 'single' ? one.shortcode : one.account}`);
    const msOf = (mode: DatasetSwitch['mode'], otherwise: number): number => {
      const seconds = switches.take(occasion, [mode])?.seconds;
      return seconds === undefined ? otherwise : seconds * 1000;
    };
    const failing = switches.take(occasion, ['fail_snapshot']);
    const startedAtMs = now();
    const readyAtMs = startedAtMs + msOf('slow', collectMs);
    const listedAtMs = startedAtMs + msOf('unlisted', 0);
    const snapshot: Snapshot = {
      id: `s_${randomBytes(12).toString('hex')}`,
      dataset,
      wanted,
      accounts: occasion.accounts,
      startedAtMs,
      readyAtMs,
      listedAtMs,
      linksExpireAtMs: readyAtMs + msOf('media_ttl', LINKS_LIVE_MS),
      failure: failing && (failing.message ?? 'Internal server error'),
    };
    snapshots.set(snapshot.id, snapshot);
    if (switches.take(occasion, ['unanswered']) === undefined) return ok({ snapshot_id: snapshot.id });
    req.socket.destroy();
    return undefined;
  };

  const progress = (res: ServerResponse, snapshot: Snapshot): Answer | undefined => {
    counts.progress_polls += 1;
    if (spoil(res, { step: 'progress', ...snapshot })) return undefined;
    const { id, dataset, startedAtMs, readyAtMs, failure } = snapshot;
    const status = statusOf(snapshot, now());
    return ok({
      snapshot_id: id,
      dataset_id: DATASET_IDS[dataset],
      status,
      error_message: status === 'failed' ? failure : undefined,
      collection_duration: status === 'ready' ? readyAtMs - startedAtMs : undefined,
    });
  };

  const list = (res: ServerResponse, query: URLSearchParams): Answer | undefined => {
    const dataset = readDataset(query);
    counts.lists += 1;
    if (spoil(res, { step: 'list', dataset, accounts: [] })) return undefined;
    return ok(listOf([...snapshots.values()], { dataset, nowMs: now(), query }));
  };

  const download = async (
    res: ServerResponse,
    snapshot: Snapshot,
    query: URLSearchParams,
  ): Promise<Answer | undefined> => {
    counts.download_requests += 1;
    const occasion: Occasion = { step: 'snapshot', ...snapshot };
    if (spoil(res, occasion)) return undefined;
    const { readyAtMs, failure } = snapshot;
    if (now() < readyAtMs + buildMs) {
      const status = now() < readyAtMs ? 'running' : 'building';
      return { status: 202, body: { status, message: `Snapshot is ${status}, try again in 10s` } };
    }
    const rows = slice(rowsOf(snapshot), readPart(query));
    if (failure !== undefined) throw new Refusal(400, 'Snapshot is empty');
    const asLines = (query.get('format') ?? 'json') !== 'json';
    const cut = switches.take(occasion, ['cut']) !== undefined;
    if (await sendRows(res, rows, { asLines, cut })) counts.downloads += 1;
    return undefined;
  };

  /** @returns undefined when the request hangs or is answered already */
  const answerTo = async (exchange: Exchange): Promise<Answer | undefined> => {
    const { req, res, url } = exchange;
    checkToken(req);
    const [what, id = '', third] = url.pathname.slice(PREFIX.length).split('/');
    if (what === 'trigger' && req.method === 'POST') return trigger(exchange);
    if (what === 'snapshots' && req.method === 'GET') return list(res, url.searchParams);
    if (req.method !== 'GET' || (what !== 'progress' && what !== 'snapshot')) throw new Refusal(404, 'Not found');
    const snapshot = snapshots.get(id);
    if (snapshot === undefined) throw noSnapshot();
    if (what === 'progress') return progress(res, snapshot);
    if (third === 'parts') {
      return ok({ parts: Math.ceil([...rowsOf(snapshot)].length / readPart(url.searchParams).rows) || 1 });
    }
    if (third !== 'input') return download(res, snapshot, url.searchParams);
    return spoil(res, { step: 'list', ...snapshot }) ? undefined : ok(inputsOf(snapshot));
  };

  return {
    async handle(req: IncomingMessage, res: ServerResponse, url: URL): Promise<boolean> {
      if (await media.handle(req, res, url)) return true;
      if (!url.pathname.startsWith(PREFIX)) return false;
      try {
        const answer = await answerTo({ req, res, url });
        if (answer !== undefined) send(res, answer);
      } catch (error) {
        sendRefusal(res, error);
      }
      return true;
    },
    accounts: () =>
      accounts.map((account) => ({
        url: accountUrl(account, baseUrl()),
        user_name: account.userName,
        case: account.case,
      })),
    posts: () => archive.featured().map((one) => ({ url: publicationUrl(one, baseUrl()), case: one.case })),
    stats: () => ({ ...counts, snapshots: snapshots.size }),
    resetStats(): void {
      counts = zero();
    },
    misbehave(body: unknown): Answer {
      const parsed = datasetSwitchSchema.safeParse(body);
      if (!parsed.success) return refusal(400, z.prettifyError(parsed.error));
      switches.set(parsed.data);
      return ok({ switches: switches.list() });
    },
    switches: () => switches.list(),
    behave: () => switches.remove(() => true),
    env: () => ({
      IMGNET_API_URL: baseUrl(),
      IMGNET_API_TOKEN: SANDBOX_API_TOKEN,
      IMGNET_PLATFORM_URL: baseUrl(),
    }),
  };
}

const TOO_MANY_JOBS =
  'You have too many running jobs for this dataset. Please wait until some of them end. Running jobs: 100>=100';

const zero = () => ({
  /** Requests for a snapshot, by dataset, including refused ones. */
  triggers: { profiles: 0, posts: 0, reels: 0 },
  /** Snapshots by dataset and subject, such as `posts sandbox.garden`. */
  started: {} as Record<string, number>,
  progress_polls: 0,
  lists: 0,
  download_requests: 0,
  /** Downloads that were sent completely. */
  downloads: 0,
  media_requests: 0,
  expired_media_requests: 0,
});

const ok = (body: string | object): Answer => ({ status: 200, body });
const noSnapshot = (): Refusal => new Refusal(404, 'Snapshot does not exist');

function checkToken({ headers: { authorization: given } }: IncomingMessage): void {
  if (given === undefined) throw new Refusal(401, 'Credentials are missing');
  if (!given.startsWith('Bearer ')) throw new Refusal(401, 'Auth method is not supported');
  if (given !== `Bearer ${SANDBOX_API_TOKEN}`) throw new Refusal(401, 'Invalid credentials');
}
