import { randomUUID } from 'node:crypto';
import { resolve } from 'node:path';
import { settings } from '../../config.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** Engines and tools of the user's; everything else the demo decides itself. */
const TAKEN_OVER = new Set([
  ...['TEMPORAL_ADDRESS', 'TEMPORAL_NAMESPACE', 'TEMPORAL_API_KEY', 'TEMPORAL_TLS', 'TEMPORAL_UI_URL'],
  ...['MONGODB_URI', 'YTDLP_PATH', 'FFMPEG_PATH', 'FFPROBE_PATH', 'LOG_LEVEL'],
  // What transcribes: a better engine of the user's is worth showing.
  ...Object.keys(settings.shape).filter((name) => name.startsWith('SPEECH_')),
]);
const ENGINE_PORTS = ['TEMPORAL_PORT', 'TEMPORAL_UI_PORT', 'MONGODB_PORT'];

export interface DemoSettings {
  readonly env: Env;
  /** The MongoDB database to remove at the end, in a server that is not the demo's own. */
  readonly databaseToDrop?: { readonly uri: string; readonly name: string };
  /** Makes the sandbox's video ids this run's own, where earlier runs may have left theirs. */
  readonly idSalt?: string;
}

/** A setting such as PORT or PUBLIC_URL is for the user's own service: here it would clash with it or mislead. */
export function demoSettings(given: Env): DemoSettings {
  const cleared = [...Object.keys(settings.shape), ...ENGINE_PORTS].filter((name) => !TAKEN_OVER.has(name));
  const env: Record<string, string | undefined> = { ...given };
  for (const name of cleared) env[name] = undefined;
  env['WEBHOOK_ALLOWED_NETWORKS'] = '127.0.0.0/8';
  // The progress bar asks several times a second; the limit is for callers, and this one is alone.
  env['RATE_LIMIT_PER_MINUTE'] = '100000';
  // The demo's data are in a folder of their own, without the models that npm run models has fetched.
  env['SPEECH_MODELS_DIR'] ||= resolve(given['DATA_DIR'] || './data', 'models');

  const uri = given['MONGODB_URI'] ?? '';
  if (uri === '' && (given['TEMPORAL_ADDRESS'] ?? '') === '') return { env };
  const name = `tapedeck-demo-${randomUUID().slice(0, 8)}`;
  return {
    env: { ...env, TASK_QUEUE: name, MONGODB_DATABASE: name },
    idSalt: name,
    ...(uri === '' ? {} : { databaseToDrop: { uri, name } }),
  };
}
