import { randomBytes } from 'node:crypto';
import { mkdir, readdir, realpath, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { installOnce } from './cache.ts';
import { startDaemon } from './daemon.ts';
import { aptGet } from './debian.ts';
import { programEnv, type Env, type Setup } from './environment.ts';
import { platformFolder } from './install.ts';
import { freePort } from './ports.ts';
import { capture, requireOnPath, step } from './programs.ts';
import { ensure, inCache, programTool, type Tool } from './strategies.ts';

const READY_TIMEOUT_MS = 60_000;
const DEBIAN_FOLDER = '/usr/lib/postgresql';
const USER = 'temporal';
/** PostgreSQL refuses to run as root. As the unprivileged user, it keeps the capability to enter root's folders. */
const RUN_AS_NOBODY = [
  ...['--reuid=65534', '--regid=65534', '--clear-groups'],
  ...['--inh-caps=-all,+dac_override', '--ambient-caps=+dac_override'],
];

export function postgresql(setup: Setup): Tool {
  const { env } = setup;
  const version = async (program: string): Promise<string> => {
    const at = await binaries(program, env);
    for (const name of ['initdb', 'pg_isready']) await capture(join(at.folder, name), ['--version'], at.env);
    return `${await capture(join(at.folder, 'postgres'), ['--version'], at.env)}, for the bench only`;
  };
  const tool = programTool(setup, {
    name: 'PostgreSQL',
    setting: 'POSTGRES_PATH',
    names: ['postgres'],
    hint: 'install PostgreSQL (on Debian: apt-get install postgresql), or set POSTGRES_PATH',
    cached: [],
    version,
    installed: [],
  });
  const working = async (root: string): Promise<string> => {
    const program = await newestBelow(root);
    await version(program);
    return program;
  };
  const folder = platformFolder(setup, 'postgresql-debian');
  return {
    ...tool,
    found: [
      ...tool.found,
      // Debian does not install these programs on PATH.
      { ...inCache([DEBIAN_FOLDER], working), name: 'installed by Debian' },
      inCache([join(folder, DEBIAN_FOLDER)], working),
    ],
    installed: [
      {
        name: 'Debian package',
        hint: 'Debian, and a package mirror',
        possible: () => aptGet(env),
        attempt: async (log) => {
          const [apt, unpack] = [await aptGet(env), await requireOnPath('dpkg-deb', env)];
          const isRoot = process.getuid?.() === 0;
          if (isRoot) await step([apt, 'update'], { cwd: '/', env, log, what: 'reading the lists of packages' });
          const depends = await capture(await requireOnPath('apt-cache', env), ['depends', 'postgresql'], env);
          const name = /Depends: (postgresql-\d+)$/m.exec(depends)?.[1];
          if (name === undefined) throw new Error('the lists of packages have no postgresql');
          await installOnce(folder, async (staging) => {
            const archives = join(staging, 'archives');
            await mkdir(join(archives, 'partial'), { recursive: true });
            const settings = [`Dir::Cache::archives=${archives}`, 'Debug::NoLocking=true'];
            const options = settings.flatMap((one) => ['-o', one]);
            const download = ['install', '--download-only', '-y', '--no-install-recommends', name];
            const what = `fetching ${name} and the libraries that are missing (about 60 MB)`;
            await step([apt, ...options, ...download], { cwd: staging, env, log, what });
            for (const archive of (await readdir(archives)).filter((file) => file.endsWith('.deb'))) {
              const from = join(archives, archive);
              await step([unpack, '-x', from, staging], { cwd: staging, env, log, what: `unpacking ${archive}` });
            }
            await rm(archives, { recursive: true });
            await working(join(staging, DEBIAN_FOLDER));
          });
          return working(join(folder, DEBIAN_FOLDER));
        },
      },
    ],
  };
}

async function newestBelow(root: string): Promise<string> {
  const versions = (await readdir(root)).filter((name) => /^\d+$/.test(name)).map(Number);
  if (versions.length === 0) throw new Error(`no server is in ${root}`);
  return join(root, String(Math.max(...versions)), 'bin', 'postgres');
}

/** The folder of the programs, and an environment in which they find libraries that were unpacked with them. */
async function binaries(program: string, env: Env): Promise<{ folder: string; env: Env }> {
  const folder = dirname(await realpath(program));
  const libraries = join(folder, '../../..', `${process.arch === 'x64' ? 'x86_64' : 'aarch64'}-linux-gnu`);
  const path = [libraries, env['LD_LIBRARY_PATH']].filter((one) => one !== undefined && one !== '').join(':');
  return { folder, env: { ...env, LD_LIBRARY_PATH: path } };
}

export async function startPostgresql({ stateDir, ...setup }: Setup & { readonly stateDir: string }) {
  const { value: program } = await ensure(postgresql(setup), setup.log);
  const { folder, env } = await binaries(program, setup.env);
  const [data, port, password] = [join(stateDir, 'data'), await freePort(), randomBytes(16).toString('hex')];
  const passwordFile = join(stateDir, 'password');
  await writeFile(passwordFile, password, { mode: 0o600 });
  const asUser = process.getuid?.() === 0 ? [await requireOnPath('setpriv', env), ...RUN_AS_NOBODY] : [];
  const initdb = [join(folder, 'initdb'), '-D', data, '-U', USER, '--pwfile', passwordFile, '-A', 'scram-sha-256'];
  const [first, ...rest] = [...asUser, ...initdb, '--no-locale', '-E', 'UTF8'];
  const setUp = { cwd: stateDir, env, log: setup.log, what: 'PostgreSQL: making its folder' };
  await step([first, ...rest], setUp);
  const settings = [
    `port=${String(port)}`,
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    'max_connections=200',
  ];
  const [command, ...args] = [...asUser, join(folder, 'postgres'), '-D', data];
  const daemon = await startDaemon({
    name: 'PostgreSQL',
    program: command,
    args: [...args, ...settings.flatMap((one) => ['-c', one])],
    env: programEnv(env),
    cwd: stateDir,
    logFile: join(stateDir, 'postgresql.log'),
    check: async () => {
      await capture(join(folder, 'pg_isready'), ['-h', '127.0.0.1', '-p', String(port), '-q'], env);
    },
    readyTimeoutMs: READY_TIMEOUT_MS,
    log: setup.log,
  });
  return { host: '127.0.0.1', port, user: USER, password, dataDir: data, daemon };
}
