import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { pack as packTar } from 'tar-stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CatalogueModel } from '../../speech/models/catalogue.ts';
import { runModels } from '../../speech/models/model-commands.ts';
import { findSherpaModels, findVadModel } from '../../speech/sherpa/find-models.ts';
import { useTinyModels } from '../helpers/tiny-models.ts';

const tiny = useTinyModels();
const execute = promisify(execFile);
const LIST = 'checksum.txt';
const common = { description: 'of the tests', licence: 'MIT', release: 'asr-models' };
const WHISPER: CatalogueModel = { ...common, name: 'whisper', role: 'recogniser', file: 'whisper.tar.bz2' };
const SEGMENTATION: CatalogueModel = { ...common, name: 'segments', role: 'segmentation', file: 'segments.tar.bz2' };
const EMBEDDING: CatalogueModel = { ...common, name: 'voices', role: 'embedding', file: 'voices.onnx' };
const VAD: CatalogueModel = { ...common, name: 'silero-vad', role: 'vad', file: 'silero_vad.onnx' };
const CATALOGUE = [WHISPER, SEGMENTATION, EMBEDDING, VAD];

let folder: string;
let modelsDir: string;
let server: Server;
let baseUrl: string;
let files: Map<string, Buffer>;
/** The number of bytes after which the server cuts off a response. */
let cutAfterBytes: number;
let requests: { path: string; range: string | undefined }[];
let said: string[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tapedeck-models-'));
  modelsDir = join(folder, 'models');
  [files, cutAfterBytes, requests, said] = [new Map(), Infinity, [], []];
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
  const path = decodeURIComponent(url).replace('/asr-models/', '');
  requests.push({ path, range: headers.range });
  const body = files.get(path);
  if (body === undefined) return void response.writeHead(404).end();
  const etag = `"${sha256(body).slice(0, 16)}"`;
  const wanted = /^bytes=(\d+)-$/.exec(headers.range ?? '');
  const from = wanted !== null && headers['if-range'] === etag ? Number(wanted[1]) : 0;
  const rest = body.subarray(from);
  response.writeHead(from > 0 ? 206 : 200, {
    ...{ etag, 'content-length': rest.length },
    ...(from > 0 ? { 'content-range': `bytes ${from}-${body.length - 1}/${body.length}` } : {}),
  });
  if (rest.length > cutAfterBytes && path !== LIST) {
    response.write(rest.subarray(0, cutAfterBytes), () => response.destroy());
  } else response.end(rest);
}

const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');
const archiveOf = async (source: string, ...names: string[]): Promise<Buffer> => {
  const path = join(folder, 'archive.tar.bz2');
  // The archives of sherpa-onnx contain one folder.
  await execute('tar', ['-cjf', path, '-C', source, ...names]);
  return readFile(path);
};
/** Bytes that make an ONNX model larger (field 6, doc_string). */
const comment = (bytes: number): Buffer => {
  const length = [(bytes & 0x7f) | 0x80, ((bytes >> 7) & 0x7f) | 0x80, bytes >> 14];
  return Buffer.concat([Buffer.from([(6 << 3) | 2, ...length]), Buffer.alloc(bytes, 'x')]);
};
const publish = (name: string, body: Buffer, sum = sha256(body)): void => {
  files.set(name, body);
  files.set(LIST, Buffer.from(`${files.get(LIST)?.toString() ?? ''}${name}\t${sum}\n`));
};
const models = (command: string, ...names: string[]): Promise<boolean> =>
  runModels(command, names, {
    ...{ modelsDir, baseUrl, isLive: false, catalogue: CATALOGUE },
    ...{ say: (line: string) => said.push(line), signal: new AbortController().signal },
  });
const installed = async (): Promise<string[]> => (await readdir(modelsDir)).filter((name) => !name.startsWith('.'));

