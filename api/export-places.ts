import { ApiError } from '../contract/errors.ts';

/** Each holds a piece or two of a transcript, about a megabyte. */
const PLACES = 16;
const WAIT_MS = 2_000;
const RETRY_AFTER_SECONDS = 5;
/** A reader that takes nothing for as long does not count any more, nor one that left before its first chunk. */
const LEASE_MS = 30_000;

export interface ExportPlaces {
  /**
   * Waits a moment for a place.
   *
   * @returns the same chunks, the place is given back after the last of them, or when nobody reads on
   * @throws ApiError `unavailable` with the time to ask again
   */
  enter(chunks: () => AsyncGenerator<string>): Promise<AsyncGenerator<string>>;
}

/** Few transcripts are written as files at once: each takes as much of the processor as it can get. */
export function createExportPlaces(places = PLACES, waitMs = WAIT_MS): ExportPlaces {
  let taken = 0;
  const waiting = new Set<() => void>();
  const free = (): void => {
    const [next] = waiting;
    if (next === undefined) taken -= 1;
    else next();
  };
  const place = (): Promise<void> =>
    new Promise((resolve, reject) => {
      if (taken < places) {
        taken += 1;
        resolve();
        return;
      }
      const onFree = (): void => {
        clearTimeout(timer);
        waiting.delete(onFree);
        resolve();
      };
      const timer = setTimeout(() => {
        waiting.delete(onFree);
        reject(tooMany());
      }, waitMs);
      waiting.add(onFree);
    });
  return {
    async enter(chunks) {
      await place();
      const lease = leaseOf(free);
      return leased(chunks, lease);
    },
  };
}

interface Lease {
  renew(): void;
  end(): void;
}

function leaseOf(free: () => void): Lease {
  let isOver = false;
  const end = (): void => {
    clearTimeout(timer);
    if (!isOver) free();
    isOver = true;
  };
  const timer = setTimeout(end, LEASE_MS).unref();
  return { renew: () => (isOver ? undefined : timer.refresh()), end };
}

async function* leased(chunks: () => AsyncGenerator<string>, lease: Lease): AsyncGenerator<string> {
  try {
    for await (const chunk of chunks()) {
      lease.renew();
      yield chunk;
    }
  } finally {
    lease.end();
  }
}

function tooMany(): ApiError {
  return new ApiError('unavailable', 'Too many transcripts are being written as files; ask again in a moment.', {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
}
