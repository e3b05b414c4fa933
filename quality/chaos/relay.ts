import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { loadConfig } from '../../config.ts';
import { freePort } from '../../local/engines/ports.ts';
import type { Log } from '../../local/engines/environment.ts';
import type * as SpeechSetup from '../../local/engines/speech-setup.ts';
import { startServiceProcess, type ServiceName } from '../../local/service-process.ts';

/** Longer than any grace time of the settings. */
const GRACE_MS = 300_000;
/** The time for which both releases run side by side. */
const SIDE_BY_SIDE_MS = 10_000;

interface RelayOptions {
  readonly env: Readonly<Record<string, string>>;
  readonly logsDir: string;
  readonly cacheDir: string;
  readonly log: Log;
}

/** The api and the worker of one release, which another release replaces during a run. */
export type Relay = Awaited<ReturnType<typeof startRelay>>;

/** @param before the checkout of the first release, with its packages */
export async function startRelay(before: string, { env, logsDir, cacheDir, log }: RelayOptions) {
  // All releases share one public URL, as behind a proxy, because links outlive the release that made them.
  const publicUrl = `http://127.0.0.1:${String(await freePort())}`;
  let number = 0;
  const start = async (root: string) => {
    // Each release sets up its own speech packages.
    const { speechSettings } = (await import(join(root, 'local/engines/speech-setup.ts'))) as typeof SpeechSetup;
    const speech = await speechSettings({ env, cacheDir, log }, loadConfig(env));
    const [rest, rpc] = [await freePort(), await freePort()];
    const own = { ...env, ...speech, PUBLIC_URL: publicUrl, PORT: String(rest), RPC_PORT: String(rpc) };
    const restUrl = `http://127.0.0.1:${String(rest)}`;
    const output = { dir: join(logsDir, `release-${String((number += 1))}`) };
    const run = (name: ServiceName, healthUrl?: string) =>
      startServiceProcess({ name, env: own, output, healthUrl, log, root });
    const worker = await run('worker');
    const api = await run('api', `${restUrl}/health`);
    const stop = async (): Promise<void> => {
      await api.stop(GRACE_MS);
      await worker.stop(GRACE_MS);
    };
    return { restUrl, stop };
  };
  let current = await start(before);
  return {
    restUrl: () => current.restUrl,
    /** Starts another release, directs new connections to it, and stops the previous release. */
    async relieve(root: string): Promise<void> {
      const last = current;
      current = await start(root);
      await delay(SIDE_BY_SIDE_MS);
      await last.stop();
    },
    stop: () => current.stop(),
  };
}
