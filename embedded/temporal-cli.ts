import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { exists, installOnce } from './cache.ts';
import { download, probe } from './download.ts';
import { capture, fromSetting, requireOnPath, step, type Env } from './programs.ts';
import { firstWay, type Found, type Log, type Way } from './ways.ts';

/** The newest CLI whose module `go install` accepts: later tags carry a replace line. */
export const TEMPORAL_CLI_VERSION = '1.5.1';
const DOWNLOAD_BASE_URL = 'https://temporal.download/cli/archive';
const GO_TIMEOUT_MS = 30 * 60_000;
const UNPACK_TIMEOUT_MS = 120_000;

export interface Setup {
  readonly env: Env;
  readonly cacheDir: string;
  readonly log: Log;
}

/** Path of the `temporal` program, set up when needed. @throws {NoWayError} */
export async function ensureTemporalCli(setup: Setup): Promise<Found<string>> {
  const given = setup.env['TEMPORAL_CLI_PATH'];
  // A given path is taken at its word or is an error: falling back would hide the mistake.
  if (given !== undefined && given !== '') {
    const program = await fromSetting('TEMPORAL_CLI_PATH', given, setup.env);
    return { way: 'TEMPORAL_CLI_PATH', value: await checked(program, setup.env) };
  }
  return firstWay('Temporal', [...temporalFound(setup), ...temporalInstalled(setup)], setup.log);
}

/** Ways that only look. */
export function temporalFound({ env, cacheDir }: Setup): Way<string>[] {
  return [
    {
      name: 'on PATH',
      looks: true,
      hint: 'install the Temporal CLI, or run your own server and set TEMPORAL_ADDRESS',
      attempt: async () => checked(await requireOnPath('temporal', env), env),
    },
    { name: 'in the cache', looks: true, attempt: async () => checked(await cached(cacheDir), env) },
  ];
}

/** Ways that install into the cache. */
export function temporalInstalled({ env, cacheDir }: Setup): Way<string>[] {
  const dir = folder(cacheDir);
  const program = join(dir, 'temporal');
  const base = env['TEMPORAL_DOWNLOAD_URL'] ?? DOWNLOAD_BASE_URL;
  return [
    {
      name: 'official download',
      hint: `access to ${new URL(base).host}; TEMPORAL_DOWNLOAD_URL names a mirror`,
      possible: () => probe(base),
      attempt: async (log) => {
        await installOnce(dir, async (staging) => {
          const archive = join(staging, 'archive.tar.gz');
          const arch = process.arch === 'x64' ? 'amd64' : process.arch;
          await download(`${base}/v${TEMPORAL_CLI_VERSION}?platform=${process.platform}&arch=${arch}`, archive, log);
          await step(['tar', '-xzf', archive, '-C', staging, 'temporal'], {
            cwd: staging,
            env,
            log,
            what: 'unpacking',
            timeoutMs: UNPACK_TIMEOUT_MS,
          });
          await rm(archive);
          await checked(join(staging, 'temporal'), env);
        });
        return program;
      },
    },
    {
      name: 'go install',
      hint: 'Go 1.24 or newer on PATH (and a Go module proxy)',
      possible: () => requireOnPath('go', env),
      attempt: async (log) => {
        const go = await requireOnPath('go', env);
        await installOnce(dir, async (staging) => {
          await mkdir(staging, { recursive: true });
          await step([go, 'install', `github.com/temporalio/cli/cmd/temporal@v${TEMPORAL_CLI_VERSION}`], {
            cwd: staging,
            env: { ...env, GOBIN: staging },
            log,
            what: `building the Temporal CLI ${TEMPORAL_CLI_VERSION} (a few minutes the first time)`,
            timeoutMs: GO_TIMEOUT_MS,
          });
          await checked(join(staging, 'temporal'), env);
        });
        return program;
      },
    },
  ];
}

/** `1.29.1` of `temporal version 1.5.1 (Server 1.29.1, UI 2.42.1)`. @throws when it is not the Temporal CLI */
export async function temporalServerVersion(program: string, env: Env): Promise<string> {
  const line = await capture(program, ['--version'], env);
  const version = /\(Server (\d+\.\d+\.\d+)/.exec(line)?.[1];
  if (version === undefined) throw new Error(`${program} is not the Temporal CLI with a server: ${line.slice(0, 100)}`);
  return version;
}

async function checked(program: string, env: Env): Promise<string> {
  await temporalServerVersion(program, env);
  return program;
}

async function cached(cacheDir: string): Promise<string> {
  const program = join(folder(cacheDir), 'temporal');
  if (!(await exists(program))) throw new Error('not there yet');
  return program;
}

function folder(cacheDir: string): string {
  return join(cacheDir, `temporal-cli-${TEMPORAL_CLI_VERSION}-${process.platform}-${process.arch}`);
}
