import { LIST_MAX_ITEMS } from '../../contract/request-limits.ts';
import type { ServiceDeps } from '../service-deps.ts';
import { currentJob } from '../use-cases/current-job.ts';
import { listed } from '../use-cases/downloads.ts';
import { subscriberOf } from '../use-cases/subscribers.ts';
import { createDownloadFeeds } from './download-feeds.ts';
import { createJobWatches, WATCH_LIMITS, type WatchLimits } from './job-watches.ts';

export function createEvents(
  deps: Pick<ServiceDeps, 'records' | 'keyDownloads' | 'jobs' | 'stopping' | 'now' | 'log'>,
  limits: WatchLimits = WATCH_LIMITS,
): Pick<ServiceDeps, 'watches' | 'feeds'> {
  const { records, keyDownloads, jobs, now, log } = deps;
  // A follower receives each change within a second. A cached status would delay it.
  const followed = {
    ...deps,
    jobs: { ...jobs, status: (job: Parameters<typeof jobs.status>[0]) => jobs.status(job, 0) },
  };
  const watches = createJobWatches({
    readJob: async (id) => {
      const record = await records.get(id);
      if (record === undefined) throw new Error(`record ${id} is missing`);
      return currentJob(followed, record, 0);
    },
    ...{ now, log, limits },
  });
  const feeds = createDownloadFeeds({
    watches,
    open: async (caller, filter) => (await listed(deps, caller, filter)).records,
    newest: async (caller, known) => {
      const limit = LIST_MAX_ITEMS;
      if (caller.kind !== 'key') {
        const { records: all } = await listed(deps, caller, { limit });
        return { ids: all.map(({ id }) => id), records: all };
      }
      // There are few new records, and each is found by its ID without a scan.
      const ids = await keyDownloads.list(caller.key.id, { limit });
      const found = await Promise.all(ids.filter((id) => !known.has(id)).map((id) => records.get(id)));
      return { ids, records: found.filter((record) => record !== undefined) };
    },
    listIdOf: subscriberOf,
    ...{ now, log, limits },
  });
  return { watches, feeds };
}
