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

/** What keeps the data of a snapshot beside the record of its job. */
export interface KeepingDeps extends SnapshotDeps {
  readonly contents: ContentsStore;
  readonly records: Pick<RecordStore, 'noteContents' | 'noteOwner'>;
}

/** What starting a snapshot needs besides. */
export interface TriggerDeps extends SnapshotDeps {
  readonly records: Pick<RecordStore, 'recordProviderCall' | 'noteProviderRefused'>;
  /** Aborted when the worker is about to stop. */
  readonly stopping: AbortSignal;
}

/** What to collect, and for which part of which job. */
export interface SnapshotOrder extends SnapshotKey {
  readonly request: SnapshotRequest;
}

/** A snapshot that was started for a job. */
export interface StartedSnapshot extends SnapshotKey {
  readonly snapshotId: string;
}

/** One that can be read. `isEmpty`: the provider says that there is nothing. */
export interface ReadySnapshot extends StartedSnapshot {
  readonly isEmpty: boolean;
}

/** Less than the activity's startToCloseTimeout, so that it says itself what was too slow. */
const POLL_TIMEOUT_MS = 30_000;
const KEEPING_RETRY_MS = 1_000;
/** Lists take up to an hour. */
const MAX_COLLECTING_MS = 65 * 60_000;
/** Most answers come within seconds. */
const LOOKS_SECONDS = [2, 3, 5, 10, 15] as const;
const LAST_LOOK_SECONDS = 30;

export type SnapshotSteps = ReturnType<typeof createSnapshotSteps>;

/** The steps of which collecting a snapshot consists. */
export function createSnapshotSteps(deps: TriggerDeps) {
  const { imgnet, snapshots, records } = deps;
  return {
    /**
     * Starts a snapshot, once: it costs money. Repeated, it hands back the one that was started; where the answer was
     * lost, the provider is asked what it has started. From here on the job is charged when it is cancelled, unless the
     * provider refuses.
     *
     * @throws UncertainTriggerError's failure when the provider cannot tell
     */
    triggerSnapshot: (order: SnapshotOrder): Promise<StartedSnapshot> =>
      classifyFailures(() =>
        withHeartbeat(async (_report, signal) => {
          const key = { recordId: order.recordId, part: order.part };
          // First, so that a job which is cancelled, or stopped from outside, at any moment from now on says so.
          if (!(await records.recordProviderCall(key.recordId, key.part))) {
            throw new JobError('stoppedBeforeSnapshot');
          }
          const claim = await snapshots.claim(key, Date.now());
          if (claim.state === 'started') return { ...key, snapshotId: claim.snapshotId };
          if (claim.state === 'theirs')
            return { ...key, snapshotId: await findStarted(deps, order, { ...claim, signal }) };
          const { claimId } = claim;
          const snapshotId = await send(deps, order, { claimId, key });
          // What was paid for must not be forgotten because the database is away for a moment.
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

    /** Asks once whether a snapshot can be read; while it can't, fails in a way that Temporal asks again. */
    awaitSnapshot: (snapshot: StartedSnapshot): Promise<ReadySnapshot> =>
      classifyFailures(async () => {
        const call = { signal: Context.current().cancellationSignal, timeoutMs: POLL_TIMEOUT_MS };
        const progress = await imgnet.progress(snapshot.snapshotId, call).catch((error: unknown) => {
          if (!(error instanceof JobError) || FAILURE_FAULTS[error.code] !== 'upstream') throw error;
          // Only the question went wrong, not the snapshot.
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
     * Starts a snapshot and waits until it can be read, in the place of its route: as many are collected at once as may be.
     * Repeated, it waits for the one that was started.
     *
     * @returns null when an hour was not enough
     */
    collectSnapshot: async (order: SnapshotOrder): Promise<ReadySnapshot | null> => {
      const started = await steps.triggerSnapshot(order);
      const endMs = performance.now() + MAX_COLLECTING_MS;
      return classifyFailures(() =>
        withHeartbeat(async (_report, signal) => {
          // Not joined with a signal that lives as long as the process.
          const stopping = startDeadline({ signal: deps.stopping });
          const leaving = AbortSignal.any([signal, stopping.signal]);
          try {
            for (let looks = 0; performance.now() < endMs; looks += 1) {
              // The next worker takes over.
              if (deps.stopping.aborted) throw retryLater('upstream_timeout', 'The worker stops.');
              try {
                return await steps.awaitSnapshot(started);
              } catch (error) {
                if (!(error instanceof ApplicationFailure) || error.type !== LATER) throw error;
                const ownMs = (LOOKS_SECONDS[looks] ?? LAST_LOOK_SECONDS) * 1000;
                const waitMs = Math.max(ownMs, msOptionalToNumber(error.nextRetryDelay) ?? 0);
                // Whoever stops or is cancelled does not wait: the next look, or what follows it, says so.
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
    // Not aborted by a worker that stops: nobody would know what was started.
    const call = { signal: new AbortController().signal, timeoutMs: TRIGGER_TIMEOUT_MS };
    return (await imgnet.trigger(request, call)).snapshotId;
  } catch (error) {
    if (!(error instanceof JobError)) throw error;
    if (error instanceof UncertainTriggerError) {
      await snapshots.ended(key, claimId, Date.now());
      throw retryLater('internal', 'The answer of the dataset API was lost: it is asked what it has started.');
    }
    await records.noteProviderRefused(key.recordId, key.part);
    await snapshots.release(key, claimId);
    throw error;
  }
}

/** Reads a snapshot in an activity: a heartbeat, failures sorted; one that is not ready after all is read later. */
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
