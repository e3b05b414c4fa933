import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { exists, fingerprint, installOnce } from './cache.ts';
import { downloadRelease, probe, type ReleaseFile } from './download.ts';
import { capture, fromSetting, isExecutable, requireOnPath, step } from './programs.ts';
import type { Setup } from './temporal-cli.ts';
import { firstWay, type Found, type Way } from './ways.ts';

const MONGOD_VERSION = '8.2.6';
const DOWNLOAD_SITE = 'https://fastdl.mongodb.org';
const OLDEST_MONGOD = /^db version v([5-9]|\d\d)\./m;
const FERRETDB_VERSION = '1.24.2';
const FERRETDB_SOURCE = fileURLToPath(new URL('./ferretdb', import.meta.url));
const GO_TIMEOUT_MS = 30 * 60_000;
const UNPACK_TIMEOUT_MS = 120_000;

/** Which server, with what it takes to start it. Their files differ, so each has its own folder below the state folder. */
export interface MongodbServer {
  readonly kind: 'mongod' | 'ferretdb';
  readonly program: string;
}

/**
 * The server program, set up when needed. A state folder that one kind has used stays with that kind: the other would
 * start empty and seem to have lost everything.
 *
 * @throws {NoWayError}
 */
export async function ensureMongodbServer(setup: Setup, stateDir: string): Promise<Found<MongodbServer>> {
  const given = setup.env['MONGOD_PATH'];
  // A given path is taken at its word or is an error: falling back would hide the mistake.
  if (given !== undefined && given !== '') {
    const program = await checkedMongod(await fromSetting('MONGOD_PATH', given, setup.env), setup.env);
    return { way: 'MONGOD_PATH', value: { kind: 'mongod', program } };
  }
  const { found, installed, used } = await mongodbWays(setup, stateDir);
  if (used !== undefined) setup.log(`MongoDB: ${stateDir} holds the data of ${used}, staying with it`);
  return firstWay('MongoDB', [...found, ...installed], setup.log);
}

/** The ways that fit a state folder: `found` only look, `installed` fill the cache. `used`: the kind that has data there. */
export async function mongodbWays(
  setup: Setup,
  stateDir: string,
): Promise<{ found: KindWay[]; installed: KindWay[]; used: MongodbServer['kind'] | undefined }> {
  const used = await usedKind(stateDir);
  const fits = ({ kind }: KindWay): boolean => used === undefined || kind === used;
  return { found: mongodbFound(setup).filter(fits), installed: mongodbInstalled(setup).filter(fits), used };
}

/** The folder below the state folder that a kind of server uses. */
export function dataFolder(stateDir: string, kind: MongodbServer['kind']): string {
  return join(stateDir, kind);
}

async function usedKind(stateDir: string): Promise<MongodbServer['kind'] | undefined> {
  for (const kind of ['mongod', 'ferretdb'] as const) {
    const files = await readdir(dataFolder(stateDir, kind)).catch(() => []);
    if (files.length > 0) return kind;
  }
  return undefined;
}

export interface KindWay extends Way<MongodbServer> {
  readonly kind: MongodbServer['kind'];
}

function mongodbFound({ env, cacheDir }: Setup): KindWay[] {
  const ferretdb = ferretdbProgram(cacheDir);
  return [
    way('mongod', 'on PATH', {
      looks: true,
      hint: 'install MongoDB, or run your own server and set MONGODB_URI',
      attempt: async () => checkedMongod(await requireOnPath('mongod', env), env),
    }),
    way('mongod', 'in the cache', {
      looks: true,
      attempt: async () => {
        const program = mongodProgram(cacheDir);
        if (!(await isExecutable(program))) throw new Error('no mongod there yet');
        return checkedMongod(program, env);
      },
    }),
    way('ferretdb', 'in the cache', {
      looks: true,
      attempt: async () => {
        if (!(await exists(ferretdb))) throw new Error('no FerretDB there yet');
        await capture(ferretdb, ['--version'], env);
        return ferretdb;
      },
    }),
  ];
}

