import { createServer } from 'node:net';
import type { Env } from './programs.ts';
import type { Log } from './ways.ts';

/** `preferred`: the customary port when it is free; `free`: any free one. */
export type PortChoice = 'preferred' | 'free';

const LOOPBACK = '127.0.0.1';

/**
 * Chooses a port on 127.0.0.1.
 *
 * @param wish `setting` names the environment variable that fixes the port; `preferred` is the customary port
 * @throws when the setting is no port number, or that port is taken
 */
export async function choosePort(
  wish: { env: Env; setting: string; preferred: number; choice: PortChoice },
  log: Log,
): Promise<number> {
  const given = wish.env[wish.setting];
  if (given !== undefined && given !== '' && given !== '0') {
    const port = Number(given);
    if (!Number.isInteger(port) || port < 1 || port > 65_535)
      throw new Error(`${wish.setting}=${given} is no port number`);
    if (!(await isFree(port))) throw new Error(`${wish.setting}=${given}: this port is already in use`);
    return port;
  }
  if (wish.choice === 'preferred' && given !== '0') {
    if (await isFree(wish.preferred)) return wish.preferred;
    const port = await freePort();
    log(`port ${wish.preferred} is in use, taking ${port} instead (${wish.setting} fixes it)`);
    return port;
  }
  return freePort();
}

const handedOut = new Set<number>();

/** A port nobody listens on now, and that this process has not handed out before. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = await listenOnce(0);
    if (handedOut.has(port)) continue;
    handedOut.add(port);
    return port;
  }
}

/** Whether nobody listens on a port of 127.0.0.1 now. */
export async function isFree(port: number): Promise<boolean> {
  return listenOnce(port).then(
    () => true,
    () => false,
  );
}

function listenOnce(port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(port, LOOPBACK, () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : port));
    });
  });
}
