import { createDeliverActivity, type DeliverDeps } from './deliver-webhook.ts';
import { createFetchAudioActivity, type FetchDeps } from './fetch-audio.ts';
import { createFetchVideoActivity } from './fetch-video.ts';
import { createRecordActivities, type RecordDeps } from './records.ts';

/** Light activities, on the queue of the workflows. */
export type RecordActivities = ReturnType<typeof createRecordActivities>;
/** Downloads, on a queue of their own: a few slots a worker. */
export type FetchActivities = ReturnType<typeof createFetchAudioActivity> & ReturnType<typeof createFetchVideoActivity>;
/** Webhooks, on a queue of their own: a slow receiver must not hold up a record. */
export type DeliverActivities = ReturnType<typeof createDeliverActivity>;

/** All activities, grouped by the task queue that runs them. */
export function createActivities(deps: RecordDeps & FetchDeps & DeliverDeps) {
  return {
    records: createRecordActivities(deps),
    fetch: { ...createFetchAudioActivity(deps), ...createFetchVideoActivity(deps) },
    deliver: createDeliverActivity(deps),
  };
}
