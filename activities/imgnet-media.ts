import { rename, rm } from 'node:fs/promises';
import { extname, join } from 'node:path';
import type { JobResult, PublishedFile } from '../contract/download-record.ts';
import { failureFor, type Failure } from '../contract/failures.ts';
import type { ContentFacts } from '../contract/kinds/imgnet-content.ts';
import { UnreadableMediaError } from '../media/media-guard.ts';
import { codecOf } from '../media/probe.ts';
import type { Downloader } from '../outbound/download.ts';
import { JobError } from '../runtime/job-error.ts';
import { readHead } from '../runtime/read-head.ts';
import { optional } from '../runtime/optional.ts';
import { percentOf } from '../runtime/percent.ts';
import type { ContentsStore } from '../store/records/contents-store.ts';
import { LEAST_SECONDS, rejectCutOff, rejectTooLong, writeSound, type MakerDeps } from './make-file.ts';
import { fetchAndRead, hasExpired, mediaFailure } from './media-failures.ts';
import { withSourceCall, type RunningCall } from './source-call.ts';
import { slideUrlsOf, videoUrlsOf } from './video-urls.ts';
import { withSpace } from './with-space.ts';

export interface PostMediaDeps extends MakerDeps {
  readonly contents: ContentsStore;
  readonly downloadMedia: Downloader;
  readonly maxFileBytes: number;
}

export interface PostMediaOrder {
  readonly recordId: string;
  readonly contentsId: string;
  readonly shortcode: string;
}

/** `stale`: the content no longer leads to the media and must be collected again. */
export type PostMedia =
  { readonly state: 'made'; readonly result: JobResult } | { readonly state: 'stale'; readonly failure: Failure };

/** A file that was made of one of the media. Its name in the store gets the ending of the path. */
interface PostFile {
  readonly path: string;
  readonly durationSeconds?: number;
  readonly isSilence: boolean;
}

interface Fetched {
  /** The path of a file that is removed afterwards. */
  readonly source: string;
  readonly cameWhole: boolean;
}

interface PostWork {
  readonly urlsOf: (content: ContentFacts) => readonly string[] | undefined;
  readonly make: (deps: PostMediaDeps, call: RunningCall, fetched: Fetched) => Promise<PostFile>;
  /** @returns what is published of what was made */
  readonly complete?: (made: readonly PostFile[], call: RunningCall) => Promise<readonly PostFile[]>;
}

export const createImgnetMediaActivities = (deps: PostMediaDeps) => ({
  /**
   * Makes an M4A of each video of a post, in order, and publishes them. A video without sound becomes a silent file; if no
   * video has sound, nothing is published.
   */
  fetchImgnetAudio: (order: PostMediaOrder): Promise<PostMedia> =>
    fetchPostMedia(deps, order, {
      urlsOf: videoUrlsOf,
      make: makeAudio,
      complete: async (made, call) => {
        if (made.every(({ isSilence }) => isSilence)) return [];
        // Silent files are written last, once another video is known to have sound.
        for (const { path, durationSeconds = 0 } of made.filter(({ isSilence }) => isSilence)) {
          const seconds = Math.min(Math.max(durationSeconds, LEAST_SECONDS), deps.maxMediaSeconds);
          await deps.media.writeSilence(seconds, path, call);
        }
        return made;
      },
    }),

  /** Publishes the pictures and videos of all slides of a post, in order, as the platform has them. */
  fetchImgnetFiles: (order: PostMediaOrder): Promise<PostMedia> =>
    fetchPostMedia(deps, order, { urlsOf: slideUrlsOf, make: verified }),
});

/** Fetches media of a post one by one, and publishes them. A retry starts from an empty folder and replaces published files. */
function fetchPostMedia(
  deps: PostMediaDeps,
  { recordId, contentsId, shortcode }: PostMediaOrder,
  { urlsOf, make, complete }: PostWork,
): Promise<PostMedia> {
  return withSourceCall(deps, recordId, (outer) =>
    withSpace(deps.space, outer, async (call) => {
      const content = await deps.contents.facts<ContentFacts>(contentsId);
      if (content === undefined) throw new Error(`the contents of record ${contentsId} are missing`);
      const urls = urlsOf(content);
      if (urls === undefined) return { state: 'stale', failure: failureFor('mediaAddressesMissing') };
      const made: PostFile[] = [];
      for (const [index, url] of urls.entries()) {
        const path = join(call.folder, `media-${String(index)}`);
        try {
          const file = await fetchAndRead(
            () => fetchOne(deps, call, { url, path, before: index, total: urls.length }),
            (_fetched, cameWhole) => make(deps, call, { source: path, cameWhole }),
          );
          made.push(file);
          await rm(path, { force: true });
        } catch (error) {
          if (hasExpired(error)) return { state: 'stale', failure: failureFor('mediaLinksExpired') };
          throw mediaFailure(error);
        }
      }
      const files = (await complete?.(made, call)) ?? made;
      call.report({ stage: 'publishing' });
      const published: PublishedFile[] = [];
      for (const [index, { path, isSilence }] of files.entries()) {
        call.signal.throwIfAborted();
        const name = `${shortcode}-${String(index + 1)}${extname(path)}`;
        const file = await deps.files.publish(path, { recordId, name }, call.signal);
        published.push(isSilence ? { ...file, isSilence } : file);
      }
      // The duration is that of the first file with sound.
      const spoken = files.find(({ isSilence }) => !isSilence);
      const result = { files: published, ...optional('durationSeconds', spoken?.durationSeconds) };
      return { state: 'made', result };
    }),
  );
}

