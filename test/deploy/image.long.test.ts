import { chown, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AudioResult } from '../../contract/kinds/audio.ts';
import type { SpeakerLabelsBody } from '../../contract/kinds/speaker-labels.ts';
import { defaultCacheDir } from '../../local/engines/cache.ts';
import { startEngines } from '../../local/engines/engines.ts';
import { freePort } from '../../local/engines/ports.ts';
import { ensureTools } from '../../local/engines/tools.ts';
import { BUILT_IN_CATALOGUE, startSandbox, type Sandbox } from '../../local/sandbox/server.ts';
import { INPUT_GUARD, TRANSPORT_STREAM_GUARD } from '../../media/media-guard.ts';
import { buildImage, endAtOnce, PLUGINS, PLUGINS_HERE, type Image } from '../helpers/image.ts';
import { until } from '../helpers/until.ts';

const MAX_MEGABYTES = 700;
const setup = { env: process.env, cacheDir: defaultCacheDir(process.env), log: (line: string) => console.log(line) };
let image: Image;
beforeAll(async () => {
  image = await buildImage(setup);
}, 3_600_000);

describe('the image', () => {
  it('runs as an unprivileged user, and the api by default', () => {
    const { User, Entrypoint, Cmd, WorkingDir } = image.config;
    expect({ User, Cmd, WorkingDir }).toEqual({ User: '1000:1000', Cmd: ['api/main.ts'], WorkingDir: '/app' });
    expect(Entrypoint[0]).toBe('tini');
  });

  it(`is smaller than ${String(MAX_MEGABYTES)} MB`, async () => {
    const told = await image.inTree('du', '--one-file-system', '--summarize', '--block-size=1000000', '/');
    const megabytes = Number.parseInt(told, 10);
    console.log(`the image takes ${String(megabytes)} MB`);
    expect(megabytes).toBeGreaterThan(200);
    expect(megabytes).toBeLessThan(MAX_MEGABYTES);
  });

  it('lists its packages of Debian, Python and npm, and Node', async () => {
    const { components } = JSON.parse(await image.inTree('cat', '/usr/share/sbom.cdx.json')) as {
      components: { name: string; version: string; purl: string }[];
    };
    const installed = (await image.inTree('dpkg-query', '--show', '--showformat', '${db:Status-Status} ${Package}\\n'))
      .split('\n')
      .filter((line) => line.startsWith('installed '))
      .map((line) => line.split(' ')[1]);
    const listed = components.filter(({ purl }) => purl.startsWith('pkg:deb/')).map(({ name }) => name);
    expect(listed.toSorted()).toEqual(installed.toSorted());
    for (const purl of [
      /^pkg:deb\/debian\/ffmpeg@/,
      /^pkg:pypi\/yt-dlp@/,
      /^pkg:npm\/%40temporalio\/worker@/,
      /^pkg:generic\/node@24/,
    ])
      expect(components.filter((one) => purl.test(one.purl))).toHaveLength(1);
  });

  it('has an ffmpeg that reads everything that the media guard accepts', async () => {
    const told = await image.inTree('sh', '-c', 'ffmpeg -v error -decoders && ffmpeg -v error -demuxers');
    const names = new Set([...told.matchAll(/^ [.A-Z]+ +([\w,-]+) /gm)].flatMap(([, name = '']) => name.split(',')));
    const admitted = ['-codec_whitelist', '-format_whitelist'].flatMap((option) =>
      [INPUT_GUARD, TRANSPORT_STREAM_GUARD].flatMap((guard) => guard[guard.indexOf(option) + 1]?.split(',') ?? []),
    );
    expect(admitted).toEqual(expect.arrayContaining(['h264', 'libdav1d', 'matroska', 'mpegts']));
    // Libraries are other ways to decode what it decodes by itself, but AV1.
    expect(admitted.filter((name) => !names.has(name) && !/^lib(?!dav1d)/.test(name))).toEqual([]);
  });

  it('has no npm, no compiler and no development files', async () => {
    const find = ['find', '/app', '/usr/local/bin', '/usr/bin', '-maxdepth', '2'];
    const found = (await image.inTree(...find)).split('\n');
    expect(found).toEqual(expect.arrayContaining(['/app/api/main.ts', '/usr/local/bin/node']));
    for (const path of ['/usr/local/bin/npm', '/usr/bin/gcc', '/app/test', '/app/docs', '/app/node_modules/vitest'])
      expect(found).not.toContain(path);
  });
});

