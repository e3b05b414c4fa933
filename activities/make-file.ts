import { failureFor } from '../contract/failures.ts';
import { join } from 'node:path';
import { JobError } from '../runtime/job-error.ts';
import { percentOf } from '../runtime/percent.ts';
import type { JobInput } from '../contract/job-input.ts';
import type { MediaPage } from '../contract/kinds/media.ts';
import type { JobResult } from '../contract/download-record.ts';
import type { Media, MediaSource } from '../media/ffmpeg.ts';
import { UnreadableMediaError } from '../media/media-guard.ts';
import { codecOf, type Probe } from '../media/probe.ts';
import type { FetchedMedia, FetchOptions, VidnetSource } from '../sources/vidnet/yt-dlp/yt-dlp-source.ts';
import type { FileStore } from '../store/files/file-store.ts';
import type { SpaceGuard } from '../store/files/free-space.ts';
import { readingMedia } from './media-failures.ts';
import { withSourceCall, type RunningCall, type SourceCallDeps } from './source-call.ts';
import { withSpace } from './with-space.ts';
import { titled } from './record-title.ts';

export interface MakerDeps extends SourceCallDeps {
  readonly files: FileStore;
  readonly space: SpaceGuard;
  readonly media: Media;
  readonly maxMediaSeconds: number;
}

export interface FetchDeps extends MakerDeps {
  readonly vidnet: VidnetSource;
}

export type FetchJob = Pick<JobInput, 'recordId' | 'mediaId'>;
type Format = MediaPage['format'];

const EXTENSIONS = { audio: 'm4a', video: 'mp4' } as const;

/**
 * Fetches a file into a private folder, converts, verifies and publishes it. These steps are one activity because they
 * share files on this machine's disk. A retry starts from an empty folder and replaces the published file.
 */
export function fetchFile(
  deps: FetchDeps,
  { recordId, mediaId }: FetchJob,
  { format, fetch }: { readonly format: Format; readonly fetch: (options: FetchOptions) => Promise<FetchedMedia> },
): Promise<JobResult> {
  return withSourceCall(deps, recordId, (call) =>
    withSpace(deps.space, call, async (attempt) => {
      attempt.report({ stage: 'fetching' });
      const { maxMediaSeconds, fetchTimeoutMs: timeoutMs } = deps;
      const limits = { signal: attempt.signal, timeoutMs };
      const options = { ...limits, folder: attempt.folder, maxMediaSeconds, onProgress: attempt.report };
      const fetched = await fetch(options);
      const made = await readingMedia(fetched.cameWhole, async () => {
        const copied = format === 'audio' ? await copyM4a(deps, attempt, fetched) : undefined;
        if (copied !== undefined) return copied;
        const paths = await Promise.all(fetched.paths.map((path) => deps.media.rewrap(path, limits)));
        return make(deps, attempt, { ...fetched, paths, format });
      });
      attempt.report({ stage: 'publishing' });
      attempt.signal.throwIfAborted();
      const name = `${mediaId}.${EXTENSIONS[format]}`;
      const file = await deps.files.publish(made.path, { recordId, name }, attempt.signal);
      return { durationSeconds: made.durationSeconds, files: [file], ...titled(fetched.title) };
    }),
  );
}

/**
 * Copies an M4A with AAC, the most common source, without probing it first. The finished file shows whether that was right.
 *
 * @returns undefined for any other source, which must be probed
 * @throws JobError
 */
async function copyM4a(
  { media, fetchTimeoutMs: timeoutMs }: FetchDeps,
  attempt: RunningCall,
  { paths: [source = ''], statedDurationSeconds: expectedSeconds }: FetchedMedia,
) {
  if (expectedSeconds === undefined || !source.endsWith('.m4a')) return undefined;
  const { signal } = attempt;
  attempt.report({ stage: 'converting' });
  const path = join(attempt.folder, `output.${EXTENSIONS.audio}`);
  try {
    const onProgress = conversionProgress(attempt, expectedSeconds);
    await media.writeM4a({ path: source, audioCodec: 'aac' }, path, { signal, timeoutMs, onProgress });
  } catch (error) {
    if (error instanceof UnreadableMediaError) return undefined;
    throw error;
  }
  attempt.report({ stage: 'verifying' });
  const result = await media.probeM4a(path, signal);
  if (result.codec !== 'aac') return undefined;
  verifyDuration(result, expectedSeconds);
  return { path, durationSeconds: result.durationSeconds };
}

async function make(
  { media, fetchTimeoutMs: timeoutMs }: FetchDeps,
  attempt: RunningCall,
  { format, ...fetched }: FetchedMedia & { readonly format: Format },
) {
  const { signal } = attempt;
  attempt.report({ stage: 'converting' });
  const sources: MediaSource[] = [];
  for (const path of fetched.paths) sources.push({ path, probe: await media.probe(path, signal) });
  // Pictures and sound may be in separate files.
  const having = (kind: Format) => sources.find(({ probe }) => codecOf(probe, kind) !== undefined);
  const [pictures, sound] = [format === 'video' ? having('video') : undefined, having('audio')];
  const main = format === 'video' ? pictures : sound;
  if (main === undefined) {
    if (format === 'audio') throw new JobError('noAudio');
    throw new JobError('noVideo');
  }
  const path = join(attempt.folder, `output.${EXTENSIONS[format]}`);
  const options = { signal, timeoutMs, onProgress: conversionProgress(attempt, main.probe.durationSeconds) };
  if (pictures !== undefined) await media.writeMp4({ pictures, sound }, path, options);
  else await media.writeM4a({ path: main.path, audioCodec: codecOf(main.probe, 'audio') ?? '' }, path, options);

  attempt.report({ stage: 'verifying' });
  const result = await media.probe(path, signal);
  const hasPictures = codecOf(result, 'video') === 'h264';
  const hasSound = codecOf(result, 'audio') === 'aac';
  if (hasPictures !== (pictures !== undefined) || hasSound !== (sound !== undefined)) {
    throw new JobError(failureFor('outputIncomplete', { format }));
  }
  const expectedSeconds = fetched.statedDurationSeconds ?? main.probe.durationSeconds;
  verifyDuration(result, expectedSeconds);
  const cameApart = pictures !== undefined && sound !== undefined && sound !== pictures;
  if (cameApart && !fetched.isSizeVerified) verifyEachStream(result, expectedSeconds);
  return { path, durationSeconds: result.durationSeconds };
}

/** @returns a function that reports the progress of a conversion */
export function conversionProgress(attempt: RunningCall, totalSeconds: number): (seconds: number) => void {
  return (seconds) => {
    const percent = totalSeconds > 0 ? { percent: percentOf(seconds / totalSeconds) } : {};
    attempt.report({ stage: 'converting', ...percent });
  };
}

/** The duration may differ from the stated one by 1 s or 1 %, whichever is more. @throws JobError `incomplete` */
function verifyDuration({ durationSeconds }: Pick<Probe, 'durationSeconds'>, expectedSeconds: number): void {
  if (Math.abs(durationSeconds - expectedSeconds) > Math.max(1, expectedSeconds / 100)) {
    throw new JobError('durationWrong');
  }
}

/**
 * Checks that pictures and sound from separate files are both complete, because a truncated one would not change the total
 * duration. The finished file is probed, since a fragmented source states the full duration even when half is missing.
 * Streams whose sizes were verified are not checked: some recordings end with pictures without sound.
 */
function verifyEachStream(result: Probe, expectedSeconds: number): void {
  for (const { durationSeconds = result.durationSeconds } of result.streams) {
    verifyDuration({ durationSeconds }, expectedSeconds);
  }
}
