import { randomUUID } from 'node:crypto';
import { realpath } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { MongoClient } from 'mongodb';
import { defaultCacheDir } from '../engines/cache.ts';
import type { Env, Log } from '../engines/environment.ts';
import { ensureTools } from '../engines/tools.ts';
import { BUILT_IN_CATALOGUE, startSandbox } from '../sandbox/server.ts';
import { TALK } from '../sandbox/talk.ts';
import { startStack, withoutSettings } from '../stack.ts';
import { startWebhookReceiver } from '../webhook-receiver.ts';

const TAKEN_OVER =
  /^(TEMPORAL_(ADDRESS|NAMESPACE|API_KEY|TLS|UI_URL)|MONGODB_URI|(YTDLP|FFMPEG|FFPROBE)_PATH|LOG_(LEVEL|FORMAT)|SPEECH_.+)$/;

export interface StageOptions {
  readonly env: Env;
  /** A recording to use instead of the built-in dialogue. */
  readonly media: string | undefined;
  readonly dataDir: string;
  readonly log: Log;
  /** Called as soon as a part runs, with a function that stops it. These functions must be called in reverse order. */
  readonly onStarted: (stop: () => Promise<void>) => void;
}

export type Stage = Awaited<ReturnType<typeof setStage>>;

export async function setStage({ env: given, media, dataDir, log, onStarted }: StageOptions) {
  const cacheDir = defaultCacheDir(given);
  const env = demoEnv(given);
  const { MONGODB_URI: uri, MONGODB_DATABASE: database } = env;
  const { ytdlp, ffmpeg, ffprobe } = await ensureTools({ env, cacheDir, log });
  const receiver = await startWebhookReceiver();
  onStarted(() => receiver.close());
  const sandbox = await startSandbox({
    catalogueDir: BUILT_IN_CATALOGUE,
    mediaDir: media,
    cacheDir: join(cacheDir, 'sandbox'),
    port: 0,
    ffmpeg,
    ffprobe,
    // Earlier runs may have used the same database server.
    idSalt: database,
    log,
  });
  onStarted(() => sandbox.stop());
  const path = media === undefined ? undefined : await realpath(media);
  const video = sandbox.catalogue.find(({ title, formats }) =>
    path === undefined ? title === TALK : formats.some((format) => format.path === path),
  );
  if (video === undefined) {
    throw new Error(`${media ?? TALK}: this is no audio or video file that can be read`);
  }
  if (uri && database !== undefined) {
    onStarted(async () => {
      const client = new MongoClient(uri);
      await client.db(database).dropDatabase();
      await client.close();
    });
  }
  const stack = await startStack({
    env: { ...env, YTDLP_PATH: ytdlp, FFMPEG_PATH: ffmpeg, FFPROBE_PATH: ffprobe, ...sandbox.env },
    dataDir,
    cacheDir,
    services: ['api', 'worker'],
    ports: 'free',
    log,
    output: { dir: join(dataDir, 'logs') },
  });
  onStarted(() => stack.stop());
  const request = { vidnet_video_id: video.id, include_webhook: receiver.url };
  return { stack, sandbox, receiver, video, request, ffprobe };
}

function demoEnv(given: Env): Env {
  const isShared = Boolean(given['MONGODB_URI'] || given['TEMPORAL_ADDRESS']);
  const ownName = isShared ? `tapedeck-demo-${randomUUID().slice(0, 8)}` : undefined;
  return {
    ...withoutSettings(given, TAKEN_OVER),
    WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
    // The progress bar sends several requests a second.
    RATE_LIMIT_PER_MINUTE: '100000',
    // The models are shared with npm start.
    SPEECH_MODELS_DIR: given['SPEECH_MODELS_DIR'] || resolve(given['DATA_DIR'] || './data', 'models'),
    TASK_QUEUE: ownName,
    MONGODB_DATABASE: ownName,
  };
}
