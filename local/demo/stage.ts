import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import { defaultCacheDir } from '../engines/cache.ts';
import { startStack, type Stack } from '../stack.ts';
import { ensureTools } from '../engines/tools.ts';
import type { CatalogueVideo } from '../sandbox/catalogue.ts';
import { BUILT_IN_CATALOGUE, startSandbox, type Sandbox } from '../sandbox/server.ts';
import { startReceiver, type Receiver } from './receiver.ts';
import type { DemoSettings } from './settings.ts';

/** A talk of two, 18 s: long enough to tell their voices apart, and soon transcribed. */
const TALK = 'The new bridge opens in June';

/** All that the demo plays with. */
export interface Stage {
  readonly stack: Stack;
  readonly sandbox: Sandbox;
  readonly receiver: Receiver;
  /** The video that is asked for. */
  readonly video: CatalogueVideo;
  /** The video is a talk of two, and no recording of the user. */
  readonly isBuiltIn: boolean;
  readonly ffprobe: string;
}

export interface StageOptions {
  readonly settings: DemoSettings;
  /** A recording to use in place of a built-in video. */
  readonly media: string | undefined;
  readonly dataDir: string;
  readonly logsDir: string;
  readonly log: (line: string) => void;
  /** Called with what ends each part, as soon as it runs. To be called in reverse order. */
  readonly onStarted: (stop: () => Promise<void>) => void;
}

/** Sets up tools and engines, and starts everything. @throws when something can't be had or started */
export async function setStage(options: StageOptions): Promise<Stage> {
  const { settings, media, dataDir, log, onStarted } = options;
  const { env, databaseToDrop } = settings;
  const cacheDir = defaultCacheDir(env);
  // Twice the same check would be told twice: what is found here is handed on.
  const { ytdlp, ffmpeg, ffprobe } = await ensureTools({ env, cacheDir, log });

  const receiver = await startReceiver();
  onStarted(() => receiver.close());
  const sandbox = await startSandbox({
    catalogueDir: BUILT_IN_CATALOGUE,
    mediaDir: media,
    cacheDir: join(cacheDir, 'sandbox'),
    port: 0,
    ffmpeg,
    ffprobe,
    idSalt: settings.idSalt,
    log,
  });
  onStarted(() => sandbox.stop());
  const video = await videoOf(sandbox, media);

  if (databaseToDrop !== undefined) onStarted(() => drop(databaseToDrop));
  const stack = await startStack({
    env: { ...env, YTDLP_PATH: ytdlp, FFMPEG_PATH: ffmpeg, FFPROBE_PATH: ffprobe, ...sandbox.env },
    dataDir,
    cacheDir,
    roles: ['api', 'worker'],
    ports: 'free',
    log,
    output: { dir: options.logsDir },
  });
  onStarted(() => stack.stop());
  return { stack, sandbox, receiver, video, isBuiltIn: media === undefined, ffprobe };
}

async function videoOf({ catalogue }: Sandbox, media: string | undefined): Promise<CatalogueVideo> {
  if (media === undefined) {
    const found = catalogue.find((video) => video.title === TALK);
    if (found === undefined) throw new Error(`the built-in catalogue has no video "${TALK}"`);
    return found;
  }
  const path = await realpath(media);
  const found = catalogue.find((video) => video.formats.some((format) => format.path === path));
  if (found === undefined) throw new Error(`--media ${media}: this is no audio or video file that can be read`);
  return found;
}

async function drop({ uri, name }: { uri: string; name: string }): Promise<void> {
  const client = new MongoClient(uri);
  try {
    await client.db(name).dropDatabase();
  } finally {
    await client.close();
  }
}
