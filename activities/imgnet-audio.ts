import { videoUrlsOf } from './video-urls.ts';
import { streamOf } from '../media/probe.ts';
import { conversionProgress, rejectCutOff, rejectTooLong } from './make-file.ts';
import {
  fetchPostMedia,
  type PostFile,
  type PostMedia,
  type PostMediaDeps,
  type PostMediaOrder,
} from './post-media.ts';
import type { RunningCall } from './source-call.ts';

/** Players reject a file without a frame. */
const LEAST_SECONDS = 0.1;

export function createImgnetAudioActivity(deps: PostMediaDeps) {
  return {
    /**
     * Makes an M4A of each video of a post, in order, and publishes them. A video without sound becomes a silent file; if no
     * video has sound, nothing is published.
     */
    fetchImgnetAudio: (order: PostMediaOrder): Promise<PostMedia> =>
      fetchPostMedia(deps, order, {
        urlsOf: videoUrlsOf,
        make: (path, attempt) => makeAudio(deps, path, attempt),
        complete: async (made, call) => {
          if (made.every(({ isSilence }) => isSilence)) return [];
          // Silent files are written last, once another video is known to have sound.
          for (const { path, durationSeconds = 0 } of made.filter(({ isSilence }) => isSilence)) {
            const seconds = Math.min(Math.max(durationSeconds, LEAST_SECONDS), deps.maxMediaSeconds);
            await deps.media.writeSilence(seconds, path, { ...call, onProgress: () => undefined });
          }
          return made;
        },
      }),
  };
}

async function makeAudio(
  { media, maxMediaSeconds }: PostMediaDeps,
  source: string,
  { call, cameWhole }: { readonly call: RunningCall; readonly cameWhole: boolean },
): Promise<PostFile> {
  const path = `${source}.m4a`;
  const probe = await media.probe(source, call.signal);
  if (!cameWhole) await rejectCutOff(media, { path: source, expectedSeconds: probe.durationSeconds }, call);
  const sound = streamOf(probe, 'audio');
  if (sound === undefined) return { path, durationSeconds: await media.measure(source, call), isSilence: true };
  call.report({ stage: 'converting' });
  const onProgress = conversionProgress(call, probe.durationSeconds);
  const track = { path: source, audioCodec: sound.codec, index: sound.index };
  const durationSeconds = await media.writeM4a(track, path, { ...call, onProgress });
  rejectTooLong(durationSeconds, maxMediaSeconds);
  return { path, durationSeconds, isSilence: false };
}
