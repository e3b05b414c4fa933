import type { PostAudioJob } from '../../contract/kinds/imgnet-audio.ts';
import { records } from '../activity-proxies.ts';
import { upstreamFailure } from '../lifecycle/job-outcome.ts';
import { runJob } from '../lifecycle/run-job.ts';
import { collect } from './collect-snapshot.ts';

/** The platform's links expire after hours or days. If those of a new collection have expired, another one will not help. */
const MAX_COLLECTIONS = 2;

/** The audio of each video of a post or reel, as M4A files. */
export function imgnetAudio(input: PostAudioJob) {
  const { recordId, mediaId: shortcode, parameters } = input;
  return runJob(input, async (useUpstream) => {
    const { post } = parameters;
    const title = `${post.kind} ${shortcode}`;
    let contentsId = await records.findFreshContent(shortcode);
    for (let collections = 0; ;) {
      if (contentsId === undefined) {
        collections += 1;
        const order = { recordId, part: `content-${collections}`, request: post, title };
        await collect(useUpstream, order, ({ storeContent }, snapshot) => storeContent({ snapshot, post }));
        contentsId = recordId;
      }
      const { fetchImgnetAudio } = useUpstream('imgnet-media', `Fetch the audio of ${title}`);
      const fetched = await fetchImgnetAudio({ recordId, contentsId, shortcode });
      if (fetched.state === 'made') return fetched.result;
      if (collections === MAX_COLLECTIONS) throw upstreamFailure(fetched.failure);
      contentsId = undefined;
    }
  });
}
