import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { BlockList } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MockActivityEnvironment } from '@temporalio/testing';
import { ulid } from 'ulid';
import { inject } from 'vitest';
import { createMediaActivity } from '../../activities/media.ts';
import type { JobResult } from '../../contract/download-record.ts';
import type { MediaOptions } from '../../contract/kinds/media-options.ts';
import { createMedia } from '../../media/ffmpeg.ts';
import { PROXY_LIMITS, startForwardProxy } from '../../outbound/forward-proxy.ts';
import type { SponsorBlock } from '../../sources/vidnet/sponsorblock.ts';
import type { YtdlpSettings } from '../../sources/vidnet/yt-dlp/yt-dlp-settings.ts';
import { createYtdlpSource } from '../../sources/vidnet/yt-dlp/yt-dlp-source.ts';
import { createDiskFiles } from '../../store/files/disk-files.ts';
import { createSpaceGuard } from '../../store/files/free-space.ts';
import { createWorkFolders } from '../../store/files/work-folders.ts';
import { runTool } from './media.ts';
import { RecordedSite } from './recorded-site.ts';

export const MP4 = ['-movflags', '+faststart'] as const;
const LIMITS = { maxFileBytes: 200_000_000, maxMediaSeconds: 3 * 3_600, maxVideoHeight: 1080 };

interface Order {
  /** A page under `/recorded/`. */
  readonly id?: string;
  /** Another page. */
  readonly path?: string;
  readonly segments?: SponsorBlock['segments'];
}

export type MediaMaker = Awaited<ReturnType<typeof startMediaMaker>>;

/** A web site on loopback, and the activity that makes the files of its pages. */
export async function startMediaMaker(settings: Pick<YtdlpSettings, 'minimumRate'> & Partial<typeof LIMITS> = {}) {
  const { ffmpeg, ffprobe } = inject('tools');
  const limits = { ...LIMITS, ...settings };
  const folder = await mkdtemp(join(tmpdir(), 'tapedeck-media-'));
  const files = join(folder, 'files');
  const site = await RecordedSite.start();
  const allowedNetworks = new BlockList();
  allowedNetworks.addAddress('127.0.0.1');
  const proxy = await startForwardProxy({ ...PROXY_LIMITS, allowedNetworks });
  let received = (): number => 0;
  const lend = () => {
    const lent = proxy.lend();
    received = lent.receivedBytes;
    return lent;
  };
  const deps = {
    files: createDiskFiles(files),
    space: createSpaceGuard({ folders: [folder], minFreeBytes: 0 }),
    workFolders: createWorkFolders(join(folder, 'work')),
    media: createMedia({ ffmpeg, ffprobe, ...limits }),
    vidnet: createYtdlpSource(site.settings({ guard: { lend }, ffmpeg, ...limits })),
    ...{ maxMediaSeconds: limits.maxMediaSeconds, fetchTimeoutMs: 60_000 },
  };
  return {
    site,
    folder,
    /** @returns the bytes that the last job received */
    received: () => received(),
    /** Writes a file with ffmpeg, and serves it. @returns its path */
    add: async (name: string, type: string, args: readonly string[]): Promise<string> => {
      const path = join(folder, name);
      await runTool(ffmpeg, ['-v', 'error', ...args, path]);
      site.set(`/${name}`, { type, body: await readFile(path) });
      return path;
    },
    /** Serves the files that ffmpeg wrote beside others. */
    serve: async (names: RegExp, type: string): Promise<void> => {
      for (const name of (await readdir(folder)).filter((one) => names.test(one))) {
        site.set(`/${name}`, { type, body: await readFile(join(folder, name)) });
      }
    },
    /** A format of a page. */
    format: (name: string, facts: object): object => ({
      ...{ format_id: name, url: `${site.url}/${name}`, ext: name.split('.')[1], protocol: 'http', ...facts },
    }),
    make: async (
      format: 'audio' | 'video',
      options: MediaOptions | undefined,
      { id = 'talk', path: page = `recorded/${id}`, segments = () => Promise.resolve([]) }: Order = {},
    ) => {
      const activity = createMediaActivity({ ...deps, sponsorBlock: { segments } });
      const recordId = ulid();
      const order = {
        ...{ recordId, mediaId: '4e'.repeat(16) },
        page: { url: `${site.url}/${page}`, format, options, videoId: 'k3fP0aTz9Qw' },
      };
      const result: JobResult = await new MockActivityEnvironment().run(activity.fetchMedia, order as never);
      const [file] = result.files!;
      const path = join(files, recordId, file!.name);
      const facts = await factsOf(path);
      return {
        ...facts,
        ...{ path, name: file!.downloadName ?? file!.name, encoding: file!.encoding },
        statedSeconds: result.durationSeconds,
      };
    },
    stop: async (): Promise<void> => {
      await proxy.close();
      await site.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

interface Shown {
  readonly format: { readonly duration: string; readonly tags?: Readonly<Record<string, string>> };
  readonly chapters: readonly {
    readonly start_time: string;
    readonly end_time: string;
    readonly tags?: { readonly title?: string };
  }[];
  readonly streams: readonly {
    readonly codec_name?: string;
    readonly codec_type: string;
    readonly height?: number;
    readonly nb_read_packets?: string;
    readonly tags?: Readonly<Record<string, string>>;
  }[];
}

/** Reads the facts of a file by ffprobe. */
async function factsOf(path: string) {
  const args = '-v error -show_format -show_streams -show_chapters -count_packets -of json'.split(' ');
  const shown = await runTool(inject('tools').ffprobe, [...args, path]);
  const { format, streams, chapters } = JSON.parse(shown.toString()) as Shown;
  const all = { ...streams.find((one) => one.codec_type === 'audio')?.tags, ...format.tags };
  return {
    seconds: Number(format.duration),
    tags: Object.fromEntries(Object.entries(all).map(([name, value]) => [name.toLowerCase(), value])),
    chapters: chapters.map(
      ({ start_time, end_time, tags }) => [tags?.title ?? '', Number(start_time), Number(end_time)] as const,
    ),
    streams: streams
      .filter(({ codec_type }) => ['video', 'audio', 'subtitle', 'attachment'].includes(codec_type))
      .map(({ codec_name = 'file', height = 0 }) => (height === 0 ? codec_name : `${codec_name} ${String(height)}`))
      .toSorted(),
    /** The number of pictures. */
    pictures: Number(streams.find(({ codec_type }) => codec_type === 'video')?.nb_read_packets ?? 0),
    languages: streams.filter(({ codec_type }) => codec_type !== 'video').map(({ tags }) => tags?.['language']),
  };
}
