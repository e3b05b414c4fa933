import { join } from 'node:path';
import { TapedeckError } from '../clients/typescript/src/index.ts';
import { shortPath, type CommandConfig } from './command-config.ts';
import type { Display } from './display.ts';
import { UsageError } from './exit-codes.ts';

const HEALTH_TIMEOUT_MS = 2_000;

export interface FoundService {
  readonly url: string;
  /** Stops the service if this command started it. */
  readonly stop: () => Promise<void>;
  readonly isEmbedded: boolean;
}

/** Finds the configured service, else one on this machine, else starts one. @throws TapedeckError, UsageError */
export async function findService(
  config: CommandConfig,
  { display, mayStart }: { readonly display: Display; readonly mayStart: boolean },
): Promise<FoundService> {
  const found = { stop: () => Promise.resolve(), isEmbedded: false };
  if (config.url !== undefined) return { ...found, url: config.url };
  if (await isService(config.defaultUrl)) return { ...found, url: config.defaultUrl };
  if (!mayStart) {
    throw new UsageError(
      `--no-wait: no service answers at ${config.defaultUrl}, and one that is started here would not go on with the jobs.`,
    );
  }
  const { DATA_DIR: dataDir } = config.serviceEnv;
  display.note(
    `No service answers at ${config.defaultUrl}: starting one for now, with its data in ${shortPath(dataDir)}`,
    'dim',
  );
  try {
    // The import is dynamic because it loads all engines.
    const { startStack } = await import('../local/stack.ts');
    const stack = await startStack({
      env: config.serviceEnv,
      dataDir,
      services: ['api', 'worker'],
      ports: 'free',
      log: (line) => display.note(line, 'dim'),
      output: { dir: join(dataDir, 'logs') },
    });
    return { url: stack.restUrl, stop: stack.stop, isEmbedded: true };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    for (const line of reason.split('\n')) display.note(line, 'problem');
    throw new TapedeckError('The service could not be started.', { code: 'unreachable' });
  }
}

async function isService(url: string): Promise<boolean> {
  try {
    const response = await fetch(`${url}/health`, { signal: AbortSignal.timeout(HEALTH_TIMEOUT_MS) });
    const body = (await response.json()) as Readonly<Record<string, unknown>>;
    return 'temporal' in body && 'mongodb' in body;
  } catch {
    return false;
  }
}
