import type { ChannelJob } from '../contract/jobs.ts';
import { fetchActivities } from './activities.ts';
import { runJob } from './life-cycle.ts';

/** The profile of a channel with the list of its videos. */
export function channel(input: ChannelJob): Promise<void> {
  const { recordId, subjectId, mediaId, parameters } = input;
  return runJob(input, async (inTurn) => {
    const { describeChannel } = fetchActivities(`Find channel ${mediaId}`);
    const look = { recordId, subjectId, channel: parameters.channel };
    const { known } = await inTurn('vidnet-listing', () => describeChannel(look));
    if (known !== undefined) return known;
    const { listChannel } = fetchActivities(`List the videos of channel ${mediaId}`);
    return inTurn('vidnet-listing', () => listChannel({ recordId }));
  });
}
