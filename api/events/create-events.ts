import { LIST_MAX_ITEMS } from '../../contract/limits.ts';
import type { ServiceDeps } from '../service-deps.ts';
import { currentJob } from '../use-cases/current-job.ts';
import { listed } from '../use-cases/list-downloads.ts';
import { subscriberOf } from '../use-cases/subscribers.ts';
import { createDownloadFeeds } from './download-feeds.ts';
import { createJobWatches, LOOK_LIMITS, type LookLimits } from './job-watches.ts';

/** What streams of events are told by, once in each process. */
export function createEvents(
  deps: Pick<ServiceDeps, 'records' | 'keyDownloads' | 'jobs' | 'stopping' | 'now' | 'log'>,
  limits: LookLimits = LOOK_LIMITS,
): Pick<ServiceDeps, 'watches' | 'feeds'> {
  const { records, keyDownloads, now, log } = deps;
  const watches = createJobWatches({
    look: async (id) => {
      const record = await records.get(id);
      if (record === undefined) throw new Error(`record ${id} is missing`);
      return currentJob(deps, record, 0);
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
      // One by one they are found without a scan, and there are few new ones.
      const ids = await keyDownloads.list(caller.key.id, { limit });
      const found = await Promise.all(ids.filter((id) => !known.has(id)).map((id) => records.get(id)));
      return { ids, records: found.filter((record) => record !== undefined) };
    },
    sharerOf: subscriberOf,
    ...{ now, log, limits },
  });
  return { watches, feeds };
}
