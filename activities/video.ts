import { join } from 'node:path';
import { JobError } from '../runtime/job-error.ts';
import type { JobResult } from '../contract/records.ts';
import { codecOf, type Probe } from '../media/probe.ts';
import { conversionProgress, runAttempt, verifyDuration, type FetchJob, type MadeFile } from './fetch-attempt.ts';
import { fetchReporting, type FetchDeps, type MediaToMake } from './audio.ts';
import type { FetchedMedia } from '../sources/vidnet/yt-dlp.ts';
import { readingMedia } from './media-failures.ts';
import type { RunningCall } from './source-call.ts';

export function createFetchVideoActivity(deps: FetchDeps) {
  return {
    /** Downloads the pictures and the sound of a video, makes them one MP4, verifies that and publishes it. */
    fetchVideo: (job: FetchJob): Promise<JobResult> =>
      runAttempt(deps, job, (attempt) =>
        makeVideo(deps, attempt, {
          name: `${job.mediaId}.mp4`,
          fetch: (options) => deps.vidnet.fetchVideo(job.mediaId, options),
        }),
      ),
  };
}

/** Makes an MP4 in the attempt's folder, and verifies it. @throws JobError */
export async function makeVideo(
  deps: FetchDeps,
  attempt: RunningCall,
  { name, fetch }: MediaToMake,
): Promise<MadeFile> {
  const fetched = await fetchReporting(deps, attempt, fetch);
  return readingMedia(fetched.cameWhole, () => writeVideo(deps, attempt, { ...fetched, name }));
}

async function writeVideo(
  deps: FetchDeps,
  attempt: RunningCall,
  { name, ...fetched }: FetchedMedia & { readonly name: string },
): Promise<MadeFile> {
  attempt.report({ stage: 'converting' });
  const { pictures, sound } = await chooseStreams(deps, fetched.paths, attempt);
  const path = join(attempt.folder, 'output.mp4');
  const onProgress = conversionProgress(attempt, pictures.probe.durationSeconds);
  const limits = { signal: attempt.signal, timeoutMs: deps.fetchTimeoutMs };
  await deps.media.writeMp4({ pictures, sound }, path, { ...limits, onProgress });

  attempt.report({ stage: 'verifying' });
  const result = await deps.media.probe(path, attempt.signal);
  const hasSound = codecOf(result, 'audio') === 'aac';
  if (codecOf(result, 'video') !== 'h264' || hasSound !== (sound !== undefined)) {
    throw new JobError('incomplete', 'The video could not be made whole.');
  }
  const expectedSeconds = fetched.statedDurationSeconds ?? pictures.probe.durationSeconds;
  verifyDuration(result, expectedSeconds);
  const cameApart = sound !== undefined && sound.path !== pictures.path;
  if (cameApart && !fetched.isSizeVerified) verifyEachStream(result, expectedSeconds);
  return { path, name, durationSeconds: result.durationSeconds };
}

/**
 * Pictures and sound that came as two files must both be as long as the whole: one of them may have been cut short, and
 * the other one hides it. The finished file is looked at, since a fragmented source states the duration of the whole
 * even when half of it is missing.
 *
 * Not where the sizes are known to be right: there are recordings whose sound ends before the pictures do.
 */
function verifyEachStream(result: Probe, expectedSeconds: number): void {
  for (const { durationSeconds = result.durationSeconds } of result.streams) {
    verifyDuration({ ...result, durationSeconds }, expectedSeconds);
  }
}

interface Source {
  readonly path: string;
  readonly probe: Probe;
}

/** The platform sends pictures and sound apart, or both in one file. */
async function chooseStreams(
  { media }: FetchDeps,
  paths: readonly string[],
  { signal }: RunningCall,
): Promise<{ pictures: Source; sound: Source | undefined }> {
  const sources: Source[] = [];
  for (const path of paths) sources.push({ path, probe: await media.probe(path, signal) });
  const pictures = sources.find(({ probe }) => codecOf(probe, 'video') !== undefined);
  if (pictures === undefined) throw new JobError('no_video', 'There are no pictures, only sound.');
  return { pictures, sound: sources.find(({ probe }) => codecOf(probe, 'audio') !== undefined) };
}
