import { readdir, readFile, mkdir } from 'node:fs/promises';
import { join, dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fingerprint } from './cache.ts';
import { type Setup, programEnv } from './environment.ts';
import { installProgram, platformFolder, releaseDownload, type ReleaseFile } from './install.ts';
import { capture, isAtLeast, requireOnPath, step } from './programs.ts';
import { ensure, programTool, wasChecked, type Found, type Strategy, type Tool } from './strategies.ts';
import { startDaemon } from './daemon.ts';
import type { Supervised } from '../supervise.ts';
import { checkListens, type MongodbAddress } from './ports.ts';

const MONGOD_VERSION = '8.2.6';
const OLDEST_MONGOD = /^db version v([5-9]|\d\d)\./m;
const FERRETDB_VERSION = '1.24.2';
const FERRETDB_SOURCE = fileURLToPath(new URL('./ferretdb', import.meta.url));

/** Each kind has its own folder below the state folder, since their files differ. */
export interface MongodbServer {
  readonly kind: 'mongod' | 'ferretdb';
  readonly program: string;
}

type KindStrategy = Strategy<MongodbServer> & { readonly kind: MongodbServer['kind'] };

export interface MongodbTool extends Tool<MongodbServer> {
  readonly found: readonly KindStrategy[];
  readonly installed: readonly KindStrategy[];
  readonly used: MongodbServer['kind'] | undefined;
}

export async function ensureMongodbServer(setup: Setup, stateDir: string): Promise<Found<MongodbServer>> {
  const tool = await mongodbServer(setup, stateDir);
  if (tool.used !== undefined && tool.given === undefined) {
    setup.log(`MongoDB: ${stateDir} contains data of ${tool.used}, which is used again`);
  }
  return ensure(tool, setup.log);
}

/** Selects a server for a state folder. It must be of the kind that has used the folder before. */
export async function mongodbServer(setup: Setup, stateDir: string): Promise<MongodbTool> {
  const used = await usedKind(stateDir);
  const [official, ferret] = [mongod(setup), ferretdb(setup)];
  const isFitting = ({ kind }: KindStrategy): boolean => used === undefined || kind === used;
  const both = (part: 'found' | 'installed'): KindStrategy[] =>
    [...official[part].map(ofKind('mongod')), ...ferret[part].map(ofKind('ferretdb'))].filter(isFitting);
  const { given } = official;
  return {
    name: 'MongoDB',
    given: given && { ...given, check: async () => ({ kind: 'mongod', program: await given.check() }) },
    found: both('found'),
    installed: both('installed'),
    describe: ({ kind, program }) => (kind === 'mongod' ? official : ferret).describe(program),
    used,
  };
}

function ofKind(kind: MongodbServer['kind']): (strategy: Strategy<string>) => KindStrategy {
  return (strategy) => ({
    ...strategy,
    kind,
    attempt: async (log) => ({ kind, program: await strategy.attempt(log) }),
  });
}

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

function mongod(setup: Setup): Tool {
  const { env } = setup;
  const version = async (program: string): Promise<string> => {
    const text = await capture(program, ['--version'], env);
    if (!OLDEST_MONGOD.test(text)) throw new Error(`${program} is not mongod 5.0 or newer: ${text.slice(0, 60)}`);
    return text.split('\n')[0] ?? '';
  };
  const program = join(platformFolder(setup, `mongod-${MONGOD_VERSION}`), 'mongod');
  return programTool(setup, {
    name: 'MongoDB',
    setting: 'MONGOD_PATH',
    names: ['mongod'],
    hint: 'install MongoDB, or run your own server and set MONGODB_URI',
    cached: [program],
    checkCached: wasChecked,
    version,
    installed: [
      releaseDownload({
        program,
        check: version,
        env,
        hint: 'access to the MongoDB download site (a mirror: MONGOMS_DOWNLOAD_MIRROR), on a system it has packages for',
        site: 'https://fastdl.mongodb.org',
        mirrorSetting: 'MONGOMS_DOWNLOAD_MIRROR',
        release: mongodRelease,
        inArchive: { path: 'bin/mongod', outer: 1 },
      }),
    ],
  });
}

/** MongoDB's Linux packages, the newest of a family first, by IDs of /etc/os-release and oldest version. */
const LINUX_PACKAGES: readonly (readonly [ids: RegExp, oldestVersion: string, name: string])[] = [
  [/^ubuntu$/, '24.04', 'ubuntu2404'],
  [/^ubuntu$/, '22.04', 'ubuntu2204'],
  [/^ubuntu$/, '20.04', 'ubuntu2004'],
  [/^debian$/, '12', 'debian12'],
  [/^(rhel|centos|fedora|ol)$/, '9', 'rhel93'],
  [/^(rhel|centos|ol)$/, '8', 'rhel8'],
  [/^amzn$/, '2023', 'amazon2023'],
  [/^(sles|suse|opensuse-leap)$/, '15', 'suse15'],
];

