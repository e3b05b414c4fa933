import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { MongoClient } from 'mongodb';
import { z } from 'zod';
import { defaultCacheDir } from '../../local/engines/cache.ts';
import type { Env } from '../../local/engines/environment.ts';
import { ensureTools } from '../../local/engines/tools.ts';
import { politeFetch } from '../../local/polite-fetch.ts';
import { startSandbox } from '../../local/sandbox/server.ts';
import type { ServiceName } from '../../local/service-process.ts';
import { startStack, withoutSettings } from '../../local/stack.ts';
import { writeCatalogue } from '../chaos/catalogue.ts';
import { createAccountStore } from '../../store/accounts/account-store.ts';
import { createKeyStore } from '../../store/accounts/key-store.ts';
import { startBeside, type Engine } from './engine.ts';
import { until } from './rounds.ts';

/** The bench uses these settings of the user's service and no others. */
const TAKEN_OVER = /^(YTDLP|FFMPEG|FFPROBE)_PATH$/;
const SHORT_VIDEO = 'B7wRn2sEo_c';
const DATABASE = 'bench';
export const TASK_QUEUE = 'bench';
const TIMEOUT_MS = 300_000;
const LOG_CHARS = 3_000;
const CREDIT_THOUSANDTHS = 1_000_000;

const jobSchema = z.object({ data: z.object({ id: z.string(), status: z.string(), audio_url: z.string().nullish() }) });
export type Bench = Awaited<ReturnType<typeof startBench>>;

export interface BenchServiceOptions {
  readonly dataDir: string;
  readonly engine: Engine;
  readonly say?: (line: string) => void;
  readonly services: readonly ServiceName[];
  readonly videos?: number;
  /** The ID of the video to copy; by default one with nine seconds of speech. */
  readonly copied?: string;
  readonly env?: Readonly<Record<string, string>>;
}

export const givenEnv = (): Env => withoutSettings(process.env, TAKEN_OVER);

/** Starts a service with its own engines and sandbox. Its rate limits are too high to matter. */
export async function startBench(options: BenchServiceOptions) {
  const { dataDir, engine, services, videos = 0, copied = SHORT_VIDEO, env = {} } = options;
  const log = (): void => undefined;
  const given = givenEnv();
  const cacheDir = defaultCacheDir(given);
  const tools = await ensureTools({ env: given, cacheDir, log });
  const catalogueDir = join(dataDir, 'catalogue');
  const ids = await writeCatalogue(catalogueDir, videos, ({ id }) => id === copied);
  const { ffmpeg, ffprobe } = tools;
  const sandboxDir = join(cacheDir, 'sandbox');
  const sandbox = await startSandbox({ catalogueDir, cacheDir: sandboxDir, port: 0, ffmpeg, ffprobe, log });
  const beside = await startBeside(engine, { env: given, dataDir, cacheDir, say: options.say ?? log }).catch(
    async (error: unknown) => {
      await sandbox.stop();
      throw error;
    },
  );
  try {
    const stack = await startStack({
      env: {
        ...given,
        ...{ YTDLP_PATH: tools.ytdlp, FFMPEG_PATH: ffmpeg, FFPROBE_PATH: ffprobe },
        ...{ MONGODB_DATABASE: DATABASE, TASK_QUEUE, LOG_LEVEL: 'warn', ALLOW_ANONYMOUS: 'true' },
        ...{ RATE_LIMIT_PER_MINUTE: '1000000', VIDNET_STARTS_PER_MINUTE: '60000', IMGNET_STARTS_PER_MINUTE: '60000' },
        ...{ SPEECH_ENGINE: 'auto', WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' },
        ...sandbox.env,
        ...beside.env,
        ...env,
      },
      ...{ dataDir, cacheDir, services, ports: 'free', log, output: { dir: dataDir } },
    });
    const mongo = await MongoClient.connect(stack.mongodbUri, { ignoreUndefined: true });
    const db = mongo.db(DATABASE);
    const connection = await Connection.connect({ address: stack.temporalAddress });
    const request = async (
      path: string,
      body: object,
      headers: Readonly<Record<string, string>> = {},
    ): Promise<z.infer<typeof jobSchema>['data']> => {
      const response = await fetch(stack.restUrl + path, { method: 'POST', headers, body: JSON.stringify(body) });
      const text = await response.text();
      if (!response.ok) {
        // The run deletes this folder.
        const log = (await readFile(join(dataDir, 'api.log'), 'utf8')).slice(-LOG_CHARS);
        throw new Error(`${path} answered ${String(response.status)}: ${text}\n${log}`);
      }
      return jobSchema.parse(JSON.parse(text)).data;
    };
    return {
      ...{ stack, sandbox, tools, ids, request, db, temporal: new Client({ connection }) },
      temporalData: beside.temporalData ?? join(dataDir, 'temporal'),
      processes: () => [...stack.processes(), ...beside.processes()],
      /** @param authorization the header of the caller's key; by default the job is free */
      requestAudio: (videoId: string, webhook?: string, authorization?: string) =>
        request(
          '/api/downloads/audio',
          { vidnet_video_id: videoId, ...(webhook && { include_webhook: webhook }) },
          authorization === undefined ? {} : { authorization },
        ),
      /** Opens an account with credit. @returns the authorization header of its key */
      async openAccount() {
        const { id, text } = await createKeyStore(db).create({ name: 'bench', scopes: ['read', 'jobs'] });
        await createAccountStore(db).open(id, CREDIT_THOUSANDTHS);
        return `Bearer ${text}`;
      },
      /** Polls until the job has succeeded. @throws when it fails, or takes five minutes */
      ended: (id: string) =>
        until(
          async () => {
            const response = await politeFetch(`${stack.restUrl}/downloads/${id}`);
            const { data } = jobSchema.parse(await response.json());
            if (data.status === 'failed') throw new Error(`job ${id} failed`);
            return data.status === 'success' && data;
          },
          { timeoutMs: TIMEOUT_MS, what: `the end of job ${id}` },
        ),
      async stop() {
        await connection.close();
        await mongo.close();
        await stack.stop();
        await beside.stop();
        await sandbox.stop();
      },
    };
  } catch (error) {
    await beside.stop();
    await sandbox.stop();
    throw error;
  }
}

export async function withBench<Result>(
  options: BenchServiceOptions,
  body: (bench: Bench) => Promise<Result>,
): Promise<Result> {
  const bench = await startBench(options);
  try {
    return await body(bench);
  } finally {
    await bench.stop();
  }
}
