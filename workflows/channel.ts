import type { ChannelJob } from '../contract/kinds/channel.ts';
import { fetchActivities, pollActivities } from './activities.ts';
import { runJob } from './life-cycle.ts';

/** A list of ten thousands takes minutes; behind a pause of the platform, hours. */
const MAX_WAIT = '3 hours';

/** The profile of a channel with the list of its videos. */
export function channel(input: ChannelJob): Promise<void> {
  const { recordId, subjectId, mediaId, parameters } = input;
  return runJob(input, async (withPermit) => {
    const { describeChannel } = fetchActivities(`Find channel ${mediaId}`);
    const { awaitOtherListing } = pollActivities(`Wait for another job on channel ${mediaId}`, MAX_WAIT);
    for (;;) {
      const look = { recordId, subjectId, channel: parameters.channel };
      const { known, heldBy } = await withPermit('vidnet-listing', () => describeChannel(look));
      if (known !== undefined) return known;
      if (heldBy === undefined) break;
      await awaitOtherListing(heldBy);
    }
    const { listChannel } = fetchActivities(`List the videos of channel ${mediaId}`);
    return withPermit('vidnet-listing', () => listChannel({ recordId }));
  });
}
