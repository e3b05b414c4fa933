import { join } from 'node:path';
import { JobError } from '../runtime/job-error.ts';
import type { JobResult } from '../contract/records.ts';
import type { Media } from '../media/ffmpeg.ts';
import { codecOf } from '../media/probe.ts';
import type { FetchedMedia, FetchOptions, VidnetSource } from '../sources/vidnet/yt-dlp.ts';
import {
  conversionProgress,
  runAttempt,
  verifyDuration,
  type AttemptDeps,
  type FetchJob,
  type MadeFile,
} from './fetch-attempt.ts';
import { readingMedia } from './media-failures.ts';
import type { RunningCall } from './source-call.ts';

export interface FetchDeps extends AttemptDeps {
  readonly vidnet: VidnetSource;
  readonly media: Media;
  readonly maxMediaSeconds: number;
}

export function createFetchAudioActivity(deps: FetchDeps) {
  return {
    /** Downloads the audio of a video, makes it an M4A, verifies that and publishes it. */
    fetchAudio: (job: FetchJob): Promise<JobResult> =>
      runAttempt(deps, job, (attempt) =>
        makeAudio(deps, attempt, {
          name: `${job.mediaId}.m4a`,
          fetch: (options) => deps.vidnet.fetchAudio(job.mediaId, options),
        }),
      ),
  };
}

/** How the media of an attempt are had, and the name of the file that is made of them. */
export interface MediaToMake {
  readonly name: string;
  readonly fetch: (options: FetchOptions) => Promise<FetchedMedia>;
}

/** Makes an M4A in the attempt's folder, and verifies it. @throws JobError */
export async function makeAudio(
  deps: FetchDeps,
  attempt: RunningCall,
  { name, fetch }: MediaToMake,
): Promise<MadeFile> {
  const fetched = await fetchReporting(deps, attempt, fetch);
  return readingMedia(fetched.cameWhole, () => writeAudio(deps, attempt, { ...fetched, name }));
}

async function writeAudio(
  deps: FetchDeps,
  attempt: RunningCall,
  { name, ...fetched }: FetchedMedia & { readonly name: string },
): Promise<MadeFile> {
  attempt.report({ stage: 'converting' });
  const [fetchedPath = ''] = fetched.paths;
  const source = await deps.media.probe(fetchedPath, attempt.signal);
  const audioCodec = codecOf(source, 'audio');
  if (audioCodec === undefined) throw new JobError('no_audio', 'The video has no audio.');
  const path = join(attempt.folder, 'output.m4a');
  const onProgress = conversionProgress(attempt, source.durationSeconds);
  const limits = { signal: attempt.signal, timeoutMs: deps.fetchTimeoutMs };
  await deps.media.writeM4a({ path: fetchedPath, audioCodec }, path, { ...limits, onProgress });

  attempt.report({ stage: 'verifying' });
  const result = await deps.media.probe(path, attempt.signal);
  if (codecOf(result, 'audio') !== 'aac') throw new JobError('incomplete', 'The audio could not be made whole.');
  verifyDuration(result, fetched.statedDurationSeconds ?? source.durationSeconds);
  return { path, name, durationSeconds: result.durationSeconds };
}

export async function fetchReporting(
  deps: FetchDeps,
  attempt: RunningCall,
  fetch: MediaToMake['fetch'],
): Promise<FetchedMedia> {
  attempt.report({ stage: 'fetching' });
  const limits = { signal: attempt.signal, timeoutMs: deps.fetchTimeoutMs };
  const fetched = await fetch({
    ...limits,
    folder: attempt.folder,
    maxMediaSeconds: deps.maxMediaSeconds,
    onProgress: attempt.report,
  });
  return { ...fetched, paths: await Promise.all(fetched.paths.map((path) => deps.media.rewrap(path, limits))) };
}
