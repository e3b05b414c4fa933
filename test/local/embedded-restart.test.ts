import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { defaultCacheDir } from '../../local/engines/cache.ts';
import { startDaemon, type DaemonOptions } from '../../local/engines/daemon.ts';
import { freePort } from '../../local/engines/ports.ts';
import { ensure } from '../../local/engines/strategies.ts';
import { startTemporal } from '../../local/engines/temporal.ts';
import { temporalCli } from '../../local/engines/temporal-cli.ts';
import { until } from '../helpers/until.ts';

let dir: string;
let blockers: Server[];
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'tapedeck-restart-'));
  blockers = [];
});
afterEach(async () => {
  for (const blocker of blockers) blocker.close();
  await rm(dir, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
});

const lines: string[] = [];
const log = (line: string): number => lines.push(line);

/** Listens on a port as soon as it is free, and keeps it. */
async function take(port: number): Promise<void> {
  await until(
    async () => {
      const server = createServer().listen(port, '127.0.0.1');
      const isListening = await once(server, 'listening').then(
        () => true,
        () => false,
      );
      if (isListening) blockers.push(server);
      return isListening;
    },
    { what: `port ${String(port)}` },
  );
}

describe.runIf(process.platform === 'linux')('Temporal (arguments from /proc: Linux)', () => {
  const HIDDEN = ['--ui-port', '--metrics-port', '--http-port'];
  const hiddenPorts = async (pid: number): Promise<number[]> => {
    const words = (await readFile(`/proc/${String(pid)}/cmdline`, 'utf8')).split('\0');
    return HIDDEN.map((name) => Number(words[words.indexOf(name) + 1]));
  };

  it('comes back at the same addresses when other programs have taken its hidden ports meanwhile', async () => {
    const setup = { env: process.env, cacheDir: defaultCacheDir(process.env), log };
    const { value: program } = await ensure(temporalCli(setup), log);
    const [port, uiPort] = [await freePort(), await freePort()];
    const daemon = await startTemporal({ ...setup, program, stateDir: dir, port, uiPort });
    try {
      const first = daemon.pid() ?? 0;
      const before = await hiddenPorts(first);
      process.kill(first, 'SIGKILL');
      await Promise.all(before.map(take));
      const webUi = async (): Promise<boolean> => {
        const url = `http://127.0.0.1:${String(uiPort)}/api/v1/namespaces`;
        return fetch(url, { signal: AbortSignal.timeout(1_000) }).then(
          ({ status }) => status === 200,
          () => false,
        );
      };
      await until(webUi, { what: 'the Web UI' });
      const after = await hiddenPorts(daemon.pid() ?? 0);
      expect(before.filter((one) => after.includes(one))).toEqual([]);
    } finally {
      await daemon.stop(5_000);
    }
  });
});

describe('an engine with arguments that are chosen at each launch', () => {
  let port: number;
  const answer = (): Promise<string> => fetch(`http://127.0.0.1:${String(port)}/`).then((response) => response.text());
  const server = (args: () => Promise<readonly string[]>): DaemonOptions => ({
    ...{ name: 'echo', program: process.execPath, args, env: {}, cwd: dir, logFile: join(dir, 'echo.log'), log },
    check: async () => {
      await answer();
    },
    readyTimeoutMs: 20_000,
  });
  const echo = async (): Promise<readonly string[]> => {
    port = await freePort();
    return ['-e', `http.createServer((_, res) => res.end('${String(port)}')).listen(${String(port)}, '127.0.0.1')`];
  };

  it('listens on another port after its restart', async () => {
    const daemon = await startDaemon(server(echo));
    const first = port;
    process.kill(daemon.pid() ?? 0, 'SIGKILL');
    await until(
      () =>
        port !== first &&
        answer().then(
          (text) => text === String(port),
          () => false,
        ),
    );
    await daemon.stop(2_000);
  });

  it('is tried again while there are none, with the reason in the log', async () => {
    let launches = 0;
    const daemon = await startDaemon(
      server(() => {
        launches += 1;
        return launches === 2 || launches === 3 ? Promise.reject(new Error(`no port ${String(launches)}`)) : echo();
      }),
    );
    const first = port;
    process.kill(daemon.pid() ?? 0, 'SIGKILL');
    await until(
      () =>
        port !== first &&
        answer().then(
          (text) => text === String(port),
          () => false,
        ),
    );
    expect(lines).toEqual(expect.arrayContaining(['no port 2', 'no port 3', 'echo is back']));
    await daemon.stop(2_000);
  });

  it('is an error at the first start when there are none', async () => {
    await expect(startDaemon(server(() => Promise.reject(new Error('no port'))))).rejects.toThrow('no port');
  });

  it('does not stay when it is stopped while they are chosen', async () => {
    let chosen: () => void = () => undefined;
    let launches = 0;
    const daemon = await startDaemon(
      server(async () => {
        launches += 1;
        if (launches === 2) await new Promise<void>((resolve) => (chosen = resolve));
        return echo();
      }),
    );
    process.kill(daemon.pid() ?? 0, 'SIGKILL');
    await until(() => launches === 2);
    const stopped = daemon.stop(10_000);
    chosen();
    await stopped;
    expect(daemon.pid()).toBeUndefined();
    await expect(answer()).rejects.toThrow();
  });
});
