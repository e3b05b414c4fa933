import type { JobInput } from '../../contract/jobs.ts';
import type { JobResult } from '../../contract/records.ts';
import type { RouteNames } from '../../runtime/pacing.ts';
import { fetchActivities } from '../../workflows/activities.ts';
import { createUpstreams } from '../../workflows/upstreams.ts';

// The entry of a workflow bundle of its own.

/** A job that waits for a platform as all jobs do, but for seconds instead of a day. */
export function impatient(job: JobInput, routes: RouteNames, patienceMs: number): Promise<JobResult> {
  const { recordId, mediaId } = job;
  const nothing = (): void => undefined;
  const events = { onWork: nothing, onUpstreamFailure: nothing, onShortage: nothing };
  const useUpstream = createUpstreams(job, routes, { ...events, patienceMs });
  return useUpstream('vidnet-page', (place) =>
    fetchActivities(place, `Fetch the audio of video ${mediaId}`).fetchAudio({ recordId, mediaId }),
  );
}
