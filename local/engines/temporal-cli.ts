import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { exists, installOnce } from './cache.ts';
import { downloadPinned, probe } from './download.ts';
import { capture, fromSetting, requireOnPath, step, type Env } from './programs.ts';
import { firstWay, type Found, type Log, type Way } from './ways.ts';

/** The newest CLI whose module `go install` accepts: later tags carry a replace line. */
export const TEMPORAL_CLI_VERSION = '1.5.1';
const RELEASES_URL = 'https://github.com/temporalio/cli/releases/download';
/** SHA-256 of the archives of that version, by platform. */
const ARCHIVES: Readonly<Record<string, string>> = {
  linux_amd64: 'ddc95e08b0b076efd4ea9733a3f488eb7d2be875f8834e616cd2a37358b4852d',
  linux_arm64: 'bd1b0db9f18b051026de8bf6cc1505f2510f14bbb7a8b9a4a91fff46c77454f5',
  darwin_amd64: 'bbb73e2a31135abe50a1f1cdb35030c42961df618e8ce9c60ae89f201540c5d9',
  darwin_arm64: 'cca01b7ea35ad56e2a328d9ae596bf716bd22313ef63c7a761c88354457c2415',
};
const PLATFORM = `${process.platform}_${process.arch === 'x64' ? 'amd64' : process.arch}`;
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

/** Ways that install into the cache. @param archives what the download must be, by platform: a SHA-256 */
export function temporalInstalled({ env, cacheDir }: Setup, archives = ARCHIVES): Way<string>[] {
  const dir = folder(cacheDir);
  const program = join(dir, 'temporal');
  const base = env['TEMPORAL_DOWNLOAD_URL'] ?? RELEASES_URL;
  return [
    {
      name: 'official download',
      hint: `access to ${new URL(base).host}; TEMPORAL_DOWNLOAD_URL names a mirror`,
      possible: () => probe(base),
      attempt: async (log) => {
        await installOnce(dir, async (staging) => {
          const archive = join(staging, 'archive.tar.gz');
          const name = `temporal_cli_${TEMPORAL_CLI_VERSION}_${PLATFORM}.tar.gz`;
          const wanted = archives[PLATFORM];
          if (wanted === undefined) throw new Error(`there is no release for ${PLATFORM}`);
          const url = `${base}/v${TEMPORAL_CLI_VERSION}/${name}`;
          await downloadPinned({ url, wanted }, archive, log);
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