function mongodbInstalled({ env, cacheDir }: Setup): KindWay[] {
  return [
    way('mongod', 'official download', {
      hint: 'access to the MongoDB download site (a mirror: MONGOMS_DOWNLOAD_MIRROR), on a system it has packages for',
      possible: () => probe(env['MONGOMS_DOWNLOAD_MIRROR'] ?? DOWNLOAD_SITE),
      attempt: async (log) => {
        const program = mongodProgram(cacheDir);
        await installOnce(mongodFolder(cacheDir), async (staging) => {
          const [archive, unpacked] = [join(staging, 'archive.tgz'), join(staging, 'unpacked')];
          await downloadRelease(await mongodRelease(), archive, log);
          await mkdir(unpacked);
          await step(['tar', '-xzf', archive, '-C', unpacked, '--strip-components=1'], {
            ...{ cwd: staging, env, log, what: 'unpacking', timeoutMs: UNPACK_TIMEOUT_MS },
          });
          await rename(join(unpacked, 'bin', 'mongod'), join(staging, 'mongod'));
          await Promise.all([archive, unpacked].map((path) => rm(path, { recursive: true })));
          await checkedMongod(join(staging, 'mongod'), env);
        });
        return program;
      },
    }),
    way('ferretdb', 'building FerretDB', {
      hint: 'Go 1.24 or newer on PATH (and a Go module proxy)',
      possible: () => requireOnPath('go', env),
      attempt: async (log) => {
        const go = await requireOnPath('go', env);
        await installOnce(ferretdbFolder(cacheDir), async (staging) => {
          const program = join(staging, 'ferretdb');
          await step([go, 'build', '-trimpath', '-ldflags', '-s -w', '-o', program, '.'], {
            cwd: FERRETDB_SOURCE,
            env,
            log,
            what: `building FerretDB ${FERRETDB_VERSION} (a minute or two the first time)`,
            timeoutMs: GO_TIMEOUT_MS,
          });
          await capture(program, ['--version'], env);
        });
        return ferretdbProgram(cacheDir);
      },
    }),
  ];
}

/** Which of MongoDB's packages fits this system is a table of its own, which mongodb-memory-server keeps. */
async function mongodRelease(): Promise<ReleaseFile> {
  const { MongoBinaryDownloadUrl } = await import('mongodb-memory-server-core/lib/util/MongoBinaryDownloadUrl.js');
  const { getOS } = await import('mongodb-memory-server-core/lib/util/getos/index.js');
  const system = { platform: process.platform, arch: process.arch, os: await getOS() };
  const address = await new MongoBinaryDownloadUrl({ version: MONGOD_VERSION, ...system }).getDownloadUrl();
  const slash = address.lastIndexOf('/');
  const name = address.slice(slash + 1);
  return { folder: address.slice(0, slash), name, sums: `${name}.sha256` };
}

/** First line of `--version`. */
export async function mongodbVersion({ program }: MongodbServer, env: Setup['env']): Promise<string> {
  const text = await capture(program, ['--version'], env);
  return text.split('\n')[0] ?? '';
}

function way(kind: MongodbServer['kind'], name: string, rest: Omit<Way<string>, 'name'>): KindWay {
  return { ...rest, kind, name, attempt: async (log) => ({ kind, program: await rest.attempt(log) }) };
}

async function checkedMongod(program: string, env: Setup['env']): Promise<string> {
  const text = await capture(program, ['--version'], env);
  if (!OLDEST_MONGOD.test(text)) throw new Error(`${program} is not mongod 5.0 or newer: ${text.slice(0, 60)}`);
  return program;
}

function mongodFolder(cacheDir: string): string {
  return join(cacheDir, `mongod-${MONGOD_VERSION}-${process.platform}-${process.arch}`);
}

function mongodProgram(cacheDir: string): string {
  return join(mongodFolder(cacheDir), 'mongod');
}

function ferretdbFolder(cacheDir: string): string {
  const source = fingerprint(
    ...['main.go', 'gate.go', 'id_index.go', 'go.mod', 'go.sum'].map((name) => join(FERRETDB_SOURCE, name)),
  );
  return join(cacheDir, `ferretdb-${FERRETDB_VERSION}-${source}-${process.platform}-${process.arch}`);
}

function ferretdbProgram(cacheDir: string): string {
  return join(ferretdbFolder(cacheDir), 'ferretdb');
}
