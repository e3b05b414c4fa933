import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { defaultCacheDir, installOnce } from '../../local/engines/cache.ts';
import { startDaemon } from '../../local/engines/daemon.ts';
import { installerEnv, programEnv, serviceEnv } from '../../local/engines/environment.ts';
import { startEngines } from '../../local/engines/engines.ts';
import { mongodbServer } from '../../local/engines/mongodb-server.ts';
import { pingMongodb } from '../../local/engines/ping-mongodb.ts';
import { choosePort, freePort, mongodbAddress, portsWithoutPages } from '../../local/engines/ports.ts';
import { capture, isAtLeast } from '../../local/engines/programs.ts';
import { firstWorking, NoStrategyError, type Strategy } from '../../local/engines/strategies.ts';

let dir: string;
beforeEach(async () => (dir = await mkdtemp(join(tmpdir(), 'tapedeck-embedded-'))));
afterEach(() => rm(dir, { recursive: true, force: true }));

const works = (name: string): Strategy<string> => ({ name, attempt: () => Promise.resolve(name) });
const fails = (name: string, reason: string, rest: Partial<Strategy<string>> = {}): Strategy<string> => ({
  ...rest,
  name,
  attempt: () => Promise.reject(new Error(reason)),
});

describe('strategies to get a tool', () => {
  it('are tried in order until one works, and each failure is logged with its reason', async () => {
    const lines: string[] = [];
    const never = vi.fn();
    const strategies = [
      fails('on PATH', 'not there', { looks: true }),
      fails('download', 'no network'),
      works('build'),
      { name: 'later', attempt: never },
    ];
    const found = await firstWorking('tool', strategies, (line) => lines.push(line));
    expect(found).toEqual({ by: 'build', value: 'build' });
    expect(lines).toEqual(['tool: on PATH: not there', 'tool: download: no network']);
    expect(never).not.toHaveBeenCalled();
  });

  it('are quiet when looking is enough', async () => {
    const lines: string[] = [];
    await firstWorking(
      'tool',
      [fails('on PATH', 'not there', { looks: true }), { ...works('in the cache'), looks: true }],
      (line) => lines.push(line),
    );
    expect(lines).toEqual([]);
  });

  it('that all fail give one error naming each way, its reason and what would help', async () => {
    const strategies = [fails('on PATH', 'too old', { hint: 'set TOOL_PATH' }), fails('download', 'no network')];
    const error = await firstWorking('tool', strategies, () => undefined).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(NoStrategyError);
    expect((error as Error).message).toBe(
      'tool: it could not be installed.\n  on PATH: too old\n    what would help: set TOOL_PATH\n  download: no network',
    );
  });
});

describe('an installation', () => {
  it('that fails half-way leaves nothing', async () => {
    const target = join(dir, 'tool-1');
    const attempt = installOnce(target, async (staging) => {
      await writeFile(join(staging, 'half'), 'x');
      throw new Error('cut off');
    });
    await expect(attempt).rejects.toThrow('cut off');
    expect(await readdir(dir)).toEqual([]);
  });

  it('may run twice at once: both succeed, one result, no rest', async () => {
    const target = join(dir, 'tool-1');
    let both: () => void = () => undefined;
    const meeting = new Promise<void>((resolve) => (both = resolve));
    let inside = 0;
    const install = (): Promise<void> =>
      installOnce(target, async (staging) => {
        inside += 1;
        await writeFile(join(staging, 'program'), 'x');
        if (inside === 2) both();
        await meeting;
      });
    await Promise.all([install(), install()]);
    expect(await readdir(dir)).toEqual(['tool-1']);
    expect(await readdir(target)).toEqual(['program']);
    await installOnce(target, () => Promise.reject(new Error('must not run again')));
  });
});

describe('versions', () => {
  it.each([
    ['2026.08.19', '2026.8.19', true],
    ['2026.10.26', '2026.08.19', true],
    ['2025.12.31', '2026.08.19', false],
    ['9.0.2-17-g2a5', '4.3', true],
    ['4.1', '4.3', false],
  ])('%s is at least %s: %s', (version, oldest, expected) => {
    expect(isAtLeast(version, oldest)).toBe(expected);
  });
});

describe('ports', () => {
  it('a given port that is in use is an error that names the setting', async () => {
    const port = await freePort();
    const daemon = await startDaemon(echoServer(port));
    try {
      const wish = { setting: 'MONGODB_PORT', preferred: port, choice: 'preferred' as const };
      await expect(choosePort({ ...wish, env: { MONGODB_PORT: String(port) } }, () => undefined)).rejects.toThrow(
        `MONGODB_PORT=${port}`,
      );
      const lines: string[] = [];
      expect(await choosePort({ ...wish, env: {} }, (line) => lines.push(line))).not.toBe(port);
      expect(lines.join()).toContain(`port ${port} is in use`);
    } finally {
      await daemon.stop(1_000);
    }
  });
});

