import { createServer, request as forward, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import type { AudioResult } from '../../../contract/kinds/audio.ts';
import { probe, runTool } from '../media.ts';
import { RecordedSite } from '../recorded-site.ts';
import { TestService } from '../service.ts';
import { until } from '../until.ts';
import { imgnetIndex, postUrl } from '../imgnet.ts';
import { hostileLists } from './lists.ts';
import { hostileMedia } from './media.ts';

/** Plays a host of our own network: it is on loopback too, and outside of what is allowed here, 127.0.0.1. */
const INNER = '127.0.0.9';
type Ended = AudioResult['data'];
const WITHIN = { timeout: 420_000 };
const FORBIDDEN = /must not be called/;
const UNREADABLE = /cannot be read|in a format|whole (?:file|recording)|no audio/;

export interface HostileForm {
  /** Names of hostileLists(). */
  readonly lists: readonly string[];
  /** Names of hostileMedia(). */
  readonly media: readonly string[];
  /** What records of the photo platform link to. */
  readonly links: readonly HostileLink[];
  /** Whether jobs are let be until they give up; otherwise they are cancelled once they have been refused. */
  readonly toTheEnd: boolean;
}

const LINKS = {
  'an inner host': (inner: string) => `${inner}/a.mp4`,
  'a metadata service': () => 'http://169.254.169.254/latest/user-data',
  'a name of a private network': () => 'http://localhost.localdomain/x',
} as const;
export type HostileLink = keyof typeof LINKS;
export const HOSTILE_LINKS = Object.keys(LINKS) as HostileLink[];
const POST_KINDS = ['video', 'reel', 'carousel'] as const;

/** A whole service on hosts that mean it ill. */
export function describeHostileHosts({ lists, media, links, toTheEnd }: HostileForm): void {
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
    datasets = createServer((request, answer) => {
      const { url, method, headers } = request;
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
      request.pipe(sent);
    });
    folder = await mkdtemp(join(tmpdir(), 'tapedeck-hostile-e2e-'));
    corpus = await hostileMedia(folder, '/etc/passwd', media);
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

  /** Looks until the job has ended, or has been refused and waits to be tried again: then it is cancelled. */
  async function endOf(video: string, id: string): Promise<{ readonly ended: Ended; readonly refusal: string }> {
    let refusal = '';
    await until(
      async () => {
        if ((await service.getDownload(id)).status === 200) return true;
        if (toTheEnd) return false;
        const { progress } = (await service.getDownload(id)).body.data;
        refusal = progress?.until === undefined ? '' : (progress.reason ?? '');
        return refusal !== '';
      },
      { within: 400_000, what: `the end of ${video}` },
    );
    if (refusal !== '') await fetch(`${service.stack.restUrl}/downloads/${id}`, { method: 'DELETE' });
    return { ended: await service.ended(id, 60_000), refusal };
  }

  it('hostile media end their jobs with a sentence, leave nothing, and hold nobody up', WITHIN, async () => {
    const secrets = { neighbour: '/etc/passwd', otherJob: '/etc/hostname', name: 'cookies.txt', canary: inner };
    const bodies: Readonly<Record<string, Buffer | string>> = { ...hostileLists(secrets), ...corpus };
    const cases: (readonly [string, string, RegExp])[] = [
      ...[...lists, ...media].map((name) => [name, publish(host(name, bodies[name] ?? '')), UNREADABLE] as const),
      ['more than allowed', publish(host('large', Buffer.alloc(40_000_000))), /larger than/],
      ['inner host', publish({ url: `${inner}/a.m4a` }), FORBIDDEN],
      ['inner host, https', publish({ url: `${inner.replace('http', 'https')}/a.m4a` }), FORBIDDEN],
      ['metadata', publish({ url: 'http://169.254.169.254/latest/user-data' }), FORBIDDEN],
      ['other protocol', publish({ url: `rtmp://${INNER}/a` }), /no audio|cannot be read/],
    ];
    const ids = await Promise.all(cases.map(async ([, video]) => (await service.requestAudio(video)).body.data.id));
    // While those are at it: a job of somebody else.
    const good = await service.finishedAudio(publish(host('tone', tone)), undefined, 120_000);
    expect(good).toMatchObject({ status: 'success' });
    expect((await probe(good.audio_url ?? '')).duration).toBeCloseTo(3, 0);

    for (const [index, [name, video, sentence]] of cases.entries()) {
      const { ended, refusal } = await endOf(video, ids[index] ?? '');
      // A MOV that also has its own sound, or one whose duration is a lie, may be made; its bytes are its own then.
      if (ended.status === 'success') expect(name).toMatch(/reference|1000 hours/);
      else {
        const response = refusal === '' ? (expect.stringMatching(sentence) as string) : 'The job was cancelled.';
        expect(ended, name).toMatchObject({ cost: '0.000', response });
        if (refusal !== '') expect(refusal, name).toMatch(sentence);
      }
    }
    expect(hits).toBe(0);
    expect((await service.filesOnDisk()).work).toEqual([]);
  });

  it.each(links)('a record of the photo platform that links to %s ends its job', WITHIN, async (link) => {
    videoUrl = LINKS[link](inner);
    const index = await imgnetIndex(service);
    const url = postUrl(index, POST_KINDS[links.indexOf(link) % POST_KINDS.length] ?? '');
    const accepted = await service.request<{ data: { id: string } }>('POST', '/api/imgnet/audio', { body: { url } });
    const data = await service.ended(accepted.body.data.id, 240_000);
    const response = expect.stringMatching(FORBIDDEN) as string;
    expect(data).toMatchObject({ status: 'failed', cost: '0.000', response });
    expect(hits).toBe(0);
    expect((await service.filesOnDisk()).work).toEqual([]);
  });
}
