import { setTimeout as sleep } from 'node:timers/promises';
import { FAILURE_FAULTS } from '../contract/failures.ts';
import { SNAPSHOT_LOST } from '../runtime/failure-types.ts';
import { startDeadline } from '../runtime/deadline.ts';
import { JobError } from '../runtime/job-error.ts';
import {
  SnapshotLostError,
  SnapshotNotReadyError,
  UncertainTriggerError,
  type ImgnetSource,
  type SnapshotPage,
  type SnapshotRequest,
} from '../sources/imgnet/imgnet-source.ts';
import type { ContentsStore } from '../store/records/contents-store.ts';
import type { RecordStore } from '../store/records/record-store.ts';
import type { SnapshotKey, SnapshotStore } from '../store/records/snapshot-store.ts';
import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { msOptionalToNumber } from '@temporalio/common/lib/time.js';
import type { ActivityProgress } from '../contract/job-input.ts';
import { classifyFailures } from './to-application-failure.ts';
import { withHeartbeat } from './heartbeat.ts';
import { findStarted, TRIGGER_TIMEOUT_MS } from './lost-triggers.ts';
import { LATER, retryLater } from './retry-later.ts';

export interface SnapshotDeps {
  readonly imgnet: ImgnetSource;
  readonly snapshots: SnapshotStore;
  readonly fetchTimeoutMs: number;
}

export interface KeepingDeps extends SnapshotDeps {
  readonly contents: ContentsStore;
  readonly records: Pick<RecordStore, 'noteContents' | 'noteOwners'>;
}

export interface TriggerDeps extends SnapshotDeps {
  readonly records: Pick<RecordStore, 'recordProviderCall' | 'noteProviderRefused'>;
  /** Aborted when the worker is about to stop. */
  readonly stopping: AbortSignal;
}

export interface SnapshotOrder extends SnapshotKey {
  readonly request: SnapshotRequest;
}

export interface StartedSnapshot extends SnapshotKey {
  readonly snapshotId: string;
}

/** A snapshot that can be read. `isEmpty`: the provider reports no rows. */
export interface ReadySnapshot extends StartedSnapshot {
  readonly isEmpty: boolean;
}

/** Shorter than the activity's startToCloseTimeout, so that the failure names the slow request. */
const POLL_TIMEOUT_MS = 30_000;
const KEEPING_RETRY_MS = 1_000;
/** A list takes up to an hour. */
const MAX_COLLECTING_MS = 65 * 60_000;
/** Delays between polls. Most snapshots are ready within seconds. */
const POLL_DELAYS_SECONDS = [2, 3, 5, 10, 15] as const;
const LAST_POLL_DELAY_SECONDS = 30;

export type SnapshotSteps = ReturnType<typeof createSnapshotSteps>;

export function createSnapshotSteps(deps: TriggerDeps) {
  const { imgnet, snapshots, records } = deps;
  return {
    /**
     * Starts a snapshot exactly once, because it costs money. A repeated call returns the snapshot that was started. If the
     * provider's answer was lost, its list of snapshots is searched. From now on the job is charged even when it is
     * cancelled, unless the provider refuses.
     *
     * @throws UncertainTriggerError when the provider does not say whether it started
     */
    triggerSnapshot: (order: SnapshotOrder): Promise<StartedSnapshot> =>
      classifyFailures(() =>
        withHeartbeat(async (_report, signal) => {
          const key = { recordId: order.recordId, part: order.part };
          // Recorded first, so that a job that is stopped at any later moment is charged.
          if (!(await records.recordProviderCall(key.recordId, key.part))) {
            throw new JobError('stoppedBeforeSnapshot');
          }
          const claim = await snapshots.claim(key, Date.now());
          if (claim.state === 'started') return { ...key, snapshotId: claim.snapshotId };
          if (claim.state === 'theirs')
            return { ...key, snapshotId: await findStarted(deps, order, { ...claim, signal }) };
          const { claimId } = claim;
          const snapshotId = await send(deps, order, { claimId, key });
          // A paid snapshot must not be lost while the database is unreachable.
          for (;;) {
            try {
              await snapshots.started(key, claimId, snapshotId);
              return { ...key, snapshotId };
            } catch (error) {
              if (signal.aborted) throw error;
              await sleep(KEEPING_RETRY_MS);
            }
          }
        }),
      ),

    /** Polls once whether a snapshot can be read. Until then it fails with a retry delay. */
    awaitSnapshot: (snapshot: StartedSnapshot): Promise<ReadySnapshot> =>
      classifyFailures(async () => {
        const call = { signal: Context.current().cancellationSignal, timeoutMs: POLL_TIMEOUT_MS };
        const progress = await imgnet.progress(snapshot.snapshotId, call).catch((error: unknown) => {
          if (!(error instanceof JobError) || FAILURE_FAULTS[error.code] !== 'upstream') throw error;
          // Only the poll failed, not the snapshot.
          throw retryLater(error.code, error.message, error.retryAtMs);
        });
        if (progress === 'running') throw notReady();
        if (typeof progress === 'object') {
          await snapshots.forget(snapshot, snapshot.snapshotId);
          throw progress.failed;
        }
        return { ...snapshot, isEmpty: progress === 'empty' };
      }),
  };
}