it('a state folder that one kind of MongoDB server has used is left to that kind', async () => {
  const setup = { env: {}, cacheDir: join(dir, 'cache'), log: () => undefined };
  const kindsFor = async (stateDir: string): Promise<string[]> => {
    const { found, installed } = await mongodbServer(setup, stateDir);
    return [...new Set([...found, ...installed].map(({ kind }) => kind))].sort();
  };
  expect(await kindsFor(join(dir, 'new'))).toEqual(['ferretdb', 'mongod']);
  for (const kind of ['mongod', 'ferretdb']) {
    await installOnce(join(dir, kind, kind), (staging) => writeFile(join(staging, 'data'), ''));
    expect(await kindsFor(join(dir, kind))).toEqual([kind]);
  }
});

describe('the address of the embedded database', () => {
  it('is a socket in its folder', async () => {
    const { at, uri } = await mongodbAddress({}, dir);
    expect(at).toEqual({ socket: join(dir, 'mongodb.sock') });
    expect(decodeURIComponent(uri)).toBe(`mongodb://${join(dir, 'mongodb.sock')}/`);
  });

  it('is a socket in a short folder of this user alone where the folder has too long a name, until it is released', async () => {
    const { at, release } = await mongodbAddress({}, join(dir, 'a'.repeat(100)));
    if (!('socket' in at)) throw new Error('no socket');
    expect(at.socket.length).toBeLessThan(100);
    const { mode, uid } = await stat(dirname(at.socket));
    expect([mode & 0o777, uid]).toEqual([0o700, process.getuid?.()]);
    await release();
    await expect(stat(dirname(at.socket))).rejects.toThrow('ENOENT');
  });

  it('is a port only where MONGODB_PORT asks for one', async () => {
    const port = await freePort();
    expect((await mongodbAddress({ MONGODB_PORT: String(port) }, dir)).uri).toBe(`mongodb://127.0.0.1:${port}/`);
    expect((await mongodbAddress({ MONGODB_PORT: '0' }, dir)).uri).toMatch(/^mongodb:\/\/127\.0\.0\.1:\d+\/$/);
    expect((await mongodbAddress({ MONGODB_PORT: '' }, dir)).at).toHaveProperty('socket');
    await expect(mongodbAddress({ MONGODB_PORT: 'x' }, dir)).rejects.toThrow('MONGODB_PORT=x');
  });
});

it('the embedded database runs, and is out of reach for others, in a folder with a long name that was open to all', async () => {
  const dataDir = join(dir, 'a'.repeat(60), 'b'.repeat(60));
  await mkdir(join(dataDir, 'mongodb'), { recursive: true, mode: 0o755 });
  const engines = await startEngines({
    env: { ...process.env, TEMPORAL_ADDRESS: '127.0.0.1:1', MONGODB_URI: '', MONGODB_PORT: '' },
    ...{ dataDir, cacheDir: defaultCacheDir(process.env), ports: 'free', log: () => undefined },
  });
  const socket = decodeURIComponent(new URL(engines.mongodbUri).host);
  try {
    await pingMongodb(engines.mongodbUri, 5_000);
    for (const folder of [dirname(socket), join(dataDir, 'mongodb')]) {
      expect((await stat(folder)).mode & 0o777).toBe(0o700);
    }
  } finally {
    await engines.stop();
  }
  await expect(stat(dirname(socket))).rejects.toThrow('ENOENT');
}, 120_000);