describe('npm run models', () => {
  it('installs the models of the engine, reports the progress, and needs no network afterwards', async () => {
    publish(WHISPER.file, await archiveOf(tiny.folder, 'tiny-whisper'));
    publish(SEGMENTATION.file, await archiveOf(tiny.folder, 'tiny-segmentation'));
    publish(EMBEDDING.file, await readFile(join(tiny.folder, 'tiny-embedding', 'tiny_embedding.onnx')));
    publish(VAD.file, Buffer.from('stands for the model'));
    // A run that was killed while it unpacked has left this folder.
    await mkdir(join(modelsDir, '.whisper.0123456789ab.tmp'), { recursive: true });
    expect(await models('install', ...CATALOGUE.map(({ name }) => name))).toBe(true);
    expect(said).toContainEqual(expect.stringMatching(/^whisper: fetched .* of .* MB$/));
    expect(said).toContainEqual(expect.stringMatching(/^whisper: unpacked 100 %$/));
    expect((await readdir(join(modelsDir, '.downloads'))).length).toBe(0);
    expect((await readdir(modelsDir)).filter((name) => name.endsWith('.tmp'))).toEqual([]);

    await new Promise((resolve) => server.close(resolve));
    requests = [];
    const found = await findSherpaModels({ speechModelsDir: modelsDir });
    expect(found).toMatchObject({
      names: ['whisper', 'segments', 'voices'],
      recogniser: {
        kind: 'whisper',
        encoder: join(modelsDir, 'whisper', 'tiny-encoder.onnx'),
        languages: ['en', 'de'],
      },
    });
    expect(await findVadModel(modelsDir)).toBe(join(modelsDir, 'silero-vad', 'silero_vad.onnx'));
    expect(await models('verify')).toBe(true);
    expect(await models('install', 'whisper')).toBe(true);
    expect(said.at(-1)).toBe('whisper: already installed (licence: MIT)');
    said = [];
    expect(await models('list')).toBe(true);
    expect(said.join('\n')).toMatch(/installed +whisper +recogniser +0\.0 MB +MIT +of the tests/);
    expect(requests).toEqual([]);
  });

  it('continues an interrupted download, in the same run and in the next', async () => {
    const model = await readFile(join(tiny.folder, 'tiny-embedding', 'tiny_embedding.onnx'));
    const body = Buffer.concat([model, comment(2_000_000)]);
    publish(EMBEDDING.file, body);
    cutAfterBytes = 900_000;
    const offsets = (): number[] =>
      requests.filter(({ path }) => path === EMBEDDING.file).map(({ range }) => Number(/\d+/.exec(range ?? '0')?.[0]));
    expect(await models('install', 'voices')).toBe(true);
    expect(offsets().length).toBeGreaterThanOrEqual(3);
    expect(offsets()).toEqual([...new Set(offsets())].sort((a, b) => a - b));
    expect(body.equals(await readFile(join(modelsDir, 'voices', EMBEDDING.file)))).toBe(true);

    await rm(modelsDir, { recursive: true });
    requests = [];
    const abort = new AbortController();
    const say = (line: string): void => {
      if (/fetched 0\.[6-9]/.test(line)) abort.abort(new Error('stopped by the test'));
    };
    const options = { modelsDir, baseUrl, isLive: false, say, signal: abort.signal, catalogue: CATALOGUE };
    await expect(runModels('install', ['voices'], options)).rejects.toThrow('stopped by the test');
    expect(await installed()).toEqual([]);
    expect(offsets()).toEqual([0]);
    expect(await models('install', 'voices')).toBe(true);
    expect(offsets()[1]).toBeGreaterThan(0);
    expect(await models('verify')).toBe(true);
  });

  it('restarts the download if the file has changed since the interruption', async () => {
    await mkdir(join(modelsDir, '.downloads'), { recursive: true });
    const part = join(modelsDir, '.downloads', `${EMBEDDING.file}.part`);
    await writeFile(part, 'of an older file');
    const url = `${baseUrl}/asr-models/${EMBEDDING.file}`;
    await writeFile(`${part}.json`, JSON.stringify({ url, validator: '"older"' }));
    publish(EMBEDDING.file, await readFile(join(tiny.folder, 'tiny-embedding', 'tiny_embedding.onnx')));
    expect(await models('install', 'voices')).toBe(true);
    expect(requests.find(({ path }) => path === EMBEDDING.file)?.range).toBe('bytes=16-');
    expect(await models('verify')).toBe(true);
  });

  it('rejects and deletes a file without the published checksum', async () => {
    const body = await archiveOf(tiny.folder, 'tiny-whisper');
    publish(WHISPER.file, body, '0'.repeat(64));
    await expect(models('install', 'whisper')).rejects.toThrow(/has the SHA-256 .* not the release's checksum, 0000/);
    expect(await installed()).toEqual([]);
    expect(await readdir(join(modelsDir, '.downloads'))).toEqual([]);
  });

  it('records the checksum of a download if the release has none, and rejects another file later', async () => {
    files.set(SEGMENTATION.file, await archiveOf(tiny.folder, 'tiny-segmentation'));
    expect(await models('install', 'segments')).toBe(true);
    expect(said).toContain(
      'segments.tar.bz2: the release has no checksum for it; the checksum of this download is recorded',
    );
    await rm(join(modelsDir, 'segments', 'model.onnx'));
    files.set(SEGMENTATION.file, await archiveOf(tiny.folder, 'tiny-segmentation', 'tiny-embedding'));
    await expect(models('install', 'segments')).rejects.toThrow(/which is not that of the previous installation/);
  });

  it('finds changed files, and reinstalls them if their size differs', async () => {
    publish(SEGMENTATION.file, await archiveOf(tiny.folder, 'tiny-segmentation'));
    await models('install', 'segments');
    const path = join(modelsDir, 'segments', 'model.onnx');
    const right = await readFile(path);
    await writeFile(path, Buffer.alloc(right.length));
    await cp(join(tiny.folder, 'tiny-parakeet'), join(modelsDir, 'own'), { recursive: true });
    expect(await models('verify')).toBe(false);
    expect(said).toContain('segments: damaged, model.onnx has other contents');
    expect(said).toContain('own: not verified, because it was installed manually');
    await writeFile(path, 'short');
    expect(await models('install', 'segments')).toBe(true);
    expect(await readFile(path)).toEqual(right);
  });

  it.each([
    ['a name that leads out', /leads elsewhere/, { name: 'model/../../outside.onnx' }],
    ['an absolute name', /leads elsewhere/, { name: '/tmp/outside.onnx' }],
    ['a link', /holds a symlink/, { name: 'model/link.onnx', type: 'symlink', linkname: '/etc/hostname' }],
    ['a hard link', /holds a link/, { name: 'model/link.onnx', type: 'link', linkname: '../../secret' }],
    ['a device', /holds a character-device/, { name: 'model/device.onnx', type: 'character-device' }],
    ['one name twice', /holds model\/first\.onnx twice/, { name: 'model/first.onnx' }],
    ['a file beside its folder', /beside its folder/, { name: 'outside.onnx' }],
  ] as const)('rejects an archive with %s', async (_, message, header) => {
    const pack = packTar();
    pack.entry({ name: 'model/first.onnx' }, 'first');
    if ('type' in header) pack.entry(header);
    else pack.entry(header, 'second');
    pack.finalize();
    const path = join(folder, 'packed.tar');
    await writeFile(path, await buffer(pack));
    await execute('bzip2', [path]);
    publish(WHISPER.file, await readFile(`${path}.bz2`));
    await expect(models('install', 'whisper')).rejects.toThrow(message);
    expect(await readdir(modelsDir)).toEqual(['.downloads']);
    expect((await readdir(folder)).sort()).toEqual(['models', 'packed.tar.bz2']);
  });

  it('rejects a truncated archive and one with another kind of model', async () => {
    const body = await archiveOf(tiny.folder, 'tiny-whisper');
    publish(WHISPER.file, body.subarray(0, body.length / 2));
    await expect(models('install', 'whisper')).rejects.toThrow(
      /whisper\.tar\.bz2 cannot be unpacked: it is cut off or damaged \(.+\)\. It was removed; fetch it again by npm run models -- install whisper/,
    );
    expect(await readdir(join(modelsDir, '.downloads'))).toEqual([]);
    files.clear();
    publish(WHISPER.file, await archiveOf(tiny.folder, 'tiny-segmentation'));
    await expect(models('install', 'whisper')).rejects.toThrow('whisper.tar.bz2 is not a supported recogniser model');
    expect(await installed()).toEqual([]);
  });

  it.each([
    ['in an entry', 'model/zeros.onnx'],
    ['in one that is left out', 'model/test_wavs/zeros.wav'],
  ])('rejects an archive that expands too much: %s', async (_, name) => {
    const pack = packTar();
    pack.entry({ name }, Buffer.alloc(30_000_000));
    pack.finalize();
    const path = join(folder, 'packed.tar');
    await writeFile(path, await buffer(pack));
    await execute('bzip2', [path]);
    publish(WHISPER.file, await readFile(`${path}.bz2`));
    await expect(models('install', 'whisper')).rejects.toThrow(/more than 20.* MB would come of its 0\.0 MB/);
    expect(await readdir(modelsDir)).toEqual(['.downloads']);
    expect(await readdir(join(modelsDir, '.downloads'))).toEqual([]);
  });

  it('reports an unknown command or model, a missing file and an unreachable server', async () => {
    await expect(models('instal')).rejects.toThrow('there is no command instal');
    await expect(models('install', 'huge')).rejects.toThrow('there is no model huge');
    await expect(models('install', 'whisper')).rejects.toThrow(/whisper\.tar\.bz2 answered 404/);
    await new Promise((resolve) => server.close(resolve));
    await expect(models('install', 'whisper')).rejects.toThrow(/cannot fetch .*checksum\.txt \(.*ECONNREFUSED/);
  });
});
