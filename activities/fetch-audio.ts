import { join } from 'node:path';
import { JobError } from '../contract/job-error.ts';
import type { JobInput } from '../contract/jobs.ts';
import type { JobResult } from '../contract/records.ts';
import type { Media, Probe } from '../media/ffmpeg.ts';
import type { FetchedMedia, VidnetSource } from '../sources/vidnet/yt-dlp.ts';
import type { FileStore } from '../store/files.ts';
import type { WorkFolders } from '../store/work-folders.ts';
import { classifyFailures } from './failures.ts';
import { withHeartbeat } from './heartbeat.ts';

export interface FetchAudioDeps {
  readonly vidnet: VidnetSource;
  readonly media: Media;
  readonly files: FileStore;
  readonly workFolders: WorkFolders;
  readonly maxMediaSeconds: number;
  readonly fetchTimeoutMs: number;
}

export function createFetchAudioActivity(deps: FetchAudioDeps) {
  return {
    /**
     * Downloads the audio of a video, makes it an M4A, verifies that and publishes it.
     *
     * One activity and not four: the steps share a file on this machine's disk. A repeated run starts from an empty
     * folder and replaces the published file, so it may be repeated at will.
     */
    fetchAudio: (job: Pick<JobInput, 'recordId' | 'mediaId'>): Promise<JobResult> =>
      classifyFailures(() =>
        withHeartbeat(async (report, signal) => {
          const folder = await deps.workFolders.open(job.recordId);
          try {
            const limits = { signal, timeoutMs: deps.fetchTimeoutMs };
            report({ stage: 'fetching' });
            const fetched = await deps.vidnet.fetchAudio(job.mediaId, {
              ...limits,
              folder: folder.path,
              maxMediaSeconds: deps.maxMediaSeconds,
              onProgress: report,
            });

            report({ stage: 'converting' });
            const source = await deps.media.probe(fetched.path, signal);
            const output = join(folder.path, 'output.m4a');
            await deps.media.writeM4a({ path: fetched.path, audioCodec: audioCodecOf(source) }, output, {
              ...limits,
              onProgress: (seconds) => report({ stage: 'converting', ...percentOf(seconds, source.durationSeconds) }),
            });

            report({ stage: 'verifying' });
            const result = await deps.media.probe(output, signal);
            verify(result, fetched, source);

            report({ stage: 'publishing' });
            signal.throwIfAborted();
            const file = await deps.files.publish(output, job.recordId, `${job.mediaId}.m4a`);
            return { durationSeconds: result.durationSeconds, files: [file] };
          } finally {
            await folder.remove();
          }
        }),
      ),
  };
}

function audioCodecOf(probe: Probe): string {
  const audio = probe.streams.find((stream) => stream.kind === 'audio');
  if (audio === undefined) throw new JobError('no_audio', 'The video has no audio.');
  return audio.codec;
}

/** The duration may differ from the stated one by 1 s or 1 %, whichever is more. */
function verify(result: Probe, fetched: FetchedMedia, source: Probe): void {
  audioCodecOf(result);
  const expected = fetched.statedDurationSeconds ?? source.durationSeconds;
  if (Math.abs(result.durationSeconds - expected) > Math.max(1, expected / 100)) {
    throw new JobError('incomplete', 'The video platform sent less or more than the whole recording.');
  }
}

function percentOf(seconds: number, total: number): { percent?: number } {
  return total > 0 ? { percent: Math.min(100, Math.round((seconds / total) * 1000) / 10) } : {};
}