describe('the environment', () => {
  const given = {
    ...{
      PATH: '/bin',
      HOME: '/home/me',
      LC_ALL: 'C',
      LINK_SECRET: 's',
      GOOGLE_API_KEY: 's',
      AWS_SECRET_ACCESS_KEY: 's',
    },
    ...{
      HTTPS_PROXY: 'http://me:s@proxy',
      GOPROXY: 'https://go',
      PIP_INDEX_URL: 'https://py',
      npm_config_registry: 'n',
    },
    ...{ LD_PRELOAD: 'x', GITHUB_TOKEN: 's', NODE_OPTIONS: '--x', UNSET: undefined },
  };

  it('of an engine holds what it needs to run, and no more', () => {
    expect(Object.keys(programEnv(given))).toEqual(['PATH', 'HOME', 'LC_ALL']);
  });

  it('of an installer holds also how to reach the network and the registries', () => {
    const names = ['PATH', 'HOME', 'LC_ALL', 'HTTPS_PROXY', 'GOPROXY', 'PIP_INDEX_URL', 'npm_config_registry'];
    expect(Object.keys(installerEnv(given))).toEqual(names);
  });

  it('of api and worker holds settings, and nothing that is for something else', () => {
    const names = ['PATH', 'HOME', 'LC_ALL', 'LINK_SECRET', 'HTTPS_PROXY', 'NODE_OPTIONS'];
    expect(Object.keys(serviceEnv(given, new Set(['LINK_SECRET'])))).toEqual(names);
  });

  it('of a program whose version is read has no secrets in it', async () => {
    const environment = await capture('/usr/bin/env', [], { ...given, PATH: process.env['PATH'] });
    expect(environment).toContain('HOME=/home/me');
    expect(environment).not.toMatch(/SECRET|TOKEN|KEY|PROXY/);
  });
});

describe('ports for what a page must not reach', () => {
  it('are ports that browsers refuse: the fetch of Node, which follows the same standard, connects to none', async () => {
    const ports = await portsWithoutPages(2);
    expect(new Set(ports).size).toBe(2);
    for (const port of ports) {
      const failure: unknown = await fetch(`http://127.0.0.1:${port}/`).catch((error: unknown) => error);
      expect((failure as Error).cause).toMatchObject({ message: 'bad port' });
    }
  });

  it('are an error with how many are needed and free, and what to do about it, when too few are free', async () => {
    await expect(portsWithoutPages(99)).rejects.toThrow(/needs 99 .* browsers refuse .* TEMPORAL_ADDRESS/);
    const [free, taken] = [await freePort(), await freePort()];
    const daemon = await startDaemon(echoServer(taken));
    await expect(portsWithoutPages(2, [free, taken])).rejects.toThrow('needs 2 of');
    await expect(portsWithoutPages(2, [free, taken])).rejects.toThrow('of which 1 are free');
    await expect(portsWithoutPages(1, [taken])).rejects.toThrow('of which 0 are free');
    await daemon.stop(1_000);
  });
});

describe('a long-living engine', () => {
  it('is started again on the same port when it is killed, and ends on stop', async () => {
    const options = echoServer(await freePort());
    const daemon = await startDaemon(options);
    const first = daemon.pid();
    expect(await (await fetch(`http://127.0.0.1:${options.port}/`)).text()).toBe(String(first));
    process.kill(first!, 'SIGKILL');
    await vi.waitFor(
      async () => expect(await (await fetch(`http://127.0.0.1:${options.port}/`)).text()).toBe(String(daemon.pid())),
      { timeout: 20_000 },
    );
    const second = daemon.pid()!;
    expect(second).not.toBe(first);
    await daemon.stop(2_000);
    expect(isAlive(second)).toBe(false);
    expect(daemon.pid()).toBeUndefined();
  });

  it('that does not come up is an error with the end of its log', async () => {
    const options = { ...echoServer(await freePort()), args: ['-e', 'console.error("no disk"); process.exit(3)'] };
    await expect(startDaemon(options)).rejects.toThrow(/exit code 3.*no disk/s);
  });

  it('ends when its parent is killed outright', async () => {
    const port = await freePort();
    const script = `
      import { startDaemon } from ${JSON.stringify(pathToFileURL(join(import.meta.dirname, '../../local/engines/daemon.ts')).href)};
      const daemon = await startDaemon({ ...${JSON.stringify(echoServer(port))}, log() {},
        check: async () => { await fetch('http://127.0.0.1:${port}/'); } });
      console.log(daemon.pid());
      setInterval(() => {}, 1000);`;
    const parent = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const pid = await new Promise<number>((resolve, reject) => {
      createInterface({ input: parent.stdout }).once('line', (line) => resolve(Number(line)));
      parent.once('exit', (code) => reject(new Error(`the parent ended with ${String(code)}`)));
    });
    expect(isAlive(pid)).toBe(true);
    parent.kill('SIGKILL');
    await vi.waitFor(() => expect(isAlive(pid)).toBe(false), { timeout: 20_000 });
  });
});

function echoServer(port: number) {
  return {
    name: 'echo',
    port,
    program: process.execPath,
    args: ['-e', `require('http').createServer((_, res) => res.end(String(process.pid))).listen(${port}, '127.0.0.1')`],
    env: {},
    cwd: dir,
    logFile: join(dir, 'echo.log'),
    check: async (): Promise<void> => {
      await fetch(`http://127.0.0.1:${port}/`);
    },
    readyTimeoutMs: 10_000,
    log: (): void => undefined,
  };
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
