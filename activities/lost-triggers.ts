import { FAILURE_FAULTS } from '../contract/failures.ts';
import { isWithin } from '../contract/within.ts';
import { JobError } from '../runtime/job-error.ts';
import { UncertainTriggerError, type ImgnetSource, type SnapshotRequest } from '../sources/imgnet/imgnet-source.ts';
import type { RecordStore } from '../store/records/record-store.ts';
import type { OpenClaim, SnapshotKey, SnapshotStore } from '../store/records/snapshot-store.ts';
import { retryLater } from './retry-later.ts';

export const TRIGGER_TIMEOUT_MS = 60_000;
/** After this time the attempt that was starting the snapshot has an answer, or its worker is dead. */
const TRIGGER_IS_OVER_MS = TRIGGER_TIMEOUT_MS + 15_000;
/** After this time a started snapshot is in the provider's list. */
const LISTED_WITHIN_MS = 60_000;
/** For this time an unavailable list is requested again. */
const GIVE_UP_MS = 8 * 60_000;
const LIST_TIMEOUT_MS = 30_000;

interface LostTriggerDeps {
  readonly imgnet: Pick<ImgnetSource, 'startedSince' | 'isOf'>;
  readonly snapshots: Pick<SnapshotStore, 'isFree' | 'takeOver' | 'release'>;
  readonly records: Pick<RecordStore, 'noteProviderRefused'>;
}

/**
 * Finds the snapshot of a request whose answer was lost: one with the same input that no other claim has. It has the
 * wanted rows even if another lost request started it.
 *
 * @returns its ID
 * @throws ApplicationFailure with a retry delay; UncertainTriggerError if the provider's list is unavailable; JobError
 *   `upstream_error` if no snapshot was started, so that another request may be sent
 */
export async function findStarted(
  { imgnet, snapshots, records }: LostTriggerDeps,
  { request, ...key }: SnapshotKey & { readonly request: SnapshotRequest },
  { signal, claimId, sinceMs, endedAtMs: knownEndMs }: OpenClaim & { readonly signal: AbortSignal },
): Promise<string> {
  if (knownEndMs === undefined && isWithin(sinceMs, TRIGGER_IS_OVER_MS, Date.now())) {
    throw retryLater('internal', 'Another attempt is starting the snapshot.');
  }
  const endedAtMs = knownEndMs ?? sinceMs + TRIGGER_IS_OVER_MS;
  const call = { signal, timeoutMs: LIST_TIMEOUT_MS };
  try {
    for (const id of await imgnet.startedSince(request, sinceMs, call)) {
      if (!(await snapshots.isFree(id, claimId)) || !(await imgnet.isOf(id, request, call))) continue;
      if (await snapshots.takeOver(key, claimId, id)) return id;
    }
  } catch (error) {
    if (!(error instanceof JobError)) throw error;
    const isPassing = FAILURE_FAULTS[error.code] === 'upstream' && isWithin(endedAtMs, GIVE_UP_MS, Date.now());
    if (!isPassing) throw new UncertainTriggerError(error);
    throw retryLater('internal', error.message, error.retryAtMs);
  }
  if (isWithin(endedAtMs, LISTED_WITHIN_MS, Date.now())) {
    throw retryLater('internal', 'The dataset API has not listed the snapshot so far.');
  }
  await records.noteProviderRefused(key.recordId, key.part);
  await snapshots.release(key, claimId);
  throw new JobError('datasetNotStarted');
}
