import type { PostAudioJob } from '../../contract/kinds/imgnet-audio.ts';
import { runJob } from '../lifecycle/run-job.ts';
import { fetchOfPost } from './fetch-of-post.ts';

/** The audio of each video of a post or reel, as M4A files. */
export function imgnetAudio(input: PostAudioJob) {
  const { recordId } = input;
  return runJob(input, (useUpstream) => fetchOfPost(useUpstream, 'audio', { recordId, post: input.parameters.post }));
}
