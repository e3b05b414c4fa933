import type { ChannelJob } from '../../contract/kinds/channel.ts';
import { pollActivities } from '../activity-proxies.ts';
import type { JobEnd } from '../lifecycle/job-end.ts';
import { runJob } from '../lifecycle/run-job.ts';

/** A list of ten thousands takes minutes; behind a pause of the platform, hours. */
const MAX_WAIT = '3 hours';

/** The profile of a channel with the list of its videos. */
export function channel(input: ChannelJob): Promise<JobEnd> {
  const { recordId, subjectId, mediaId, parameters } = input;
  return runJob(input, async (useUpstream) => {
    const { awaitOtherListing } = pollActivities(`Wait for another job on channel ${mediaId}`, MAX_WAIT);
    for (;;) {
      const look = { recordId, subjectId, channel: parameters.channel };
      const { describeChannel } = useUpstream('vidnet-listing', `Find channel ${mediaId}`);
      const { known, heldBy } = await describeChannel(look);
      if (known !== undefined) return known;
      if (heldBy === undefined) break;
      await awaitOtherListing(heldBy);
    }
    return useUpstream('vidnet-listing', `List the videos of channel ${mediaId}`).listChannel({ recordId });
  });
}
