import type { Collection, Document, Filter, WithId } from 'mongodb';
import { createSemaphore } from '../../runtime/semaphore.ts';

const AT_ONCE = 2;
const MAX_WAIT_MS = 10_000;
/** Of 50,000 records on a busy machine a scan took 6 s. */
export const SCAN_TIMEOUT_MS = 20_000;

/**
 * Reads pages of listings, the greatest ids first. Such a filter may make the database read all it has, however little is
 * shown: so a few do at a time, and none for long.
 *
 * @throws BusyError when too many came before
 */
export function createScans() {
  const semaphore = createSemaphore(AT_ONCE, MAX_WAIT_MS);
  return <Item extends Document>(
    collection: Collection<Item>,
    { filter, limit }: { readonly filter: Filter<Item>; readonly limit: number },
  ): Promise<readonly WithId<Item>[]> =>
    semaphore.withPermit(() =>
      collection.find(filter, { maxTimeMS: SCAN_TIMEOUT_MS }).sort({ _id: -1 }).limit(limit).toArray(),
    );
}
