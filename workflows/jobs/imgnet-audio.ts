import type { PostAudioJob } from '../../contract/kinds/imgnet-audio.ts';
import { records } from '../activity-proxies.ts';
import { collect } from './collect-snapshot.ts';
import type { JobEnd } from '../lifecycle/job-end.ts';
import { runJob } from '../lifecycle/run-job.ts';
import { upstreamFailure } from '../lifecycle/job-outcome.ts';

/** The platform's links last for hours or days: what is expired once is a matter of time, twice in a row it is not. */
const MAX_COLLECTIONS = 2;

/** The audio of each video of a post or reel, as M4A files. */
export function imgnetAudio(input: PostAudioJob): Promise<JobEnd> {
  const { recordId, mediaId: shortcode, parameters } = input;
  return runJob(input, async (useUpstream) => {
    const { post } = parameters;
    const title = `${post.kind} ${shortcode}`;
    let contentsId = await records.findFreshContent(shortcode);
    for (let collections = 0; ;) {
      if (contentsId === undefined) {
        collections += 1;
        const order = { recordId, part: `content-${collections}`, request: post, title };
        await collect(useUpstream, order, (snapshot) =>
          useUpstream('imgnet-dataset', `Keep ${title}`, 'beside').storeContent({ snapshot, post }),
        );
        contentsId = recordId;
      }
      const order = { recordId, contentsId, shortcode };
      const audio = await useUpstream('imgnet-media', `Fetch the audio of ${title}`).fetchImgnetAudio(order);
      if (audio.state === 'made') return audio.result;
      if (collections === MAX_COLLECTIONS) throw upstreamFailure(audio.failure);
      contentsId = undefined;
    }
  });
}
