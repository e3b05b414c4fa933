import type { ChannelJob } from '../../contract/kinds/channel.ts';
import { pollActivities } from '../activity-proxies.ts';
import { runJob } from '../lifecycle/run-job.ts';

/** The profile of a channel with the list of its videos. */
export function channel(input: ChannelJob) {
  const { recordId, subjectId, mediaId, parameters } = input;
  const { awaitOtherListing } = pollActivities(`Wait for another job on channel ${mediaId}`);
  return runJob(input, async (useUpstream) => {
    for (;;) {
      const { describeChannel } = useUpstream('vidnet-listing', `Find channel ${mediaId}`);
      const { known, heldBy } = await describeChannel({ recordId, subjectId, channel: parameters.channel });
      if (known !== undefined) return known;
      if (heldBy === undefined) break;
      await awaitOtherListing(heldBy);
    }
    return useUpstream('vidnet-listing', `List the videos of channel ${mediaId}`).listChannel({ recordId });
  });
}
