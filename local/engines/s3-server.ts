import { randomBytes } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { exists, installOnce } from './cache.ts';
import { startDaemon } from './daemon.ts';
import { downloadRelease, probe } from './download.ts';
import { programEnv } from './environment.ts';
import { freePort } from './ports.ts';
import { capture, fromSetting, requireOnPath, step } from './programs.ts';
import type { Supervised } from '../supervise.ts';
import type { Setup } from './temporal-cli.ts';
import { firstWay, type Found, type Way } from './ways.ts';

const VERSION = '1.8.0';
const RELEASES_URL = 'https://github.com/versity/versitygw/releases/download';
const GO_TIMEOUT_MS = 30 * 60_000;
const UNPACK_TIMEOUT_MS = 120_000;
const READY_TIMEOUT_MS = 30_000;
const CHECK_TIMEOUT_MS = 1_000;

/** A server that speaks S3, with a key for it. */
export interface S3Server {
  readonly endpoint: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly daemon: Supervised;
}

/** Path of the `versitygw` program, which keeps objects as files; set up when needed. For tests only. @throws {NoWayError} */
export async function ensureS3Server(setup: Setup): Promise<Found<string>> {
  const given = setup.env['VERSITYGW_PATH'];
  // A given path is taken at its word or is an error: falling back would hide the mistake.
  if (given !== undefined && given !== '') {
    const program = await fromSetting('VERSITYGW_PATH', given, setup.env);
    return { way: 'VERSITYGW_PATH', value: await checked(program, setup) };
  }
  return firstWay('S3 server', [...s3ServerFound(setup), ...s3ServerInstalled(setup)], setup.log);
}

/** Ways that only look. */
export function s3ServerFound(setup: Setup): Way<string>[] {
  return [
    {
      name: 'on PATH',
      looks: true,
      hint: 'put versitygw on PATH, or set VERSITYGW_PATH',
      attempt: async () => checked(await requireOnPath('versitygw', setup.env), setup),
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
export function s3ServerInstalled(setup: Setup): Way<string>[] {
  const { env } = setup;
  const base = env['VERSITYGW_DOWNLOAD_URL'] ?? RELEASES_URL;
  return [
    {
      name: 'official download',
      hint: `access to ${new URL(base).host}; VERSITYGW_DOWNLOAD_URL names a mirror`,
      possible: () => probe(base),
      attempt: async (log) => {
        await installOnce(folder(setup), (staging) => unpackRelease(staging, base, { ...setup, log }));
        return programIn(folder(setup));
      },
    },
    {
      name: 'go install',
      hint: 'Go 1.25 or newer on PATH (and a Go module proxy)',
      possible: () => requireOnPath('go', env),
      attempt: async (log) => {
        const go = await requireOnPath('go', env);
        await installOnce(folder(setup), async (staging) => {
          await step([go, 'install', `github.com/versity/versitygw/cmd/versitygw@v${VERSION}`], {
            ...{ cwd: staging, env: { ...env, GOBIN: staging, CGO_ENABLED: '0' }, log, timeoutMs: GO_TIMEOUT_MS },
            what: `building versitygw ${VERSION} (a few minutes the first time)`,
          });
          await checked(programIn(staging), setup);
        });
        return programIn(folder(setup));
      },
    },
  ];
}

async function unpackRelease(staging: string, base: string, setup: Setup): Promise<void> {
  const { env, log } = setup;
  const system = process.platform === 'darwin' ? 'Darwin' : 'Linux';
  const name = `versitygw_v${VERSION}_${system}_${process.arch === 'x64' ? 'x86_64' : process.arch}.tar.gz`;
  const archive = join(staging, name);
  await downloadRelease({ folder: `${base}/v${VERSION}`, name, sums: 'checksums.txt' }, archive, log);
  await step(['tar', '-xzf', archive, '-C', staging, '--strip-components=1'], {
    ...{ cwd: staging, env, log, what: 'unpacking', timeoutMs: UNPACK_TIMEOUT_MS },
  });
  await rm(archive);
  await checked(programIn(staging), setup);
}

/** Starts it on a free port of 127.0.0.1 with a key of its own; buckets are folders of `stateDir`. @throws when it does not come up */
export async function startS3Server({ stateDir, ...setup }: Setup & { stateDir: string }): Promise<S3Server> {
  const { value: program } = await ensureS3Server(setup);
  const { env, log } = setup;
  const port = await freePort();
  const [objects, metadata] = [join(stateDir, 'objects'), join(stateDir, 'metadata')];
  for (const dir of [objects, metadata]) await mkdir(dir, { recursive: true, mode: 0o700 });
  const [accessKeyId, secretAccessKey] = [randomBytes(10).toString('hex'), randomBytes(20).toString('hex')];
  const daemon = await startDaemon({
    name: 'S3 server',
    program,
    // Not in extended attributes, which some file systems lack.
    args: ['--port', `127.0.0.1:${String(port)}`, '--quiet', '--keep-alive', 'posix', '--sidecar', metadata, objects],
    // In the environment and not among the arguments, which every user of the machine can read.
    env: { ...programEnv(env), ROOT_ACCESS_KEY_ID: accessKeyId, ROOT_SECRET_ACCESS_KEY: secretAccessKey },
    cwd: stateDir,
    logFile: join(stateDir, 's3-server.log'),
    check: () => reachable(port),
    readyTimeoutMs: READY_TIMEOUT_MS,
    log,
  });
  return { endpoint: `http://127.0.0.1:${String(port)}`, accessKeyId, secretAccessKey, daemon };
}

function reachable(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port, timeout: CHECK_TIMEOUT_MS });
    const settle = (error?: Error): void => {
      socket.destroy();
      if (error === undefined) resolve();
      else reject(error);
    };
    socket.once('connect', () => settle());
    socket.once('error', settle);
    socket.once('timeout', () => settle(new Error('no answer')));
  });
}

async function checked(program: string, { env }: Setup): Promise<string> {
  // A program that was installed from its source does not know its version.
  if (!/^Version\s*:/m.test(await capture(program, ['--version'], env))) throw new Error(`${program} is not versitygw`);
  return program;
}

function folder({ cacheDir }: Setup): string {
  return join(cacheDir, `versitygw-${VERSION}-${process.platform}-${process.arch}`);
}

function programIn(dir: string): string {
  return join(dir, 'versitygw');
}
