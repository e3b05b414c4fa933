import { failureFor, type Failure } from '../contract/failures.ts';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { videoUrlsOf } from './video-urls.ts';
import { optional } from '../runtime/optional.ts';
import { percentOf } from '../runtime/percent.ts';
import type { JobResult, PublishedFile } from '../contract/download-record.ts';
import type { ContentFacts } from '../contract/kinds/imgnet-content.ts';
import { streamOf } from '../media/probe.ts';
import type { Downloader } from '../outbound/download.ts';
import type { ContentsStore } from '../store/records/contents-store.ts';
import { conversionProgress, rejectCutOff, rejectTooLong, type MakerDeps } from './make-file.ts';
import { fetchAndRead, hasExpired, mediaFailure } from './media-failures.ts';
import { withSourceCall, type RunningCall } from './source-call.ts';
import { withSpace } from './with-space.ts';

export interface ImgnetAudioDeps extends MakerDeps {
  readonly contents: ContentsStore;
  readonly downloadMedia: Downloader;
  readonly maxFileBytes: number;
}

export interface PostAudioOrder {
  readonly recordId: string;
  readonly contentsId: string;
  readonly shortcode: string;
}

/** `stale`: the content no longer leads to the media and must be collected again. */
export type PostAudio =
  { readonly state: 'made'; readonly result: JobResult } | { readonly state: 'stale'; readonly failure: Failure };

/** Players reject a file without a frame. */
const LEAST_SECONDS = 0.1;

export function createImgnetAudioActivity(deps: ImgnetAudioDeps) {
  return {
    /**
     * Makes an M4A of each video of a post, in order, and publishes them. A video without sound becomes a silent file; if no
     * video has sound, nothing is published. A retry starts from an empty folder and replaces published files.
     */
    fetchImgnetAudio: (order: PostAudioOrder): Promise<PostAudio> =>
      withSourceCall(deps, order.recordId, (outer) =>
        withSpace(deps.space, outer, async (call) => {
          const content = await deps.contents.facts<ContentFacts>(order.contentsId);
          if (content === undefined) throw new Error(`the contents of record ${order.contentsId} are missing`);
          const urls = videoUrlsOf(content);
          if (urls === undefined) return { state: 'stale', failure: failureFor('mediaAddressesMissing') };
          const made: MadeAudio[] = [];
          for (const [index, url] of urls.entries()) {
            const path = join(call.folder, `video-${String(index)}`);
            try {
              const audio = await fetchAndRead(
                () => fetchVideo(deps, call, { url, path, before: index, total: urls.length }),
                (_fetched, cameWhole) => makeAudio(deps, path, { call, cameWhole }),
              );
              made.push({ ...audio, path: `${path}.m4a`, name: `${order.shortcode}-${String(index + 1)}.m4a` });
            } catch (error) {
              if (hasExpired(error)) return { state: 'stale', failure: failureFor('mediaLinksExpired') };
              throw mediaFailure(error);
            }
            await rm(path);
          }
          if (made.every(({ isSilence }) => isSilence)) return { state: 'made', result: { files: [] } };
          for (const { path, durationSeconds } of made.filter(({ isSilence }) => isSilence)) {
            const seconds = Math.min(Math.max(durationSeconds, LEAST_SECONDS), deps.maxMediaSeconds);
            await deps.media.writeSilence(seconds, path, { ...call, onProgress: () => undefined });
          }
          return { state: 'made', result: await publish(deps, order.recordId, { made, call }) };
        }),
      ),
  };
}

/** Silent files are written last, once another video is known to have sound. */
interface MadeAudio {
  readonly path: string;
  readonly name: string;
  readonly durationSeconds: number;
  readonly isSilence: boolean;
}

/**
 * @param before the number of videos that were fetched already; `total`: of all
 * @throws DownloadError
 */
async function fetchVideo(
  { downloadMedia, maxFileBytes }: ImgnetAudioDeps,
  call: RunningCall,
  { url, path, before, total }: Readonly<Record<'url' | 'path', string> & Record<'before' | 'total', number>>,
): Promise<{ readonly sizes: readonly number[]; readonly cameWhole: true | undefined }> {
  call.report({ stage: 'fetching', percent: percentOf(before / total) });
  await rm(path, { force: true });
  const { sizeBytes, cameWhole } = await downloadMedia(url, {
    path,
    maxBytes: maxFileBytes,
    timeoutMs: call.timeoutMs,
    signal: call.signal,
    onProgress: (bytes, totalBytes) => {
      const percent = totalBytes && percentOf((before + bytes / totalBytes) / total);
      call.report({ stage: 'fetching', bytes, ...optional('totalBytes', totalBytes), ...optional('percent', percent) });
    },
  });
  return { sizes: [sizeBytes], cameWhole };
}

async function makeAudio(
  { media, maxMediaSeconds }: ImgnetAudioDeps,
  source: string,
  { call, cameWhole }: { readonly call: RunningCall; readonly cameWhole: boolean },
): Promise<Pick<MadeAudio, 'durationSeconds' | 'isSilence'>> {
  const probe = await media.probe(source, call.signal);
  if (!cameWhole) await rejectCutOff(media, { path: source, expectedSeconds: probe.durationSeconds }, call);
  const sound = streamOf(probe, 'audio');
  if (sound === undefined) return { durationSeconds: await media.measure(source, call), isSilence: true };
  call.report({ stage: 'converting' });
  const onProgress = conversionProgress(call, probe.durationSeconds);
  const track = { path: source, audioCodec: sound.codec, index: sound.index };
  const durationSeconds = await media.writeM4a(track, `${source}.m4a`, { ...call, onProgress });
  rejectTooLong(durationSeconds, maxMediaSeconds);
  return { durationSeconds, isSilence: false };
}

async function publish(
  { files }: ImgnetAudioDeps,
  recordId: string,
  { made, call }: { readonly made: readonly MadeAudio[]; readonly call: RunningCall },
): Promise<JobResult> {
  call.report({ stage: 'publishing' });
  const published: PublishedFile[] = [];
  for (const { path, name, isSilence } of made) {
    call.signal.throwIfAborted();
    const file = await files.publish(path, { recordId, name }, call.signal);
    published.push(isSilence ? { ...file, isSilence } : file);
  }
  const spoken = made.find(({ isSilence }) => !isSilence);
  return { files: published, ...(spoken === undefined ? {} : { durationSeconds: spoken.durationSeconds }) };
}
