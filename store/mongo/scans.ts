import type { Collection, Document, Filter, WithId } from 'mongodb';
import { createSemaphore } from '../../runtime/semaphore.ts';

const MAX_CONCURRENT = 2;
const MAX_WAIT_MS = 10_000;
/** A scan of 50,000 records took 6 s on a busy machine. */
export const SCAN_TIMEOUT_MS = 20_000;

/** A filter may scan a whole collection, so concurrent scans are limited. @throws BusyError when too many are waiting */
export function createScans() {
  const semaphore = createSemaphore(MAX_CONCURRENT, MAX_WAIT_MS);
  return <Item extends Document>(
    collection: Collection<Item>,
    { filter, limit }: { readonly filter: Filter<Item>; readonly limit: number },
  ): Promise<readonly WithId<Item>[]> =>
    semaphore.withPermit(() =>
      collection.find(filter, { maxTimeMS: SCAN_TIMEOUT_MS }).sort({ _id: -1 }).limit(limit).toArray(),
    );
}
