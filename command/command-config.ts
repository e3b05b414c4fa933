import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { UsageError } from './exit-codes.ts';

/** The root folder of the installation, in which `npm start` runs. */
export const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** The address that is tried when TAPEDECK_URL is not set. */
const DEFAULT_PORT = 3000;

type Env = Readonly<Record<string, string | undefined>>;

export interface CommandConfig {
  /** The base address of the service; undefined if it is not set. */
  readonly url: string | undefined;
  readonly key: string | undefined;
  /** The address on which `npm start` listens by default. */
  readonly defaultUrl: string;
  readonly isColoured: boolean;
  readonly isMoving: boolean;
  /** Remembers unfinished uploads of all runs of this program. */
  readonly uploadsFile: string;
  /** The environment of the embedded service: it uses the same data as `npm start`. */
  readonly serviceEnv: Env & { readonly DATA_DIR: string };
}

/** @throws UsageError naming the setting that is wrong */
export function readConfig(env: Env): CommandConfig {
  const set = (name: string): string | undefined => env[name] || undefined;
  const isDumb = env['TERM'] === 'dumb';
  return Object.freeze({
    url: urlOf(set('TAPEDECK_URL')),
    key: set('TAPEDECK_KEY'),
    defaultUrl: `http://127.0.0.1:${set('PORT') ?? String(DEFAULT_PORT)}`,
    isColoured: !isDumb && set('NO_COLOR') === undefined,
    isMoving: !isDumb,
    uploadsFile: join(set('XDG_CACHE_HOME') ?? join(homedir(), '.cache'), 'tapedeck', 'uploads.json'),
    serviceEnv: Object.freeze({ ...env, DATA_DIR: set('DATA_DIR') ?? join(ROOT, 'data') }),
  });
}

function urlOf(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) {
    throw new UsageError('TAPEDECK_URL: the address of a service, such as http://127.0.0.1:3000');
  }
  return text.replace(/(?<!\/)\/+$/, '');
}

export function shortPath(path: string): string {
  const home = homedir();
  return path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
}
