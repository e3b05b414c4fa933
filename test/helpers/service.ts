import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inject } from 'vitest';
import type { ErrorBody } from '../../contract/http/api-error.ts';
import type { AudioResult } from '../../contract/kinds/audio.ts';
import { defaultCacheDir } from '../../local/engines/cache.ts';
import type { ServiceName } from '../../local/service-process.ts';
import { politeFetch } from '../../local/polite-fetch.ts';
import { startStack, type Stack } from '../../local/stack.ts';
import { BUILT_IN_CATALOGUE, startSandbox, type Sandbox } from '../../local/sandbox/server.ts';
import { always, startTranscriptionServer } from './transcription-server.ts';
import { until } from './until.ts';

export interface Answered<Body> {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Body;
}

export interface ServiceOptions {
  readonly services?: readonly ServiceName[];
  readonly mediaDir?: string;
  /** By default the built-in catalogue. */
  readonly catalogueDir?: string;
  /** Where the sandbox listens, and the address of the proxy in front of it. */
  readonly platform?: { readonly port: number; readonly publicUrl: string };
  /** The photo platform's snapshots are ready after seconds, as by default in the sandbox, and not at once. */
  readonly areSnapshotsSlow?: boolean;
  /** Engines of its own, which the test may kill; otherwise those of the whole run. */
  readonly ownEngines?: boolean;
  readonly env?: Readonly<Record<string, string>>;
  /** Requests are not repeated after 503. */
  readonly showsRefusals?: boolean;
  /** Where something lies already; it goes with the service all the same. */
  readonly dataDir?: string;
}

/** The setting in which callers without a key are distinguished by {@link from}. */
export const CALLERS_BY_ADDRESS = { TRUSTED_PROXIES: '127.0.0.0/8', ALLOW_ANONYMOUS: 'true' };

/** How long links last, and by what webhooks are signed, in the service that several test files use. */
export const SHARED_LINK_TTL_SECONDS = 5_400;
export const SHARED_WEBHOOK_SECRETS = [1, 2].map((byte) => `whsec_${Buffer.alloc(32, byte).toString('base64')}`);
const SHARED_WORDS = 'One says this. Another says that.';
const SHARED_SETTINGS = {
  ...CALLERS_BY_ADDRESS,
  LINK_TTL_SECONDS: String(SHARED_LINK_TTL_SECONDS),
  WEBHOOK_SECRETS: SHARED_WEBHOOK_SECRETS.join(','),
};

/** @returns the header of the n-th caller, as a proxy adds it */
export function from(caller: number): Record<string, string> {
  return { 'x-forwarded-for': `192.0.2.${String(caller + 1)}` };
}

/** Asks again and again until the answer is 200: the job has ended. */
export function untilAnswered<Body>(ask: () => Promise<Answered<Body>>, what: string, within = 60_000): Promise<Body> {
  return until(
    async () => {
      const answer = await ask();
      return answer.status === 200 ? answer.body : undefined;
    },
    { within, what },
  );
}

/** The whole service on a sandbox: real processes, random ids, ports, queue and database. */
export class TestService {
  static #shared: TestService | undefined;
  readonly stack: Stack;
  readonly sandbox: Sandbox;
  readonly dataDir: string;
  /** Of the ids in the sandbox. */
  readonly idSalt: string;

  readonly #isShared: boolean;
  readonly #fetch: typeof politeFetch;

  private constructor(
    parts: Pick<TestService, 'stack' | 'sandbox' | 'dataDir' | 'idSalt'>,
    { isShared, showsRefusals }: { readonly isShared: boolean; readonly showsRefusals?: boolean | undefined },
  ) {
    this.#isShared = isShared;
    this.#fetch = showsRefusals === true ? fetch : politeFetch;
    this.stack = parts.stack;
    this.sandbox = parts.sandbox;
    this.dataDir = parts.dataDir;
    this.idSalt = parts.idSalt;
  }

  static async start(options: ServiceOptions = {}): Promise<TestService> {
    return TestService.#start(options, false);
  }

  /**
   * For test files that need no settings of their own. Those that run in one process use one service after the other, since
   * its start takes four seconds of a core, each with a sandbox of its own. It ends with the process.
   */
  static async shared(options: Pick<ServiceOptions, 'mediaDir'> = {}): Promise<TestService> {
    const past = TestService.#shared;
    if (past === undefined) {
      // Tests that use it need no real words; the service distinguishes voices.
      const words = await startTranscriptionServer({ product: 'whisper-1', instead: always(SHARED_WORDS) });
      const speech = { SPEECH_ENGINE: 'openai', SPEECH_OPENAI_URL: words.url };
      TestService.#shared = await TestService.#start({ ...options, env: { ...SHARED_SETTINGS, ...speech } }, true);
    } else {
      const { stack, dataDir } = past;
      const publicUrl = past.sandbox.url;
      const idSalt = newSalt();
      const platform = { port: Number(new URL(publicUrl).port), publicUrl };
      const sandbox = await sandboxFor(idSalt, { ...options, platform });
      TestService.#shared = new TestService({ stack, sandbox, dataDir, idSalt }, { isShared: true });
    }
    return TestService.#shared;
  }

