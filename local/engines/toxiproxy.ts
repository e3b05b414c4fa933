import { chmod, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { fetch } from 'undici';
import { exists, installOnce } from './cache.ts';
import { startDaemon } from './daemon.ts';
import { downloadRelease, probe } from './download.ts';
import { programEnv } from './environment.ts';
import { freePort } from './ports.ts';
import { capture, fromSetting, requireOnPath, step } from './programs.ts';
import type { Supervised } from '../supervise.ts';
import type { Setup } from './temporal-cli.ts';
import { firstWay, type Found, type Way } from './ways.ts';

const VERSION = '2.12.0';
const RELEASES_URL = 'https://github.com/Shopify/toxiproxy/releases/download';
const PROGRAM = 'toxiproxy-server';
const GO_TIMEOUT_MS = 30 * 60_000;
const READY_TIMEOUT_MS = 30_000;
const CHECK_TIMEOUT_MS = 1_000;

/** A server that forwards TCP connections and spoils them when its API is told to. */
export interface ToxiproxyServer {
  /** Address of its API. */
  readonly url: string;
  readonly daemon: Supervised;
}

/** Path of the `toxiproxy-server` program; set up when needed. For tests only. @throws {NoWayError} */
export async function ensureToxiproxy(setup: Setup): Promise<Found<string>> {
  const given = setup.env['TOXIPROXY_PATH'];
  // A given path is taken at its word or is an error: falling back would hide the mistake.
  if (given !== undefined && given !== '') {
    const program = await fromSetting('TOXIPROXY_PATH', given, setup.env);
    return { way: 'TOXIPROXY_PATH', value: await checked(program, setup) };
  }
  return firstWay('toxiproxy', [...toxiproxyFound(setup), ...toxiproxyInstalled(setup)], setup.log);
}

/** Ways that only look. */
export function toxiproxyFound(setup: Setup): Way<string>[] {
  return [
    {
      name: 'on PATH',
      looks: true,
      hint: `put ${PROGRAM} on PATH, or set TOXIPROXY_PATH`,
      attempt: async () => checked(await requireOnPath(PROGRAM, setup.env), setup),
    },
    {
      name: 'in the cache',
      looks: true,
      attempt: async () => {
        if (!(await exists(programIn(folder(setup))))) throw new Error('not there yet');
        return checked(programIn(folder(setup)), setup);
      },
    },
  ];
}

/** Ways that install into the cache. */
export function toxiproxyInstalled(setup: Setup): Way<string>[] {
  const { env } = setup;
  const base = env['TOXIPROXY_DOWNLOAD_URL'] ?? RELEASES_URL;
  return [
    {
      name: 'official download',
      hint: `access to ${new URL(base).host}; TOXIPROXY_DOWNLOAD_URL names a mirror`,
      possible: () => probe(base),
      attempt: async (log) => {
        await installOnce(folder(setup), (staging) => fetchRelease(staging, base, { ...setup, log }));
        return programIn(folder(setup));
      },
    },
    {
      name: 'go install',
      hint: 'Go 1.23 or newer on PATH (and a Go module proxy)',
      possible: () => requireOnPath('go', env),
      attempt: async (log) => {
        const go = await requireOnPath('go', env);
        await installOnce(folder(setup), async (staging) => {
          await step([go, 'install', `github.com/Shopify/toxiproxy/v2/cmd/server@v${VERSION}`], {
            ...{ cwd: staging, env: { ...env, GOBIN: staging, CGO_ENABLED: '0' }, log, timeoutMs: GO_TIMEOUT_MS },
            what: `building toxiproxy ${VERSION}`,
          });
          // Go names a program after its folder.
          await rename(join(staging, 'server'), programIn(staging));
          await checked(programIn(staging), setup);
        });
        return programIn(folder(setup));
      },
    },
  ];
}

/** The release has bare programs, and the sums of them all beside. */
async function fetchRelease(staging: string, base: string, setup: Setup): Promise<void> {
  const name = `${PROGRAM}-${process.platform}-${process.arch === 'x64' ? 'amd64' : process.arch}`;
  const program = programIn(staging);
  await downloadRelease({ folder: `${base}/v${VERSION}`, name, sums: 'checksums.txt' }, program, setup.log);
  await chmod(program, 0o755);
  await checked(program, setup);
}

/** Starts it with its API on a free port of 127.0.0.1, without any line yet. @throws when it does not come up */
export async function startToxiproxy({ stateDir, ...setup }: Setup & { stateDir: string }): Promise<ToxiproxyServer> {
  const { value: program } = await ensureToxiproxy(setup);
  const port = await freePort();
  const url = `http://127.0.0.1:${String(port)}`;
  const daemon = await startDaemon({
    name: 'toxiproxy',
    program,
    args: ['-host', '127.0.0.1', '-port', String(port)],
    env: programEnv(setup.env),
    cwd: stateDir,
    logFile: join(stateDir, 'toxiproxy.log'),
    check: async () => {
      const answer = await fetch(`${url}/version`, { signal: AbortSignal.timeout(CHECK_TIMEOUT_MS) });
      await answer.body?.cancel();
    },
    readyTimeoutMs: READY_TIMEOUT_MS,
    log: setup.log,
  });
  return { url, daemon };
}

async function checked(program: string, { env }: Setup): Promise<string> {
  // One that was installed from its source does not know its version.
  if (!/^toxiproxy-server version /m.test(await capture(program, ['-version'], env))) {
    throw new Error(`${program} is not toxiproxy`);
  }
  return program;
}

function folder({ cacheDir }: Setup): string {
  return join(cacheDir, `toxiproxy-${VERSION}-${process.platform}-${process.arch}`);
}

function programIn(dir: string): string {
  return join(dir, PROGRAM);
}
