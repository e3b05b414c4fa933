import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { chromium } from '../../local/engines/chromium.ts';
import { mediaProgram } from '../../local/engines/ffmpeg.ts';
import { installNpmProgram } from '../../local/engines/install.ts';
import { mongodbServer, type MongodbServer } from '../../local/engines/mongodb-server.ts';
import { ensure, firstWorking, type Strategy } from '../../local/engines/strategies.ts';
import { temporalCli } from '../../local/engines/temporal-cli.ts';
import { ytdlp } from '../../local/engines/ytdlp.ts';

const TEMPORAL = '#!/bin/sh\necho "temporal version 1.5.1 (Server 1.29.1, UI 2.42.1)"\n';
const YTDLP = '#!/bin/sh\necho 2026.10.26\n';
const quiet = (): void => undefined;

let dir: string;
let server: Server;
let base: string;
let requested: string[];
/** What the stand-in for the download site serves, by path. `cut` sends half of the announced bytes. */
let files: Map<string, { body: Buffer; cut?: boolean }>;

/** The same for paths that are not known before. */
let serveAny: (path: string) => Buffer | undefined;

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'tapedeck-download-'));
  files = new Map();
  serveAny = () => undefined;
  requested = [];
  server = createServer((req, res) => {
    requested.push(req.url ?? '');
    const path = decodeURIComponent(new URL(req.url ?? '/', 'http://x').pathname);
    const any = serveAny(path);
    const file = any === undefined ? files.get(path) : { body: any, cut: false };
    if (file === undefined) {
      res.writeHead(404).end();
      return;
    }
    res.writeHead(200, { 'content-length': file.body.length });
    if (file.cut === true) res.write(file.body.subarray(0, file.body.length / 2), () => res.destroy());
    else res.end(file.body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await rm(dir, { recursive: true, force: true });
});

describe('the official download of the Temporal CLI', () => {
  const setup = () => ({
    env: { PATH: process.env['PATH'], TEMPORAL_DOWNLOAD_URL: base },
    cacheDir: join(dir, 'cache'),
    log: quiet,
  });
  const platform = `${process.platform}_${process.arch === 'x64' ? 'amd64' : process.arch}`;
  const path = `/v1.5.1/temporal_cli_1.5.1_${platform}.tar.gz`;
  /** As the stand-in's archive is the one that is wanted; without it, the real one is. */
  const download = (wanted?: Buffer): Strategy<string>[] =>
    temporalCli(setup(), wanted === undefined ? undefined : { [platform]: sha256(wanted) }).installed.filter(
      ({ name }) => name === 'official download',
    );

  it('asks for the pinned version of this platform, and the program is found in the cache from then on', async () => {
    const body = await archiveOf('temporal', TEMPORAL);
    files.set(path, { body });
    const { value: program } = await firstWorking('Temporal', download(body), quiet);
    expect(requested).toEqual([path]);
    expect(await readFile(program, 'utf8')).toBe(TEMPORAL);
    const cached = temporalCli(setup()).found.filter(({ name }) => name === 'in the cache');
    expect(await firstWorking('Temporal', cached, quiet)).toEqual({ by: 'in the cache', value: program });
    expect(await readdir(join(program, '..'))).toEqual(['temporal']);
  });

  it('is refused when its SHA-256 is not the one that we know, and not even unpacked', async () => {
    files.set(path, { body: await archiveOf('temporal', TEMPORAL) });
    await expect(firstWorking('Temporal', download(), quiet)).rejects.toThrow(/does not have the SHA-256/);
    expect(await readdir(join(dir, 'cache'))).toEqual([]);
  });

  it('that is cut short, missing, or another program fails and leaves nothing in the cache', async () => {
    const body = await archiveOf('temporal', TEMPORAL);
    await expect(firstWorking('Temporal', download(body), quiet)).rejects.toThrow(/answered 404/);
    files.set(path, { body, cut: true });
    await expect(firstWorking('Temporal', download(body), quiet)).rejects.toThrow(/official download/);
    const other = await archiveOf('temporal', '#!/bin/sh\necho something else\n');
    files.set(path, { body: other });
    await expect(firstWorking('Temporal', download(other), quiet)).rejects.toThrow(/not the Temporal CLI/);
    expect(await readdir(join(dir, 'cache'))).toEqual([]);
  });

  it('that is refused says which host and what would help', async () => {
    const refused = { ...setup(), env: { ...setup().env, TEMPORAL_DOWNLOAD_URL: 'http://127.0.0.1:1' } };
    const strategies = temporalCli(refused).installed.slice(0, 1);
    await expect(firstWorking('Temporal', strategies, quiet)).rejects.toThrow(
      /cannot reach 127\.0\.0\.1:1 .*\n.*TEMPORAL_DOWNLOAD_URL/,
    );
  });
});

describe('the official download of mongod', () => {
  const MONGOD = '#!/bin/sh\necho "db version v8.2.6"\n';

  const download = async (): Promise<Strategy<MongodbServer>[]> => {
    const env = { PATH: process.env['PATH'], MONGOMS_DOWNLOAD_MIRROR: base };
    const { installed } = await mongodbServer({ env, cacheDir: join(dir, 'cache'), log: quiet }, join(dir, 'state'));
    return installed.filter(({ name }) => name === 'official download');
  };
  /** Serves any package, and beside it what `sumOf` says of it. */
  const serve = async (sumOf: (body: Buffer) => string | undefined): Promise<void> => {
    const body = await archiveOf('mongodb-8.2.6/bin/mongod', MONGOD);
    const sum = sumOf(body);
    serveAny = (path) => {
      if (path.endsWith('.tgz')) return body;
      const name = path.split('/').at(-1)!.replace('.sha256', '');
      return path.endsWith('.tgz.sha256') && sum !== undefined ? Buffer.from(`${sum}  ${name}\n`) : undefined;
    };
  };

  it('is taken when its SHA-256 is the published one', async () => {
    await serve(sha256);
    const { value: server } = await firstWorking('MongoDB', await download(), quiet);
    expect(await readFile(server.program, 'utf8')).toBe(MONGOD);
    expect(await readdir(join(server.program, '..'))).toEqual(['mongod']);
    expect(requested.filter((path) => !path.endsWith('/'))).toEqual([
      expect.stringMatching(/8\.2\.6\.tgz\.sha256$/),
      expect.stringMatching(/8\.2\.6\.tgz$/),
    ]);
  });

  it.each([
    ['is another', '0'.repeat(64), /does not have the SHA-256/],
    ['is not published', undefined, /answered 404/],
  ])('is refused when its SHA-256 %s', async (_, sum, reason) => {
    await serve(() => sum);
    await expect(firstWorking('MongoDB', await download(), quiet)).rejects.toThrow(reason);
    expect(await readdir(join(dir, 'cache'))).toEqual([]);
  });
});

describe('a program in a package of npm', () => {
  const install = async (integrity: string): Promise<string> => {
    const target = await mkdtemp(join(dir, 'npm-'));
    const env = { PATH: process.env['PATH'], HOME: dir, npm_config_registry: base, npm_config_cache: join(dir, 'npm') };
    return installNpmProgram({ name: '@some/program', version: '1.2.3', integrity }, { dir: target, env, log: quiet });
  };
  let integrity: string;
  beforeEach(async () => {
    const body = await archiveOf('package/package.json', '{"name":"@some/program","version":"1.2.3"}');
    integrity = `sha512-${createHash('sha512').update(body).digest('base64')}`;
    const dist = { tarball: `${base}/program.tgz`, integrity };
    const versions = { '1.2.3': { name: '@some/program', version: '1.2.3', dist } };
    const about = Buffer.from(JSON.stringify({ name: '@some/program', 'dist-tags': { latest: '1.2.3' }, versions }));
    serveAny = (path) => (path.startsWith('/@some') ? about : path === '/program.tgz' ? body : undefined);
  });

  it('is installed when it is the one that we know', async () => {
    expect(await readFile(join(await install(integrity), 'package.json'), 'utf8')).toContain('@some/program');
  });

  it('is refused when it is another, whatever the registry says of it', async () => {
    const another = `sha512-${createHash('sha512').update('another').digest('base64')}`;
    await expect(install(another)).rejects.toThrow(/npm ended with 1/);
  });
});

it('the wheel of ffmpeg is demanded by its hashes', async () => {
  const requests = join(dir, 'requests');
  await mkdir(join(dir, 'bin'));
  await writeFile(join(dir, 'bin', 'python3'), `#!/bin/sh\necho "$@" >> ${requests}\nexit 1\n`, { mode: 0o755 });
  const setup = { env: { PATH: `${join(dir, 'bin')}:/usr/bin:/bin` }, cacheDir: join(dir, 'cache'), log: quiet };
  const wheel = mediaProgram('ffmpeg', setup).installed.filter(({ name }) => name === 'Python wheel');
  await expect(firstWorking('ffmpeg', wheel, quiet)).rejects.toThrow(/ended with 1/);
  expect(await readFile(requests, 'utf8')).toMatch(/--require-hashes .*-r \S+ffmpeg-requirements\.txt$/m);
});

describe.runIf(process.platform === 'linux' || process.platform === 'darwin')('the official release of yt-dlp', () => {
  const release = (): Strategy<string>[] =>
    ytdlp({
      env: { PATH: process.env['PATH'], YTDLP_DOWNLOAD_URL: base },
      cacheDir: join(dir, 'cache'),
      log: quiet,
    }).installed.filter(({ name }) => name === 'official release');
  const assets = [
    'yt-dlp_linux',
    'yt-dlp_linux_aarch64',
    'yt-dlp_musllinux',
    'yt-dlp_musllinux_aarch64',
    'yt-dlp_macos',
  ];
  const serve = (sum: string): void => {
    for (const asset of assets) files.set(`/2026.10.26/${asset}`, { body: Buffer.from(YTDLP) });
    files.set('/2026.10.26/SHA2-256SUMS', { body: Buffer.from(assets.map((asset) => `${sum}  ${asset}\n`).join('')) });
  };

  it('is taken when its SHA-256 is the published one', async () => {
    serve(sha256(Buffer.from(YTDLP)));
    const { value: program } = await firstWorking('yt-dlp', release(), quiet);
    expect(await readFile(program, 'utf8')).toBe(YTDLP);
    expect(await readdir(join(program, '..'))).toEqual(['yt-dlp']);
  });

  it('is refused when its SHA-256 is another', async () => {
    serve('0'.repeat(64));
    await expect(firstWorking('yt-dlp', release(), quiet)).rejects.toThrow(/does not have the SHA-256/);
    expect(await readdir(join(dir, 'cache'))).toEqual([]);
  });
});

describe('a Chromium for the tests', () => {
  const setup = (env: Record<string, string> = {}) => ({
    env: { PATH: process.env['PATH'], PLAYWRIGHT_DOWNLOAD_HOST: base, ...env },
    cacheDir: join(dir, 'cache'),
    log: quiet,
  });
  const download = (): Strategy<string>[] =>
    chromium(setup()).installed.filter(({ name }) => name === 'download of playwright-core');
  /** Where the installer looks for the versions that its package is pinned to. */
  const serve = async (script: string): Promise<void> => {
    const playwright = dirname(createRequire(import.meta.url).resolve('playwright-core/package.json'));
    const { browsers } = JSON.parse(await readFile(join(playwright, 'browsers.json'), 'utf8')) as {
      browsers: { name: string; revision: string; browserVersion?: string }[];
    };
    const pinned = (wanted: string) => browsers.find(({ name }) => name === wanted)!;
    const chrome = `/builds/cft/${pinned('chromium').browserVersion!}/linux64/chrome-linux64.zip`;
    files.set(chrome, { body: await zipOf('chrome-linux64/chrome', script) });
    const ffmpeg = `/builds/ffmpeg/${pinned('ffmpeg').revision}/ffmpeg-linux.zip`;
    files.set(ffmpeg, { body: await zipOf('ffmpeg-linux', script) });
  };

  it.runIf(process.platform === 'linux' && process.arch === 'x64')(
    'is the build that playwright-core is pinned to, and is found in the cache from then on',
    async () => {
      await serve('#!/bin/sh\necho "Google Chrome for Testing 159.0.8154.6"\n');
      const { value: program } = await firstWorking('Chromium', download(), quiet);
      expect(program.startsWith(join(dir, 'cache'))).toBe(true);
      const cached = chromium(setup()).found.filter(({ name }) => name === 'in the cache');
      expect(await firstWorking('Chromium', cached, quiet)).toEqual({ by: 'in the cache', value: program });
      await rm(join(dir, 'cache'), { recursive: true });
      await serve('#!/bin/sh\necho something else\n');
      await expect(firstWorking('Chromium', download(), quiet)).rejects.toThrow(/neither Chromium nor Chrome/);
      expect(await readdir(join(dir, 'cache'))).toEqual([]);
    },
  );

  it('that cannot be had is an error that says what to install', async () => {
    const nowhere = setup({ PATH: dir, PLAYWRIGHT_DOWNLOAD_HOST: 'http://127.0.0.1:1' });
    await expect(ensure(chromium(nowhere), nowhere.log)).rejects.toThrow(
      /what would help: install Chromium or Chrome .*CHROMIUM_PATH/,
    );
    const mistaken = chromium(setup({ CHROMIUM_PATH: '/bin/echo' }));
    await expect(ensure(mistaken, nowhere.log)).rejects.toThrow(/neither Chromium nor Chrome/);
  });
});

async function zipOf(name: string, content: string): Promise<Buffer> {
  const folder = await mkdtemp(join(dir, 'zip-'));
  await mkdir(dirname(join(folder, name)), { recursive: true });
  await writeFile(join(folder, name), content, { mode: 0o755 });
  await promisify(execFile)('python3', ['-m', 'zipfile', '-c', 'archive.zip', name.split('/')[0]!], { cwd: folder });
  return readFile(join(folder, 'archive.zip'));
}

async function archiveOf(name: string, content: string): Promise<Buffer> {
  const folder = await mkdtemp(join(dir, 'archive-'));
  await mkdir(dirname(join(folder, name)), { recursive: true });
  await writeFile(join(folder, name), content, { mode: 0o755 });
  await promisify(execFile)('tar', ['-czf', join(folder, 'archive.tar.gz'), '-C', folder, name]);
  return readFile(join(folder, 'archive.tar.gz'));
}

function sha256(data: Buffer): string {
  return createHash('sha256').update(data).digest('hex');
}