export function createSnapshotActivities(deps: TriggerDeps) {
  const steps = createSnapshotSteps(deps);
  return {
    /**
     * Starts a snapshot and waits until it can be read, so that the slots of its route limit the snapshots in progress. A
     * repeated call waits for the snapshot that was started.
     *
     * @returns null if the snapshot is not ready after an hour
     */
    collectSnapshot: async (order: SnapshotOrder): Promise<ReadySnapshot | null> => {
      const started = await steps.triggerSnapshot(order);
      const endMs = performance.now() + MAX_COLLECTING_MS;
      return classifyFailures(() =>
        withHeartbeat(async (_report, signal) => {
          // A combined signal would stay referenced by `deps.stopping` as long as the process lives.
          const stopping = startDeadline({ signal: deps.stopping });
          const leaving = AbortSignal.any([signal, stopping.signal]);
          try {
            for (let polls = 0; performance.now() < endMs; polls += 1) {
              // Another worker continues.
              if (deps.stopping.aborted) throw retryLater('upstream_timeout', 'The worker stops.');
              try {
                return await steps.awaitSnapshot(started);
              } catch (error) {
                if (!(error instanceof ApplicationFailure) || error.type !== LATER) throw error;
                const ownMs = (POLL_DELAYS_SECONDS[polls] ?? LAST_POLL_DELAY_SECONDS) * 1000;
                const waitMs = Math.max(ownMs, msOptionalToNumber(error.nextRetryDelay) ?? 0);
                // A stop or a cancellation ends the wait; the checks before and after it handle them.
                await sleep(waitMs, undefined, { signal: leaving }).catch(() => undefined);
                signal.throwIfAborted();
              }
            }
            return null;
          } finally {
            stopping.end();
          }
        }),
      );
    },
  };
}

async function send(
  { imgnet, snapshots, records }: TriggerDeps,
  { request }: SnapshotOrder,
  { key, claimId }: { readonly key: SnapshotKey; readonly claimId: string },
): Promise<string> {
  try {
    // A stopping worker does not abort the request, because it would then be unknown what was started.
    const call = { signal: new AbortController().signal, timeoutMs: TRIGGER_TIMEOUT_MS };
    return (await imgnet.trigger(request, call)).snapshotId;
  } catch (error) {
    if (!(error instanceof JobError)) throw error;
    if (error instanceof UncertainTriggerError) {
      await snapshots.ended(key, claimId, Date.now());
      throw retryLater('internal', 'The answer of the dataset API was lost; its list of snapshots will be searched.');
    }
    await records.noteProviderRefused(key.recordId, key.part);
    await snapshots.release(key, claimId);
    throw error;
  }
}

/** Reads a snapshot in an activity, with heartbeats and classified failures. A snapshot that is not ready is retried later. */
export function readSnapshot<Result>(
  { imgnet, snapshots, fetchTimeoutMs }: SnapshotDeps,
  { snapshotId, isEmpty, ...key }: ReadySnapshot,
  read: (pages: AsyncIterable<SnapshotPage>, report: (progress: ActivityProgress) => void) => Promise<Result>,
): Promise<Result> {
  return classifyFailures(() =>
    withHeartbeat(async (report, signal) => {
      report({ stage: 'fetching' });
      try {
        const pages = isEmpty ? noPages() : imgnet.rows(snapshotId, { signal, timeoutMs: fetchTimeoutMs });
        return await read(pages, report);
      } catch (error) {
        if (error instanceof SnapshotNotReadyError) throw notReady(error.retryAtMs);
        if (!(error instanceof SnapshotLostError)) throw error;
        await snapshots.forget(key, snapshotId);
        if (FAILURE_FAULTS[error.code] !== 'upstream') throw error;
        throw ApplicationFailure.nonRetryable(error.message, SNAPSHOT_LOST, error.code);
      }
    }),
  );
}

function notReady(retryAtMs?: number) {
  return retryLater('upstream_timeout', 'The dataset API is still collecting.', retryAtMs);
}

async function* noPages(): AsyncGenerator<SnapshotPage> {
  // Nothing to read.
}