/**
 * @param before the number of media that were fetched already; `total`: of all
 * @throws DownloadError
 */
async function fetchOne(
  { downloadMedia, maxFileBytes }: PostMediaDeps,
  call: RunningCall,
  { url, path, before, total }: Readonly<Record<'url' | 'path', string> & Record<'before' | 'total', number>>,
): Promise<{ readonly sizes: readonly number[]; readonly cameWhole: true | undefined }> {
  call.report({ stage: 'fetching', percent: percentOf(before / total) });
  await rm(path, { force: true });
  const { sizeBytes, cameWhole } = await downloadMedia(url, {
    ...{ path, maxBytes: maxFileBytes, timeoutMs: call.timeoutMs, signal: call.signal },
    onProgress: (bytes, totalBytes) => {
      const percent = totalBytes && percentOf((before + bytes / totalBytes) / total);
      call.report({ stage: 'fetching', bytes, ...optional('totalBytes', totalBytes), ...optional('percent', percent) });
    },
  });
  return { sizes: [sizeBytes], cameWhole };
}

async function makeAudio(deps: PostMediaDeps, call: RunningCall, { source, cameWhole }: Fetched): Promise<PostFile> {
  const { media } = deps;
  const path = `${source}.m4a`;
  const probe = await media.probe(source, call.signal);
  if (!cameWhole) await rejectCutOff(media, { path: source, expectedSeconds: probe.durationSeconds }, call);
  if (codecOf(probe, 'audio') === undefined) {
    return { path, durationSeconds: await media.measure(source, call), isSilence: true };
  }
  call.report({ stage: 'converting' });
  const made = await writeSound(deps, call, { source: { path: source, probe }, path });
  rejectTooLong(made.durationSeconds, deps.maxMediaSeconds);
  return { ...made, isSilence: false };
}

const HEAD_BYTES = 12;
/** The first bytes of each format, as Latin-1. Brands are those of ISO base media files (ISO/IEC 23008-12 for pictures). */
const SIGNATURES = {
  jpg: /^\xff\xd8\xff/,
  png: /^\x89PNG\r\n\x1a\n/,
  webp: /^RIFF[^]{4}WEBP/,
  avif: /^[^]{4}ftypavi[fs]/,
  heic: /^[^]{4}ftyp(?:hei[cfmsx]|hev[cmsx]|mif1|msf1)/,
  mp4: /^[^]{4}ftyp/,
} as const;

/** The content decides what a file is, not its URL or Content-Type. */
async function verified(
  { media, maxMediaSeconds }: PostMediaDeps,
  call: RunningCall,
  { source, cameWhole }: Fetched,
): Promise<PostFile> {
  const format = await formatOf(source);
  if (format === undefined) throw new UnreadableMediaError('the file is neither a picture nor an MP4');
  const path = `${source}.${format}`;
  if (format !== 'mp4') {
    if (!cameWhole) throw new JobError('mediaHostIncomplete');
    await rename(source, path);
    return { path, isSilence: true };
  }
  call.report({ stage: 'verifying' });
  const probe = await media.probe(source, call.signal);
  const { durationSeconds } = probe;
  if (codecOf(probe, 'video') === undefined) throw new JobError('noVideo');
  if (!cameWhole) await rejectCutOff(media, { path: source, expectedSeconds: durationSeconds }, call);
  rejectTooLong(durationSeconds, maxMediaSeconds);
  await rename(source, path);
  return { path, isSilence: codecOf(probe, 'audio') === undefined, durationSeconds };
}

async function formatOf(path: string): Promise<keyof typeof SIGNATURES | undefined> {
  const head = (await readHead(path, HEAD_BYTES)).toString('latin1');
  const formats = Object.keys(SIGNATURES) as (keyof typeof SIGNATURES)[];
  return formats.find((format) => SIGNATURES[format].test(head));
}
