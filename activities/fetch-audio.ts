import { join } from 'node:path';
import { JobError } from '../runtime/job-error.ts';
import type { JobResult } from '../contract/records.ts';
import type { Media } from '../media/ffmpeg.ts';
import { codecOf } from '../media/probe.ts';
import type { VidnetSource } from '../sources/vidnet/yt-dlp.ts';
import { conversionProgress, runAttempt, verifyDuration, type AttemptDeps, type FetchJob } from './fetch-attempt.ts';

export interface FetchDeps extends AttemptDeps {
  readonly vidnet: VidnetSource;
  readonly media: Media;
  readonly maxMediaSeconds: number;
}

export function createFetchAudioActivity(deps: FetchDeps) {
  return {
    /** Downloads the audio of a video, makes it an M4A, verifies that and publishes it. */
    fetchAudio: (job: FetchJob): Promise<JobResult> =>
      runAttempt(deps, job, async (attempt) => {
        const limits = { signal: attempt.signal, timeoutMs: deps.fetchTimeoutMs };
        attempt.report({ stage: 'fetching' });
        const fetched = await deps.vidnet.fetchAudio(job.mediaId, {
          ...limits,
          folder: attempt.folder,
          maxMediaSeconds: deps.maxMediaSeconds,
          onProgress: attempt.report,
        });

        attempt.report({ stage: 'converting' });
        const [fetchedPath = ''] = fetched.paths;
        const source = await deps.media.probe(fetchedPath, attempt.signal);
        const audioCodec = codecOf(source, 'audio');
        if (audioCodec === undefined) throw new JobError('no_audio', 'The video has no audio.');
        const path = join(attempt.folder, 'output.m4a');
        const onProgress = conversionProgress(attempt, source.durationSeconds);
        await deps.media.writeM4a({ path: fetchedPath, audioCodec }, path, { ...limits, onProgress });

        attempt.report({ stage: 'verifying' });
        const result = await deps.media.probe(path, attempt.signal);
        if (codecOf(result, 'audio') !== 'aac') throw new JobError('incomplete', 'The audio could not be made whole.');
        verifyDuration(result, fetched.statedDurationSeconds ?? source.durationSeconds);
        return { path, name: `${job.mediaId}.m4a`, durationSeconds: result.durationSeconds };
      }),
  };
}