async function mongodRelease(base: string): Promise<ReleaseFile> {
  const arch = process.arch === 'x64' ? 'x86_64' : process.arch;
  const isMac = process.platform === 'darwin';
  const system = isMac ? `macos-${arch}` : `linux-${arch === 'arm64' ? 'aarch64' : arch}-${await linuxPackage()}`;
  const name = `mongodb-${system}-${MONGOD_VERSION}.tgz`;
  return { folder: `${base}/${isMac ? 'osx' : 'linux'}`, name, sums: `${name}.sha256` };
}

async function linuxPackage(): Promise<string> {
  const text = await readFile('/etc/os-release', 'utf8').catch(() => '');
  const valueOf = (key: string): string => new RegExp(`^${key}="?([^"\\n]*)`, 'm').exec(text)?.[1] ?? '';
  // Derivatives name their origin in ID_LIKE.
  const ids = `${valueOf('ID')} ${valueOf('ID_LIKE')}`.split(' ');
  const version = valueOf('VERSION_ID');
  const found = LINUX_PACKAGES.find(([fits, oldest]) => ids.some((id) => fits.test(id)) && isAtLeast(version, oldest));
  if (found === undefined) throw new Error(`there is no package for ${ids.join(' ')}${version}`);
  return found[2];
}

function ferretdb(setup: Setup): Tool {
  const { env } = setup;
  const sources = ['main.go', 'gate.go', 'id_index.go', 'pages.go', 'unfinished.go', 'go.mod', 'go.sum'];
  const source = fingerprint(...sources.map((name) => join(FERRETDB_SOURCE, name)));
  const program = join(platformFolder(setup, `ferretdb-${FERRETDB_VERSION}-${source}`), 'ferretdb');
  const version = async (path: string): Promise<string> =>
    (await capture(path, ['--version'], env)).split('\n')[0] ?? '';
  return programTool(setup, {
    name: 'MongoDB',
    names: [],
    cached: [program],
    checkCached: wasChecked,
    version,
    installed: [
      {
        name: 'building FerretDB',
        hint: 'Go 1.24 or newer on PATH (and a Go module proxy)',
        possible: () => requireOnPath('go', env),
        attempt: async (log) => {
          const go = await requireOnPath('go', env);
          const what = `building FerretDB ${FERRETDB_VERSION} (a minute or two the first time)`;
          return installProgram({ program, check: version }, (staged) =>
            step([go, 'build', '-trimpath', '-ldflags', '-s -w', '-o', staged, '.'], {
              cwd: FERRETDB_SOURCE,
              env,
              log,
              what,
            }),
          );
        },
      },
    ],
  });
}

const READY_TIMEOUT_MS = 60_000;
const CHECK_TIMEOUT_MS = 300;

export interface MongodbServerOptions extends Omit<Setup, 'cacheDir'> {
  readonly server: MongodbServer;
  readonly stateDir: string;
  readonly address: MongodbAddress;
}

export async function startMongodb(options: MongodbServerOptions): Promise<Supervised> {
  const { server, stateDir } = options;
  const data = dataFolder(stateDir, server.kind);
  await mkdir(data, { recursive: true, mode: 0o700 });
  const { at } = options.address;
  return startDaemon({
    name: 'MongoDB',
    program: server.program,
    args:
      server.kind === 'mongod'
        ? ['--dbpath', data, ...mongodListens(at), '--quiet']
        : ['socket' in at ? at.socket : `127.0.0.1:${String(at.port)}`, data],
    env: programEnv(options.env),
    cwd: stateDir,
    logFile: join(stateDir, `${server.kind}.log`),
    // The services wait until it answers.
    check: () =>
      checkListens('socket' in at ? { path: at.socket } : { host: '127.0.0.1', port: at.port }, CHECK_TIMEOUT_MS),
    readyTimeoutMs: READY_TIMEOUT_MS,
    log: options.log,
  });
}

function mongodListens(at: MongodbAddress['at']): readonly string[] {
  if ('port' in at) return ['--bind_ip', '127.0.0.1', '--port', String(at.port), '--nounixsocket'];
  // mongod also creates a socket named after its port, by default in /tmp.
  return ['--bind_ip', at.socket, '--unixSocketPrefix', dirname(at.socket)];
}
