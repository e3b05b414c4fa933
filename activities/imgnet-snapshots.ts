import { setTimeout as sleep } from 'node:timers/promises';
import { FAILURE_FAULTS } from '../contract/failures.ts';
import { JobError } from '../runtime/job-error.ts';
import {
  SnapshotLostError,
  SnapshotNotReadyError,
  UncertainTriggerError,
  type ImgnetSource,
  type SnapshotPage,
  type SnapshotRequest,
} from '../sources/imgnet/imgnet-source.ts';
import type { ContentsStore } from '../store/contents.ts';
import type { RecordStore } from '../store/records.ts';
import type { SnapshotKey, SnapshotStore } from '../store/snapshots.ts';
import { Context } from '@temporalio/activity';
import type { ActivityProgress } from '../contract/jobs.ts';
import { classifyFailures } from './failures.ts';
import { withHeartbeat } from './heartbeat.ts';
import { findStarted, TRIGGER_TIMEOUT_MS } from './lost-triggers.ts';
import { retryLater } from './retry-later.ts';

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
  readonly records: Pick<RecordStore, 'noteProviderAsked' | 'noteProviderRefused'>;
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

export function createSnapshotActivities(deps: TriggerDeps) {
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
          if (!(await records.noteProviderAsked(key.recordId, key.part))) {
            throw new JobError('cancelled', 'The job was stopped before it asked for the snapshot.');
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
        if (error instanceof SnapshotLostError) await snapshots.forget(key, snapshotId);
        throw error;
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
