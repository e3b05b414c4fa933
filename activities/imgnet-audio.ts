import { failureFor, type Failure } from '../contract/failures.ts';
import { unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { videoUrlsOf } from './video-urls.ts';
import { JobError } from '../runtime/job-error.ts';
import { optional } from '../runtime/optional.ts';
import { percentOf } from '../runtime/percent.ts';
import type { JobResult, PublishedFile } from '../contract/download-record.ts';
import type { ContentFacts } from '../contract/kinds/imgnet-content.ts';
import { codecOf, type Probe } from '../media/probe.ts';
import type { Downloader } from '../outbound/download.ts';
import type { ContentsStore } from '../store/records/contents-store.ts';
import { conversionProgress, type MakerDeps } from './make-file.ts';
import { hasExpired, mediaFailure, readingMedia } from './media-failures.ts';
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
            const arrived = await fetchVideo(deps, call, { url, path, before: index, total: urls.length });
            if (!arrived) return { state: 'stale', failure: failureFor('mediaLinksExpired') };
            // The downloader rejects incomplete bodies, so the file is whole.
            const audio = await readingMedia(true, () => makeAudio(deps, path, call));
            made.push({ ...audio, path: `${path}.m4a`, name: `${order.shortcode}-${String(index + 1)}.m4a` });
            await unlink(path);
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
 * @returns false when the link has expired
 * @throws JobError
 */
async function fetchVideo(
  { downloadMedia, maxFileBytes }: ImgnetAudioDeps,
  call: RunningCall,
  { url, path, before, total }: Readonly<Record<'url' | 'path', string> & Record<'before' | 'total', number>>,
): Promise<boolean> {
  call.report({ stage: 'fetching', percent: percentOf(before / total) });
  try {
    await downloadMedia(url, {
      path,
      maxBytes: maxFileBytes,
      timeoutMs: call.timeoutMs,
      signal: call.signal,
      onProgress: (bytes, totalBytes) => {
        const percent = totalBytes && percentOf((before + bytes / totalBytes) / total);
        call.report({
          stage: 'fetching',
          bytes,
          ...optional('totalBytes', totalBytes),
          ...optional('percent', percent),
        });
      },
    });
    return true;
  } catch (error) {
    if (hasExpired(error)) return false;
    throw mediaFailure(error);
  }
}

async function makeAudio(
  { media, maxMediaSeconds }: ImgnetAudioDeps,
  source: string,
  call: RunningCall,
): Promise<Pick<MadeAudio, 'durationSeconds' | 'isSilence'>> {
  const probe = await media.probe(source, call.signal);
  const audioCodec = codecOf(probe, 'audio');
  if (audioCodec === undefined) return { durationSeconds: probe.durationSeconds, isSilence: true };
  if (probe.durationSeconds > maxMediaSeconds) {
    throw new JobError('videoTooLong');
  }
  call.report({ stage: 'converting' });
  const path = `${source}.m4a`;
  const onProgress = conversionProgress(call, probe.durationSeconds);
  await media.writeM4a({ path: source, audioCodec }, path, { ...call, onProgress });

  call.report({ stage: 'verifying' });
  const result = await media.probe(path, call.signal);
  const lostSeconds = soundSeconds(probe) - result.durationSeconds;
  if (codecOf(result, 'audio') !== 'aac' || lostSeconds > Math.max(1, soundSeconds(probe) / 100)) {
    throw new JobError(failureFor('outputIncomplete', { format: 'audio' }));
  }
  return { durationSeconds: result.durationSeconds, isSilence: false };
}

/** The sound of a video may be shorter than its pictures. */
function soundSeconds(probe: Probe): number {
  return probe.streams.find(({ kind }) => kind === 'audio')?.durationSeconds ?? probe.durationSeconds;
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