describe('api and worker of the image', () => {
  let folder: string;
  let sandbox: Sandbox;
  let engines: Awaited<ReturnType<typeof startEngines>>;
  let restUrl: string;
  const running: ReturnType<Image['start']>[] = [];
  const told: string[] = [];

  const start = (host: string, env: Readonly<Record<string, string>>, command?: readonly string[]): void => {
    const child = image.start({
      ...{ host, env, dataDir: join(folder, 'data'), plugins: PLUGINS_HERE },
      ...(command === undefined ? {} : { command }),
    });
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (text: Buffer) => told.push(String(text)));
    running.push(child);
  };
  const isOk = (url: string): Promise<true | undefined> =>
    fetch(url, { signal: AbortSignal.timeout(5_000) }).then(
      async (answer) => {
        await answer.body?.cancel();
        return answer.ok ? true : undefined;
      },
      () => undefined,
    );

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tapedeck-image-'));
    const dataDir = join(folder, 'data');
    await mkdir(dataDir);
    // As a new volume is, which takes over the owner of the folder that it covers.
    await chown(dataDir, 1000, 1000);
    const { ffmpeg, ffprobe } = await ensureTools(setup);
    sandbox = await startSandbox({
      ...{ catalogueDir: BUILT_IN_CATALOGUE, cacheDir: join(setup.cacheDir, 'sandbox'), port: 0, ffmpeg, ffprobe },
      log: () => undefined,
    });
    const engineEnv = { ...process.env, TEMPORAL_ADDRESS: '', MONGODB_URI: '', MONGODB_PORT: '0' };
    engines = await startEngines({ ...setup, env: engineEnv, dataDir: join(folder, 'engines'), ports: 'free' });
    const ports = { rest: await freePort(), rpc: await freePort(), worker: await freePort() };
    restUrl = `http://127.0.0.1:${String(ports.rest)}`;
    const env = {
      ...sandbox.env,
      ...{ YTDLP_PLUGIN_DIR: PLUGINS, TEMPORAL_ADDRESS: engines.temporalAddress, MONGODB_URI: engines.mongodbUri },
      ...{ LINK_SECRET: 'l'.repeat(32), RPC_TOKEN: 'r'.repeat(32), PUBLIC_URL: restUrl },
      ...{ PORT: String(ports.rest), RPC_PORT: String(ports.rpc), WORKER_METRICS_PORT: String(ports.worker) },
    };
    start('api', env);
    start('worker', env, ['worker/main.ts']);
    const within = 300_000;
    await until(() => isOk(`${restUrl}/ready`), { what: 'the api', within });
    await until(() => isOk(`http://127.0.0.1:${String(ports.worker)}/readyz`), { what: 'the worker', within });
  }, 900_000);
  afterAll(async () => {
    await Promise.all(running.map(endAtOnce));
    await engines.stop();
    await sandbox.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const ask = async <Result>(path: string, body: Readonly<Record<string, unknown>>): Promise<Result> => {
    const accepted = await fetch(restUrl + path, { method: 'POST', body: JSON.stringify(body) });
    expect(accepted.status).toBe(202);
    return (await accepted.json()) as Result;
  };
  const ended = <Result>(path: string): Promise<Result> =>
    until(
      async () => {
        const answer = await fetch(restUrl + path);
        return answer.status === 200 ? ((await answer.json()) as Result) : undefined;
      },
      { within: 420_000, what: `the end of the job at ${path}` },
    );

  it('fetch the audio of a video, serve the file and label its speakers', async () => {
    const id = sandbox.catalogue.find((video) => video.case === 'ordinary')?.id;
    const { data } = await ask<AudioResult>('/api/downloads/audio', { vidnet_video_id: id });
    const { data: audio } = await ended<AudioResult>(`/downloads/${data.id}`);
    expect(audio).toMatchObject({ status: 'success' });
    const served = await fetch(audio.audio_url ?? '');
    const bytes = Buffer.from(await served.arrayBuffer());
    expect(served.status).toBe(200);
    expect(bytes.subarray(4, 8).toString()).toBe('ftyp');

    await ask('/api/transcriptspeakerid', { transcript_with_speaker_id: audio.id });
    const labels = await ended<SpeakerLabelsBody>(`/api/transcriptspeakerid/${audio.id}`);
    expect(labels.status, JSON.stringify(labels)).toBe('success');
    expect(labels.data.engine).toBe('whisper');
    const lines = labels.data.transcriptsWithTimeStamps;
    expect([...new Set(lines.map(({ speaker }) => speaker))]).toEqual(['Speaker 1', 'Speaker 2']);
    expect(lines.map(({ text }) => text).join(' ')).toMatch(/\b\w{4,} \w{4,}/);
  }, 1_000_000);

  it('serve the console and load the workflows without compiling them', async () => {
    expect(await isOk(`${restUrl}/console`)).toBe(true);
    expect(told.join('')).not.toMatch(/EROFS|read-only file system/);
  });
});