  static async #start(options: ServiceOptions, isShared: boolean): Promise<TestService> {
    const dataDir = options.dataDir ?? (await mkdtemp(join(isShared ? inject('dataDir') : tmpdir(), 'tapedeck-e2e-')));
    const tools = inject('tools');
    const unique = newSalt();
    const sandbox = await sandboxFor(unique, options);
    const engines = options.ownEngines
      ? { TEMPORAL_ADDRESS: '', MONGODB_URI: '' }
      : { TEMPORAL_ADDRESS: inject('temporalAddress'), MONGODB_URI: inject('mongodbUri') };
    const stack = await startStack({
      env: {
        ...process.env,
        ...engines,
        YTDLP_PATH: inject('ytdlp'),
        FFMPEG_PATH: tools.ffmpeg,
        FFPROBE_PATH: tools.ffprobe,
        TASK_QUEUE: `e2e-${unique}`,
        MONGODB_DATABASE: `e2e-${unique}`,
        RATE_LIMIT_PER_MINUTE: '100000',
        VIDNET_STARTS_PER_MINUTE: '6000',
        IMGNET_STARTS_PER_MINUTE: '6000',
        UPSTREAM_FIRST_PAUSE_SECONDS: '1',
        WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
        ...sandbox.env,
        ...options.env,
      },
      dataDir,
      services: options.services ?? ['api', 'worker'],
      ports: 'free',
      log: () => undefined,
      output: { dir: dataDir },
    });
    const { showsRefusals } = options;
    return new TestService({ stack, sandbox, dataDir, idSalt: unique }, { isShared, showsRefusals });
  }

  async stop(): Promise<void> {
    if (!this.#isShared) await this.stack.stop();
    await this.sandbox.stop();
    if (this.#isShared) return;
    if (process.env['KEEP_E2E'] === undefined) await rm(this.dataDir, { recursive: true, force: true });
  }

  /** The id of a video of the catalogue by its case; the n-th of them (from 0). */
  videoId(kind: string, index = 0): string {
    const video = this.sandbox.catalogue.filter((one) => one.case === kind)[index];
    if (video === undefined) throw new Error(`the catalogue has no ${kind} video number ${String(index)}`);
    return video.id;
  }

  async request<Body>(
    method: 'GET' | 'POST' | 'DELETE',
    path: string,
    init: { body?: unknown; headers?: Record<string, string>; signal?: AbortSignal } = {},
  ): Promise<Answered<Body>> {
    const response = await this.#fetch(this.stack.restUrl + path, {
      method,
      signal: init.signal ?? null,
      ...(init.body === undefined
        ? {}
        : { body: typeof init.body === 'string' ? init.body : JSON.stringify(init.body) }),
      ...(init.headers === undefined ? {} : { headers: init.headers }),
    });
    return { status: response.status, headers: response.headers, body: (await response.json()) as Body };
  }

  requestAudio(videoId: string, webhook?: string): Promise<Answered<AudioResult & ErrorBody>> {
    const body = { vidnet_video_id: videoId, ...(webhook === undefined ? {} : { include_webhook: webhook }) };
    return this.request('POST', '/api/downloads/audio', { body });
  }

  getDownload(id: string, signal?: AbortSignal): Promise<Answered<AudioResult>> {
    return this.request('GET', `/downloads/${id}`, signal === undefined ? {} : { signal });
  }

  /** Starts a job and waits until it has ended. */
  async finishedAudio(videoId: string, webhook?: string, within = 60_000): Promise<AudioResult['data']> {
    const accepted = await this.requestAudio(videoId, webhook);
    if (![200, 202].includes(accepted.status)) throw new Error(`not accepted: ${JSON.stringify(accepted.body)}`);
    return this.ended(accepted.body.data.id, within);
  }

  /** Polls a download until it has ended; the service may be away in between. */
  ended(id: string, within = 60_000): Promise<AudioResult['data']> {
    return until(
      async () => {
        const answer = await this.getDownload(id, AbortSignal.timeout(20_000)).catch(() => undefined);
        return answer?.status === 200 ? answer.body.data : undefined;
      },
      { within, what: `the end of download ${id}` },
    );
  }

  async misbehave(change: Record<string, unknown>): Promise<void> {
    const response = await fetch(`${this.sandbox.url}/misbehave`, { method: 'POST', body: JSON.stringify(change) });
    if (!response.ok) throw new Error(await response.text());
  }

  /** What the sandbox served of a video. */
  async served(
    videoId: string,
  ): Promise<{ page_reads: number; media_requests: number; complete_media_bodies: number }> {
    const stats = (await (await fetch(`${this.sandbox.url}/stats`)).json()) as {
      videos: Record<string, { page_reads: number; media_requests: number; complete_media_bodies: number }>;
    };
    return stats.videos[videoId] ?? { page_reads: 0, media_requests: 0, complete_media_bodies: 0 };
  }

  /** All published files, and everything that lies in the work folder. */
  async filesOnDisk(): Promise<{ published: string[]; work: string[] }> {
    const list = (folder: string): Promise<string[]> =>
      readdir(join(this.dataDir, folder), { recursive: true }).catch(() => []);
    return { published: (await list('files')).filter((name) => name.includes('/')), work: await list('work') };
  }

  logOf(role: ServiceName): Promise<string> {
    return readFile(join(this.dataDir, `${role}.log`), 'utf8');
  }
}

const newSalt = (): string => randomUUID().slice(0, 8);

function sandboxFor(
  idSalt: string,
  { catalogueDir, mediaDir, platform, areSnapshotsSlow }: ServiceOptions,
): Promise<Sandbox> {
  const { ffmpeg, ffprobe } = inject('tools');
  return startSandbox({
    catalogueDir: catalogueDir ?? BUILT_IN_CATALOGUE,
    mediaDir,
    cacheDir: join(defaultCacheDir(process.env), 'sandbox'),
    port: 0,
    ...platform,
    ffmpeg,
    ffprobe,
    idSalt,
    // Otherwise the next poll would come 2 s later.
    snapshots: areSnapshotsSlow ? undefined : { collectMs: 0, buildMs: 0 },
    log: () => undefined,
  });
}
