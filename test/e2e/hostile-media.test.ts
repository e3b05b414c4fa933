import { createServer, request as forward, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { imgnetIndex, postUrl } from '../helpers/imgnet.ts';
import { hostileLists } from '../helpers/hostile/lists.ts';
import { hostileMedia } from '../helpers/hostile/media.ts';
import { probe, runTool } from '../helpers/media.ts';
import { RecordedSite } from '../helpers/recorded-site.ts';
import { TestService } from '../helpers/service.ts';

/** Plays a host of our own network: it is on loopback too, and outside of what is allowed here, 127.0.0.1. */
const INNER = '127.0.0.9';
let hits = 0;
let inner: string;
let canary: Server;
let site: RecordedSite;
let datasets: Server;
/** What every link to a video in a record of the photo platform is turned into. */
let videoUrl = '';
let service: TestService;
let folder: string;
let tone: Buffer;
let corpus: Readonly<Record<string, Buffer>>;

const listen = async (server: Server, host: string): Promise<string> => {
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  return `http://${host}:${(server.address() as AddressInfo).port}`;
};

beforeAll(async () => {
  canary = createServer((_, answer) => {
    hits += 1;
    answer.end('the secret of an inner host');
  });
  inner = await listen(canary, INNER);
  site = await RecordedSite.start();
  // Stands before the sandbox's dataset API and changes its records.
  datasets = createServer((asked, answer) => {
    const { url, method, headers } = asked;
    const target = new URL(url ?? '/', service.sandbox.env.IMGNET_API_URL);
    const sent = forward(target, { method, headers: { ...headers, host: target.host } }, (given) => {
      const chunks: Buffer[] = [];
      given.on('data', (chunk: Buffer) => chunks.push(chunk));
      given.on('end', () => {
        const body = Buffer.concat(chunks)
          .toString()
          .replaceAll(/http:[^"]*?\.mp4[^"]*/g, videoUrl);
        answer.writeHead(given.statusCode ?? 500, { 'content-type': given.headers['content-type'] ?? '' }).end(body);
      });
    });
    asked.pipe(sent);
  });
  folder = await mkdtemp(join(tmpdir(), 'tapedeck-hostile-e2e-'));
  corpus = await hostileMedia(folder, '/etc/passwd');
  const args = [...'-v error -f lavfi -i sine=d=3 -c:a aac'.split(' '), join(folder, 'tone.m4a')];
  await runTool(inject('tools').ffmpeg, args);
  tone = await readFile(join(folder, 'tone.m4a'));
  const { videoUrlTemplate, pluginDir = '' } = site.settings();
  service = await TestService.start({
    env: {
      VIDNET_VIDEO_URL: videoUrlTemplate,
      YTDLP_PLUGIN_DIR: pluginDir,
      IMGNET_API_URL: await listen(datasets, '127.0.0.1'),
      ...{ MAX_FILE_BYTES: '30000000', MAX_MEDIA_SECONDS: '600', FETCH_TIMEOUT_SECONDS: '60' },
      ...{ MAX_FETCHES: '4', VIDNET_MAX_JOBS: '20' },
    },
  });
}, 180_000);
afterAll(async () => {
  await service.stop();
  await site.stop();
  for (const server of [canary, datasets]) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
  await rm(folder, { recursive: true, force: true });
});

let count = 0;
/** A video whose media are these. @returns its id */
function publish(format: object, more: object = {}): string {
  count += 1;
  const id = `hostile${String(count).padStart(4, '0')}`;
  const one = { format_id: 'a', ext: 'm4a', acodec: 'mp4a.40.2', vcodec: 'none', ...format };
  site.set(`/recorded/${id}`, { body: { id, title: '%(title)s --exec=id', formats: [one], ...more } });
  return id;
}
function host(name: string, body: Buffer | string): { url: string } {
  const path = `/media/${encodeURIComponent(name)}`;
  site.set(path, { type: 'audio/mp4', body });
  return { url: site.url + path };
}

it(
  'hostile media end their jobs with a sentence, leave nothing, and hold nobody up',
  { timeout: 420_000 },
  async () => {
    const secrets = { neighbour: '/etc/passwd', otherJob: '/etc/hostname', name: 'cookies.txt', canary: inner };
    const lists = hostileLists(secrets);
    const unreadable = /cannot be read|could not be made whole|whole (?:file|recording)|no audio/;
    const cases: (readonly [string, string, RegExp])[] = [
      ...['HLS, absolute file', 'HLS, http', 'ffconcat, absolute', 'DASH, http', 'HTML'].map(
        (name) => [name, publish(host(name, lists[name] ?? '')), unreadable] as const,
      ),
      ...['a reference to a file elsewhere', 'a header that claims 1000 hours', '300 tracks', 'a PNG'].map(
        (name) => [name, publish(host(name, corpus[name] ?? '')), unreadable] as const,
      ),
      ['more than allowed', publish(host('large', Buffer.alloc(40_000_000))), /larger than/],
      ['inner host', publish({ url: `${inner}/a.m4a` }), /must not be called/],
      ['inner host, https', publish({ url: `${inner.replace('http', 'https')}/a.m4a` }), /must not be called/],
      ['metadata', publish({ url: 'http://169.254.169.254/latest/user-data' }), /must not be called/],
      ['other protocol', publish({ url: `rtmp://${INNER}/a` }), /no audio|cannot be read/],
    ];
    const ids = await Promise.all(cases.map(async ([, id]) => (await service.requestAudio(id)).body.data.id));
    // While those are at it: a job of somebody else.
    const good = await service.finishedAudio(publish(host('tone', tone)), undefined, 120_000);
    expect(good).toMatchObject({ status: 'success' });
    expect((await probe(good.audio_url ?? '')).duration).toBeCloseTo(3, 0);

    for (const [index, [name, , sentence]] of cases.entries()) {
      const ended = await service.ended(ids[index] ?? '', 400_000);
      // A MOV that also has its own sound, or one whose duration is a lie, may be made; its bytes are its own then.
      if (ended.status === 'success') expect(name).toMatch(/reference|1000 hours/);
      else expect(ended, name).toMatchObject({ cost: '0.000', response: expect.stringMatching(sentence) as string });
    }
    expect(hits).toBe(0);
    expect((await service.filesOnDisk()).work).toEqual([]);
  },
);

let tried = 0;
describe('a record of the photo platform', () => {
  it.each([
    ['an inner host', () => `${inner}/a.mp4`],
    ['a metadata service', () => 'http://169.254.169.254/latest/user-data'],
    ['a name of a private network', () => 'http://localhost.localdomain/x'],
  ])('that links to %s ends its job', { timeout: 300_000 }, async (_name, link) => {
    videoUrl = link();
    const kinds = ['video', 'reel', 'carousel'];
    const index = await imgnetIndex(service);
    const url = postUrl(index, kinds[tried++ % kinds.length] ?? '');
    const accepted = await service.request<{ data: { id: string } }>('POST', '/api/imgnet/audio', { body: { url } });
    const data = await service.ended(accepted.body.data.id, 240_000);
    expect(data).toMatchObject({
      status: 'failed',
      cost: '0.000',
      response: expect.stringMatching(/must not be called/) as string,
    });
    expect(hits).toBe(0);
    expect((await service.filesOnDisk()).work).toEqual([]);
  });
});
