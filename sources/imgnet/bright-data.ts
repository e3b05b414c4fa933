import { z } from 'zod';
import { JobError } from '../../runtime/job-error.ts';
import { parseJson } from '../../runtime/parse-json.ts';
import { triggerRequest, type TriggerSettings } from './bright-data-requests.ts';
import { createDatasetClient, NotBegunError, type DatasetClientSettings } from './dataset-client.ts';
import { EMPTY_SNAPSHOT, httpFailure, LOST_SNAPSHOT, rowFailure, saidBy } from './dataset-failures.ts';
import {
  SnapshotLostError,
  SnapshotNotReadyError,
  UncertainTriggerError,
  type ImgnetSource,
  type SnapshotProgress,
} from './imgnet-source.ts';
import { brightDataFacts } from './records/sparse-facts.ts';
import { linesOf, pagesOf, type LineLimits } from './snapshot-rows.ts';
import { startedSnapshots } from './started-snapshots.ts';

/** 20,000 records have 60 MB, and a record has up to 30 KB. Each record is parsed in one step of the event loop. */
const LIMITS: LineLimits = { maxLineBytes: 1024 ** 2, maxBodyBytes: 2 * 1024 ** 3 };

export type BrightDataSettings = DatasetClientSettings & TriggerSettings;

const triggerSchema = z.object({ snapshot_id: z.string().regex(/^[\w-]{1,100}$/) });
const progressSchema = z.object({ status: z.string(), error_message: z.string().nullish() });
/** Any other status except `ready` means that the snapshot is running. The API uses both spellings of "cancelled". */
const FAILED = new Set(['failed', 'error', 'canceled', 'cancelled']);

/** Bright Data's dataset API, version 3. */
export function createBrightDataSource(settings: BrightDataSettings): ImgnetSource {
  const client = createDatasetClient(settings);
  const hosts = [new URL(settings.platformUrl).host];

  return {
    async trigger(request, call) {
      call.signal.throwIfAborted();
      // A trigger is not aborted after it was sent, because its answer holds the ID of a snapshot that will be charged.
      const sent = { signal: new AbortController().signal, timeoutMs: call.timeoutMs };
      try {
        const answer = await client.exchange(triggerRequest(request, settings), sent);
        const started = triggerSchema.safeParse(parseJson(answer.text));
        if (answer.statusCode < 300 && started.success) return { snapshotId: started.data.snapshot_id };
        const failure = httpFailure(answer);
        throw isRefusal(answer.statusCode) ? new NotBegunError(failure) : failure;
      } catch (error) {
        if (error instanceof NotBegunError || !(error instanceof JobError)) throw error;
        throw new UncertainTriggerError(error.cause);
      }
    },

    ...startedSnapshots(client, settings),

    async progress(snapshotId, call) {
      const answer = await client.exchange({ method: 'GET', path: snapshotPath('progress', snapshotId) }, call);
      if (LOST_SNAPSHOT.test(saidBy(answer))) return { failed: lost() };
      const parsed = progressSchema.safeParse(parseJson(answer.text));
      if (answer.statusCode >= 300 || !parsed.success) throw httpFailure(answer);
      return progressOf(parsed.data);
    },

    rows(snapshotId, call) {
      const request = { method: 'GET', path: `${snapshotPath('snapshot', snapshotId)}?format=ndjson` } as const;
      return client.stream(request, call, async function* (answer) {
        const { statusCode, retryAtMs, body } = answer;
        if (statusCode === 202) throw new SnapshotNotReadyError(retryAtMs);
        if (statusCode === 200) {
          yield* pagesOf(linesOf(body, LIMITS), { hosts, retryAtMs });
          return;
        }
        const read = { statusCode, retryAtMs, text: await client.textOf(answer) };
        if (EMPTY_SNAPSHOT.test(saidBy(read))) return;
        throw LOST_SNAPSHOT.test(saidBy(read)) ? lost() : httpFailure(read);
      });
    },
    facts: brightDataFacts({ platformUrl: settings.platformUrl, hosts }),
    close: () => client.close(),
  };
}

/** A refused trigger starts no snapshot. After a server error or a timeout, a snapshot may have been started. */
function isRefusal(statusCode: number): boolean {
  return statusCode >= 300 && statusCode < 500 && statusCode !== 408;
}

function progressOf({ status, error_message }: z.infer<typeof progressSchema>): SnapshotProgress {
  if (status === 'ready') return 'ready';
  if (!FAILED.has(status)) return 'running';
  const failure = rowFailure(`${status}: ${error_message ?? 'no reason was given'}`);
  return failure === 'empty' ? 'empty' : { failed: failure };
}

function lost(): SnapshotLostError {
  return new SnapshotLostError('snapshotExpired');
}

function snapshotPath(what: 'progress' | 'snapshot', snapshotId: string): string {
  return `/datasets/v3/${what}/${encodeURIComponent(snapshotId)}`;
}
