import type { PostAudioJob } from '../../contract/kinds/imgnet-audio.ts';
import { runJob } from '../lifecycle/run-job.ts';
import { withPostContent } from './with-post-content.ts';

/** The audio of each video of a post or reel, as M4A files. */
export function imgnetAudio(input: PostAudioJob) {
  const { recordId, mediaId: shortcode } = input;
  return runJob(input, (useUpstream) => {
    const { post } = input.parameters;
    return withPostContent(useUpstream, { recordId, post }, (contentsId) => {
      const { fetchImgnetAudio } = useUpstream('imgnet-media', `Fetch the audio of ${post.kind} ${shortcode}`);
      return fetchImgnetAudio({ recordId, contentsId, shortcode });
    });
  });
}
