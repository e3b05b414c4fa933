import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { UsageError } from './exit-codes.ts';

/** Of the installation: `npm start` is run here. */
export const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** Where a service is looked for that nobody named. */
const USUAL_PORT = 3000;

type Env = Readonly<Record<string, string | undefined>>;

/** All that the environment tells. */
export interface CommandConfig {
  /** Base address of the service; undefined when nobody named one. */
  readonly url: string | undefined;
  readonly key: string | undefined;
  /** Where `npm start` would listen. */
  readonly usualUrl: string;
  /** Whether colours are welcome where there is a terminal. */
  readonly isColoured: boolean;
  /** Whether lines can be drawn again on a terminal. */
  readonly isMoving: boolean;
  /** Of the service that is started where none runs: the same data as those of `npm start`. */
  readonly serviceEnv: Env & { readonly DATA_DIR: string };
}

/** @throws UsageError naming the setting that is wrong */
export function readConfig(env: Env): CommandConfig {
  const set = (name: string): string | undefined => env[name] || undefined;
  const isDumb = env['TERM'] === 'dumb';
  return Object.freeze({
    url: urlOf(set('TAPEDECK_URL')),
    key: set('TAPEDECK_KEY'),
    usualUrl: `http://127.0.0.1:${set('PORT') ?? String(USUAL_PORT)}`,
    isColoured: !isDumb && set('NO_COLOR') === undefined,
    isMoving: !isDumb,
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

/** A path as people write it, home folder and all. */
export function shortPath(path: string): string {
  const home = homedir();
  return path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
}
